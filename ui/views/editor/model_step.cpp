// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "engine/sim/schema.h"
#include "ui/models/editor/editor_tables.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/layer_list.h"
#include "ui/models/palette.h"
#include "ui/views/editor/field_editor.h"
#include "ui/views/editor/step_pages.h"

namespace syncline::ui {

namespace {

constexpr int most_names = 8;  // of the order of gradients; all are in the tooltip

// A bar behind the number: its share of the column. Wrong layers in the colour of problems, those after them grey.
class ShareDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem item = option;
    const auto* table = qobject_cast<const LayerTable*>(index.model());
    const LayerRow* row = table != nullptr ? &table->rows()[static_cast<std::size_t>(index.row())] : nullptr;
    const bool dark = palette::isDark(option.palette);
    if (row != nullptr && !row->problem.isEmpty())
      item.palette.setColor(QPalette::Text, palette::status(palette::Status::bad, dark));
    else if (row != nullptr && row->beyond)
      item.palette.setColor(QPalette::Text, palette::status(palette::Status::muted, dark));
    QStyledItemDelegate::paint(painter, item, index);
    if (index.column() == LayerTable::number_column && row != nullptr && row->bucket >= 0) bracket(*painter, option, *table, index.row());
    const QVariant share = index.data(LayerTable::share_role);
    if (!share.isValid()) return;
    // A line at the bottom of the cell, so that the number over it keeps its contrast.
    const int room = option.rect.width() - 8;
    const int width = std::max(1, static_cast<int>(std::lround(room * share.toDouble())));
    if (share.toDouble() > 0)
      painter->fillRect(option.rect.right() - 4 - width, option.rect.bottom() - 3, width, 3, palette::curve(0, dark).colour);
  }

 private:
  // At the left edge: from the first to the last layer of one message.
  static void bracket(QPainter& painter, const QStyleOptionViewItem& option, const LayerTable& table, int number) {
    const auto bucket_of = [&table](int row) {
      return row >= 0 && row < table.rowCount() ? table.rows()[static_cast<std::size_t>(row)].bucket : -1;
    };
    const int bucket = bucket_of(number);
    const bool first = bucket_of(number - 1) != bucket, last = bucket_of(number + 1) != bucket;
    const int left = option.rect.left() + 3, top = option.rect.top() + (first ? 3 : 0), bottom = option.rect.bottom() - (last ? 3 : 0);
    painter.fillRect(left, top, 2, bottom - top + 1, palette::curve(1, palette::isDark(option.palette)).colour);
    if (first) painter.fillRect(left, top, 6, 2, palette::curve(1, palette::isDark(option.palette)).colour);
    if (last) painter.fillRect(left, bottom - 1, 6, 2, palette::curve(1, palette::isDark(option.palette)).colour);
  }
};

class ModelStep : public StepPage {
 public:
  ModelStep(EditorParts& editor, QWidget* parent)
      : StepPage(Step::model, editor, {FormPart{.section = "model", .except = {"zoo"}}}, parent), table_(this) {
    auto* top = new QHBoxLayout;
    auto* label = new QLabel(tr("M&odel"), this);
    preset_ = new QComboBox(this);
    preset_->setObjectName(QStringLiteral("input.model.zoo"));
    preset_->setAccessibleName(tr("Model"));
    preset_->setFocusPolicy(Qt::StrongFocus);
    preset_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    preset_->setMinimumContentsLength(22);
    label->setBuddy(preset_);
    preset_->addItem(tr("– choose –"), QString());
    for (const Entry& entry : catalogue().zoo) {
      preset_->addItem(QStringLiteral("%1: %2").arg(text_of(entry.name), text_of(entry.title)), text_of(entry.name));
      preset_->setItemData(preset_->count() - 1, text_of(entry.summary), Qt::ToolTipRole);
    }
    preset_->addItem(tr("own list of layers"), own_layers());
    connect(preset_, &QComboBox::activated, this, [this](int index) { choose(preset_->itemData(index).toString()); });
    input_ = new QLabel(this);
    input_->setObjectName(QStringLiteral("editor.model.input"));
    input_->setWordWrap(true);
    top->addWidget(label);
    top->addWidget(preset_);
    top->addWidget(input_, 1);
    column()->insertLayout(0, top);

    problem_ = new QLabel(this);
    problem_->setObjectName(QStringLiteral("editor.model.problem"));
    problem_->setWordWrap(true);
    column()->insertWidget(1, problem_);

    view_ = new QTableView(this);
    view_->setModel(&table_);
    set_up_table(*view_, QStringLiteral("editor.model.table"), tr("Layers of the model"));
    view_->setItemDelegate(new ShareDelegate(view_));
    view_->setMinimumHeight(220);
    const int widths[] = {42, 176, 88, 76, 76, 84, 104, 88};
    for (int i = 0; i < LayerTable::column_count; ++i) view_->setColumnWidth(i, widths[i]);
    view_->horizontalHeader()->setStretchLastSection(true);
    column()->insertWidget(2, view_, 1);
    connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] { showLayer(); });

    auto* buttons = new QHBoxLayout;
    add_ = button(tr("A&dd"), QStringLiteral("editor.model.add"), tr("Add a layer after the selected one"));
    add_->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(add_);
    for (const Entry& entry : catalogue().layers) {
      const QString type = text_of(entry.name);
      QAction* action = menu->addAction(QStringLiteral("%1 (%2)").arg(text_of(entry.title), type));
      action->setToolTip(text_of(entry.summary));
      connect(action, &QAction::triggered, this, [this, type] {
        const int after = current() < 0 ? table_.rowCount() - 1 : current();
        if (add_layer(parts().document, after, type.toStdString())) selectLater(after + 1);
      });
    }
    add_->setMenu(menu);
    remove_ = button(tr("&Remove"), QStringLiteral("editor.model.remove"), tr("Remove the selected layer"));
    connect(remove_, &QToolButton::clicked, this, [this] {
      if (remove_layer(parts().document, current())) selectLater(std::max(0, current() - 1));
    });
    up_ = button(tr("Move &Up"), QStringLiteral("editor.model.up"), tr("Move the selected layer towards the input"));
    connect(up_, &QToolButton::clicked, this, [this] {
      if (swap_layers(parts().document, current() - 1)) selectLater(current() - 1);
    });
    down_ = button(tr("Move Do&wn"), QStringLiteral("editor.model.down"), tr("Move the selected layer towards the output"));
    connect(down_, &QToolButton::clicked, this, [this] {
      if (swap_layers(parts().document, current())) selectLater(current() + 1);
    });
    for (QToolButton* each : {add_, remove_, up_, down_}) buttons->addWidget(each);
    buttons->addStretch(1);
    column()->insertLayout(3, buttons);

    totals_ = new QLabel(this);
    totals_->setObjectName(QStringLiteral("editor.model.totals"));
    totals_->setWordWrap(true);
    column()->insertWidget(4, totals_);
    layer_heading_ = new QLabel(this);
    QFont bold = layer_heading_->font();
    bold.setBold(true);
    layer_heading_->setFont(bold);
    column()->insertWidget(5, layer_heading_);
    layer_form_ = new FormPanel(editor.document, {}, this);
    layer_form_->setObjectName(QStringLiteral("editor.model.layer"));
    column()->insertWidget(6, layer_form_);
    connect(&editor.document, &ExperimentDocument::changed, this, [this] { followChoice(); });
    followChoice();
    showLayer();
  }

  void show(const Examination& examination) override {
    StepPage::show(examination);
    layer_form_->setProblems(examination.problems);
    problems_ = examination.problems;
    specs_ = examination.layer_specs;
    classes_ = examination.data ? examination.data->classes : 10;
    table_.setRows(examination.layers);
    input_->setText(examination.input);
    QString problem = examination.model_problem;
    for (const Problem& each : examination.problems) {
      if (problem.isEmpty() && (each.origin.key == "model" || each.origin.key == "model.zoo" || each.origin.key == "model.layers"))
        problem = QString::fromStdString(each.message);
    }
    for (std::size_t i = 0; i < examination.layers.size() && problem.isEmpty(); ++i) {
      if (!examination.layers[i].problem.isEmpty()) problem = tr("Layer %1: %2").arg(i + 1).arg(examination.layers[i].problem);
    }
    problem_->setText(problem);
    problem_->setVisible(!problem.isEmpty());
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(colours)));
    problem_->setPalette(colours);
    QStringList order = examination.gradient_order.split(QStringLiteral(" → "), Qt::SkipEmptyParts);
    if (order.size() > most_names) order = order.mid(0, most_names / 2) + QStringList{QStringLiteral("…")} + order.mid(order.size() - 3);
    totals_->setText(examination.model_totals.isEmpty() ? QString()
                                                        : QStringLiteral("Σ %1\n").arg(examination.model_totals) +
                                                              tr("Order of gradients: %1").arg(order.join(QStringLiteral(" → "))));
    totals_->setToolTip(examination.gradient_order);
    if (wanted_ >= 0 && wanted_ < table_.rowCount()) view_->selectRow(std::exchange(wanted_, -1));
    showLayer();
  }

  bool focusKey(const QString& key) override {
    const QStringList words = key.split(u'.');
    if (words.size() >= 3 && words[0] == QStringLiteral("model") && words[1] == QStringLiteral("layers")) {
      const int row = words[2].toInt();
      if (row < table_.rowCount()) view_->selectRow(row);
      showLayer();
      if (words.size() > 3 && layer_form_->focusKey(key)) return true;
      view_->setFocus(Qt::OtherFocusReason);
      return true;
    }
    if (key == QStringLiteral("model.zoo") || key == QStringLiteral("model")) {
      preset_->setFocus(Qt::OtherFocusReason);
      return true;
    }
    if (key == QStringLiteral("model.layers")) {
      view_->setFocus(Qt::OtherFocusReason);
      return true;
    }
    return StepPage::focusKey(key);
  }

 private:
  static QString own_layers() { return QStringLiteral("\n"); }  // no zoo model is called so

  QToolButton* button(const QString& text, const QString& name, const QString& help) {
    auto* made = new QToolButton(this);
    made->setText(text);
    made->setObjectName(name);
    made->setToolTip(help);
    made->setMinimumHeight(26);
    made->setFocusPolicy(Qt::StrongFocus);
    return made;
  }

  int current() const { return view_->currentIndex().isValid() ? view_->currentIndex().row() : -1; }
  bool listed() const { return node_at(parts().document.tree(), {"model", "layers"}) != nullptr; }
  void selectLater(int row) { wanted_ = row; }

  void choose(const QString& name) {
    ExperimentDocument& document = parts().document;
    if (name == own_layers()) {
      if (listed()) return;
      if (specs_.empty() || !write_as_layers(document, specs_)) {
        const std::string last = std::to_string(classes_);
        document.setValue({"model", "layers"}, "[\n  { type = \"flatten\" },\n  { type = \"linear\", features = " + last + " },\n]");
      }
    } else if (!name.isEmpty()) {
      choose_zoo(document, name.toStdString());
    }
    document.endTyping();
    followChoice();
  }

  // The combo box and the buttons as the text says.
  void followChoice() {
    const ExperimentDocument& document = parts().document;
    const document::Node* zoo = node_at(document.tree(), {"model", "zoo"});
    const bool list = listed();
    QString name = list ? own_layers() : QString();
    if (zoo != nullptr && zoo->type == document::Node::text && !list) name = text_of(std::get<std::string>(zoo->value));
    preset_->setCurrentIndex(std::max(0, preset_->findData(name)));
    const bool editable = !document.readOnly() && !document.syntaxError();
    preset_->setEnabled(editable);
    const QString reason = list ? QString() : tr("Choose \"own list of layers\" to edit this model's layers");
    for (QToolButton* each : {add_, remove_, up_, down_}) each->setEnabled(list && editable);
    add_->setToolTip(reason.isEmpty() ? tr("Add a layer after the selected one") : reason);
  }

  void showLayer() {
    const int row = current();
    const bool editable = listed() && row >= 0 && row < layer_count(parts().document);
    const int count = layer_count(parts().document);
    const bool may = editable && !parts().document.readOnly() && !parts().document.syntaxError();
    remove_->setEnabled(may && count > 1);
    up_->setEnabled(may && row > 0);
    down_->setEnabled(may && row + 1 < count);
    layer_heading_->setVisible(editable);
    layer_form_->setVisible(editable);
    if (!editable) {
      if (shown_ != -1) layer_form_->setParts({});
      shown_ = -1;
      return;
    }
    layer_heading_->setText(tr("Layer %1").arg(row + 1));
    if (shown_ != row) layer_form_->setParts({{"model.layers", {}, {"model", "layers", std::to_string(row)}}});
    shown_ = row;
    layer_form_->setProblems(problems_);
  }

  LayerTable table_;
  std::vector<Problem> problems_;
  std::vector<LayerSpec> specs_;
  std::int64_t classes_ = 10;
  int wanted_ = -1, shown_ = -2;
  QComboBox* preset_;
  QLabel *input_, *problem_, *totals_, *layer_heading_;
  QTableView* view_;
  QToolButton *add_, *remove_, *up_, *down_;
  FormPanel* layer_form_;
};

}  // namespace

StepPage* make_model_step(EditorParts& parts, QWidget* parent) { return new ModelStep(parts, parent); }

}  // namespace syncline::ui

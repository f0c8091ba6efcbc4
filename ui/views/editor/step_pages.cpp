// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/editor/step_pages.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <filesystem>

#include "engine/sim/schema.h"
#include "ui/models/editor/background.h"
#include "ui/models/editor/field_values.h"
#include "ui/models/editor/form_catalogue.h"
#include "ui/models/editor/plugin_list.h"
#include "ui/models/format.h"
#include "ui/models/palette.h"
#include "ui/views/editor/field_editor.h"
#include "ui/views/editor/rate_plot.h"
#include "ui/views/editor/topology_diagram.h"

namespace syncline::ui {

void set_up_table(QTableView& table, const QString& object_name, const QString& accessible_name) {
  table.setObjectName(object_name);
  table.setAccessibleName(accessible_name);
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setShowGrid(false);
  table.setAlternatingRowColors(true);
  table.setTabKeyNavigation(false);
  table.setWordWrap(false);
  table.setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(std::max(24, table.fontMetrics().height() + 8));
  table.horizontalHeader()->setHighlightSections(false);
  table.horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
}

void fit_height(QTableView& table, int most) {
  const int rows = std::clamp(table.model() == nullptr ? 0 : table.model()->rowCount(), 2, most);
  const int header = table.horizontalHeader()->sizeHint().height();
  table.setFixedHeight(header + rows * table.verticalHeader()->defaultSectionSize() + 2 * table.frameWidth() + 2);
}

StepPage::StepPage(Step step, EditorParts& parts, std::vector<FormPart> form, QWidget* parent)
    : QWidget(parent), step_(step), parts_(parts), column_(new QVBoxLayout(this)) {
  column_->setContentsMargins(10, 8, 10, 10);
  column_->setSpacing(8);
  form_ = new FormPanel(parts.document, std::move(form), this);
  column_->addWidget(form_);
}

void StepPage::show(const Examination& examination) { form_->setProblems(examination.problems); }

bool StepPage::focusKey(const QString& key) { return form_->focusKey(key); }

QLabel* StepPage::addHeading(const QString& text) {
  auto* heading = new QLabel(text, this);
  QFont font = heading->font();
  font.setBold(true);
  heading->setFont(font);
  column_->addWidget(heading);
  return heading;
}

QLabel* StepPage::addNote(const QString& object_name) {
  auto* note = new QLabel(this);
  note->setObjectName(object_name);
  note->setWordWrap(true);
  note->setTextInteractionFlags(Qt::TextSelectableByMouse);
  column_->addWidget(note);
  return note;
}

namespace {

struct OnDisk {
  QString sentence;
  bool found = false;
};

// Bytes below a folder, of at most so many files.
OnDisk look_at_disk(const std::string& text) {
  constexpr int most_files = 100000;
  const Examination examination = examine(text);
  if (!examination.data)
    return {
        examination.data_problem.isEmpty() ? QCoreApplication::translate("DataStep", "Choose a source first") : examination.data_problem,
        false};
  OnDisk result{examination.data_facts.isEmpty() ? QString() : examination.data_facts.front(), true};
  const auto tree = document::parse(text);
  const auto* root = std::get_if<document::Node>(&tree);
  const Entry* source = root != nullptr ? chosen_entry(*root, catalogue(), section("data")) : nullptr;
  std::optional<Value> path;
  for (const Parameter& parameter : source != nullptr ? source->parameters : std::span<const Parameter>{}) {
    if (parameter.key == "path") path = value_at(*root, {"data", "path"}, parameter);
  }
  const auto* place = path ? std::get_if<std::string>(&path->data) : nullptr;
  if (place == nullptr) return result;  // made, not read
  std::error_code error;
  double bytes = 0;
  int files = 0;
  for (std::filesystem::recursive_directory_iterator at(*place, std::filesystem::directory_options::skip_permission_denied, error), end;
       !error && at != end && files < most_files; at.increment(error)) {
    std::error_code ignored;
    if (at->is_regular_file(ignored)) {
      bytes += static_cast<double>(at->file_size(ignored));
      ++files;
    }
  }
  result.sentence += QCoreApplication::translate("DataStep", "; %1 in %2 files below %3")
                         .arg((files == most_files ? QStringLiteral("> ") : QString()) + format::bytes(bytes), format::count(files),
                              QString::fromStdString(*place));
  return result;
}

class DataStep : public StepPage {
 public:
  DataStep(EditorParts& editor, QWidget* parent) : StepPage(Step::data, editor, parts_of(Step::data), parent) {
    auto* row = new QHBoxLayout;
    auto* label = new QLabel(tr("&Global batch"), this);
    global_ = new QLineEdit(this);
    global_->setObjectName(QStringLiteral("editor.data.global-batch"));
    global_->setMaximumWidth(120);
    leave_undo_to_document(global_);
    label->setBuddy(global_);
    rule_ = new QLabel(this);
    rule_->setObjectName(QStringLiteral("editor.data.rule"));
    rule_->setForegroundRole(QPalette::PlaceholderText);
    rule_->setWordWrap(true);
    row->addWidget(label);
    row->addWidget(global_);
    row->addWidget(rule_, 1);
    column()->addLayout(row);
    connect(global_, &QLineEdit::textEdited, this, [this](const QString& typed) { takeGlobal(typed); });
    connect(global_, &QLineEdit::editingFinished, this, [this] { parts().document.endTyping(); });

    auto* check_row = new QHBoxLayout;
    check_ = new QPushButton(tr("Chec&k"), this);
    check_->setObjectName(QStringLiteral("editor.data.check"));
    check_->setToolTip(tr("Look at what is on disk"));
    found_ = new QLabel(this);
    found_->setObjectName(QStringLiteral("editor.data.found"));
    found_->setWordWrap(true);
    check_row->addWidget(check_);
    check_row->addWidget(found_, 1);
    column()->addLayout(check_row);
    connect(check_, &QPushButton::clicked, this, [this] { check(); });
    facts_ = addNote(QStringLiteral("editor.data.facts"));
    column()->addStretch(1);
  }

  void show(const Examination& examination) override {
    StepPage::show(examination);
    workers_ = examination.experiment ? examination.experiment->cluster.workers : 0;
    const bool uneven = examination.experiment && examination.experiment->train.batch_per_worker.size() > 1;
    global_->setEnabled(workers_ > 0 && !uneven && !parts().document.readOnly());
    if (!global_->hasFocus()) global_->setText(examination.global_batch ? QString::number(*examination.global_batch) : QString());
    if (!global_->hasFocus() || examination.global_batch == global_->text().toLongLong()) showRule(uneven);
    QStringList facts;
    for (const QString& fact : examination.data_facts) facts << fact + u'.';
    if (!examination.data_problem.isEmpty()) facts << examination.data_problem;
    facts_->setText(facts.join(u'\n'));
  }

 private:
  void showRule(bool uneven) {
    rule_->setText(uneven         ? tr("sum of the list above; edit it there")
                   : workers_ > 0 ? tr("= batch per worker × %1 workers; either may be typed").arg(format::count(workers_))
                                  : QString());
  }

  void takeGlobal(const QString& typed) {
    bool whole = false;
    const qlonglong global = typed.trimmed().toLongLong(&whole);
    if (!whole || global < 1) {
      rule_->setText(tr("must be a whole number above 0"));
    } else if (global % workers_ != 0) {
      const qlonglong below = global / workers_ * workers_, above = below + workers_;
      rule_->setText(below > 0 ? tr("must be a multiple of the %1 workers, such as %2 or %3")
                                     .arg(format::count(workers_), format::count(below), format::count(above))
                               : tr("must be a multiple of the %1 workers, such as %2").arg(format::count(workers_), format::count(above)));
    } else {
      showRule(false);
      parts().document.setValue({"train", "batch_per_worker"}, std::to_string(global / workers_));
    }
  }

  void check() {
    check_->setEnabled(false);
    found_->setText(tr("Looking…"));
    in_background(
        this, [text = parts().document.text()] { return look_at_disk(text); },
        [this](const OnDisk& disk) {
          check_->setEnabled(true);
          found_->setText(disk.sentence);
          QPalette colours = palette();
          if (!disk.found) colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(colours)));
          found_->setPalette(colours);
          parts().validator.examineNow();
        });
  }

  QLineEdit* global_;
  QLabel *rule_, *found_, *facts_;
  QPushButton* check_;
  std::int64_t workers_ = 0;
};

class TopologyStep : public StepPage {
 public:
  TopologyStep(EditorParts& editor, QWidget* parent) : StepPage(Step::topology, editor, parts_of(Step::topology), parent) {
    model_ = new TopologyModel(editor.document, this);
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("editor.topology.views"));
    tabs->setAccessibleName(tr("Views of the topology"));
    auto* diagram = new TopologyDiagram(*model_, tabs);
    connect(diagram, &TopologyDiagram::keyChosen, this, [this](const QString& key) { focusKey(key); });
    table_ = new QTableView(tabs);
    table_->setModel(model_);
    set_up_table(*table_, QStringLiteral("editor.topology.table"), tr("Topology as a table"));
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    table_->setSelectionBehavior(QAbstractItemView::SelectItems);
    table_->horizontalHeader()->setStretchLastSection(true);
    for (const auto& [section, width] : {std::pair{0, 60}, {1, 150}, {2, 140}}) table_->setColumnWidth(section, width);
    tabs->addTab(diagram, tr("Dia&gram"));
    tabs->addTab(table_, tr("Ta&ble"));
    tabs->setMinimumHeight(230);
    column()->addWidget(tabs, 1);
    auto* note = addNote(QStringLiteral("editor.topology.note"));
    note->setText(
        tr("Thickness is bandwidth; a dashed link is emulated: real exchanges are slowed down to it. One link stands for every pair "
           "of ranks; machines of different kinds are not told apart by this version."));
    note->setForegroundRole(QPalette::PlaceholderText);
  }

 private:
  TopologyModel* model_;
  QTableView* table_;
};

class OptimizerStep : public StepPage {
 public:
  OptimizerStep(EditorParts& editor, QWidget* parent) : StepPage(Step::optimizer, editor, parts_of(Step::optimizer), parent) {
    about_ = addNote(QStringLiteral("editor.optimizer.about"));
    addHeading(tr("Learning rate over the run"));
    rate_ = new RatePlot(this);
    column()->addWidget(rate_);
    column()->addStretch(1);
  }

  void show(const Examination& examination) override {
    StepPage::show(examination);
    rate_->setRate(examination.learning_rate, examination.global_batch);
    const document::Node& root = parts().document.tree();
    QStringList lines;
    for (const char* name : {"train.optimizer", "train.schedule"}) {
      const Entry* entry = chosen_entry(root, form_catalogue(), section(name));
      if (entry == nullptr) continue;
      QString line = QStringLiteral("%1: %2").arg(text_of(entry->title), text_of(entry->summary));
      if (!entry->paper.empty()) line += QStringLiteral(" %1.").arg(text_of(entry->paper));
      lines << line;
    }
    about_->setText(lines.join(u'\n'));
    markMissingPlugin();
  }

  void becameVisible() override {
    if (asked_ || !parts().workbench.engine().problem().isEmpty()) return;
    asked_ = true;
    parts().workbench.engine().run(this, {QStringLiteral("plugins"), QStringLiteral("--json")},
                                   [this](const EngineProgram::Answer& answer) {
                                     if (answer.exit_code != 0) return;  // the plugins page says why
                                     known_ = true;
                                     if (set_described_plugins(described_plugins(answer, parts().workbench.settings()))) form().refresh();
                                     parts().validator.examineNow();
                                   });
  }

 private:
  QLabel* about_;
  // The engine's check takes any plugin's name; whether it is here is known once the engine has listed them.
  void markMissingPlugin() {
    FieldEditor* name = form().editor(QStringLiteral("train.optimizer.name"));
    if (!known_ || name == nullptr || !name->field().shown.startsWith(QStringLiteral("plugin:")) || !name->problem().isEmpty()) return;
    if (find_entry(form_catalogue(), "optimizers", name->field().shown.toStdString()) == nullptr)
      name->setProblem(tr("%1 was not found, was refused or is disabled; the Plugins page says which").arg(name->field().shown));
  }

  RatePlot* rate_;
  bool asked_ = false, known_ = false;
};

}  // namespace

StepPage* make_step_page(Step step, EditorParts& parts, QWidget* parent) {
  switch (step) {
    case Step::model:
      return make_model_step(parts, parent);
    case Step::data:
      return new DataStep(parts, parent);
    case Step::topology:
      return new TopologyStep(parts, parent);
    case Step::strategy:
      return make_strategy_step(parts, parent);
    case Step::optimizer:
      return new OptimizerStep(parts, parent);
    case Step::launch:
      return make_launch_step(parts, parent);
  }
  return nullptr;
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The table of values with their differences to the baseline, and the table of settings.
#include "engine/store/emulation.h"
#include "ui/models/palette.h"
#include "ui/models/runs_columns.h"
#include "ui/models/settings.h"
#include "ui/views/compare/compare_tab.h"

namespace syncline::ui {

namespace {

const QString hidden_key = QStringLiteral("compare/hidden-columns");

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString title_of(const SummaryMetric& metric) {
  QString name = text_of(metric.name);
  name[0] = name[0].toUpper();
  return name;
}

}  // namespace

class CompareTable : public CompareTab {
 public:
  CompareTable(Workbench& bench, QWidget* parent) : CompareTab(bench, parent) {
    table_ = make_plain_table(QStringLiteral("compare.table"), tr("Values and differences to the baseline"), this);
    hidden_ = bench.settings().value(hidden_key).toStringList();
    auto* choose = new QToolButton(this);
    choose->setObjectName(QStringLiteral("compare.table.columns"));
    choose->setText(tr("Col&umns"));
    choose->setToolTip(tr("Choose which values are shown; the exported table has all"));
    choose->setPopupMode(QToolButton::InstantPopup);
    choose->setFocusPolicy(Qt::StrongFocus);
    auto* menu = new QMenu(choose);
    for (const SummaryMetric& metric : compared_metrics()) {
      const QString key = text_of(metric.key);
      QAction* choice = menu->addAction(title_of(metric));
      choice->setObjectName(QStringLiteral("compare.table.columns.") + key);
      choice->setCheckable(true);
      choice->setChecked(!hidden_.contains(key));
      connect(choice, &QAction::toggled, this, [this, key](bool on) {
        hidden_.removeAll(key);
        if (!on) hidden_ << key;
        workbench().settings().set(hidden_key, hidden_);
        if (shown()) draw(*shown());
      });
    }
    choose->setMenu(menu);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(6, 4, 6, 0);
    row->addStretch(1);
    row->addWidget(choose);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(row);
    layout->addWidget(table_);
    setFocusProxy(table_);
  }

 protected:
  void draw(const Comparison& comparison) override {
    std::vector<SummaryMetric> metrics;
    for (const SummaryMetric& metric : compared_metrics()) {
      const bool anywhere = std::any_of(comparison.items.begin(), comparison.items.end(),
                                        [&metric](const ComparedItem& item) { return item.spreadOf(metric.key).n > 0; });
      if (anywhere && !hidden_.contains(text_of(metric.key))) metrics.push_back(metric);
    }
    table_->clear();
    table_->setColumnCount(static_cast<int>(metrics.size()) + 1);
    table_->setRowCount(static_cast<int>(comparison.items.size()));
    auto* corner = new QTableWidgetItem(tr("Run"));
    table_->setHorizontalHeaderItem(0, corner);
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const QString name = title_of(metrics[i]);
      const QString better = metrics[i].better == SummaryMetric::lower    ? tr("lower is better")
                             : metrics[i].better == SummaryMetric::higher ? tr("higher is better")
                                                                          : tr("neither direction is better");
      auto* head = new QTableWidgetItem(name);
      head->setToolTip(tr("%1: %2. Grey, \u201cwithin spread\u201d: %3.").arg(name, better, within_spread_rule()));
      table_->setHorizontalHeaderItem(static_cast<int>(i) + 1, head);
    }
    const bool dark = palette::isDark(palette());
    for (std::size_t row = 0; row < comparison.items.size(); ++row) {
      const ComparedItem& item = comparison.items[row];
      const bool is_baseline = &item == comparison.baseline;
      auto* name =
          new QTableWidgetItem((is_baseline ? QStringLiteral("\u2605 ") : QString()) + item.name + u'\n' + subtitle(item, is_baseline));
      const QColor swatch = item.colour.isValid() ? item.colour : palette::curve(item.palette, dark).colour;
      name->setData(Qt::DecorationRole, swatch);
      if (!item.runs.front()->damage.isEmpty()) name->setToolTip(item.runs.front()->damage);
      table_->setItem(static_cast<int>(row), 0, name);
      for (std::size_t i = 0; i < metrics.size(); ++i) {
        const ComparedCell cell = compare_cell(metrics[i], item, comparison.baseline);
        auto* made = new QTableWidgetItem(cell.value + (cell.difference.isEmpty() ? QString() : u'\n' + cell.difference));
        made->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        made->setToolTip(cell.words);
        QStringList spoken = {cell.value, cell.difference, cell.words};
        spoken.removeAll(QString());
        made->setData(Qt::AccessibleTextRole, spoken.join(QStringLiteral(", ")));
        using palette::Status;
        if (cell.verdict == ComparedCell::within) {
          made->setForeground(palette::status(Status::muted, dark));
          made->setText(cell.value + u'\n' + cell.difference + u' ' + tr("within spread"));
        } else if (cell.verdict != ComparedCell::none) {
          made->setForeground(palette::status(cell.verdict == ComparedCell::better ? Status::good : Status::bad, dark));
        }
        table_->setItem(static_cast<int>(row), static_cast<int>(i) + 1, made);
      }
    }
    table_->resizeColumnsToContents();
    table_->resizeRowsToContents();
    table_->setColumnWidth(0, std::min(table_->columnWidth(0), 320));
  }

 private:
  static QString subtitle(const ComparedItem& item, bool is_baseline) {
    QStringList parts;
    if (is_baseline) parts << tr("baseline");
    parts << seeds_text(item.infos());
    const std::string emulated = emulation_text(item.runs.front()->info);
    if (!emulated.empty()) parts << QString::fromStdString(emulated);
    if (!item.note.isEmpty()) parts << item.note;
    return parts.join(QStringLiteral(", "));
  }
  QStringList hidden_;  // keys
  QTableWidget* table_ = nullptr;
};

class CompareSettings : public CompareTab {
 public:
  CompareSettings(Workbench& bench, QWidget* parent) : CompareTab(bench, parent) {
    only_ = new QCheckBox(tr("Show &only differences"), this);
    only_->setObjectName(QStringLiteral("compare.settings.only"));
    only_->setChecked(true);
    connect(only_, &QCheckBox::toggled, this, [this] {
      if (shown()) draw(*shown());
    });
    table_ = make_plain_table(QStringLiteral("compare.settings"), tr("Settings"), this);
    auto* diff_page = new QWidget(this);
    which_ = new QComboBox(diff_page);
    which_->setObjectName(QStringLiteral("compare.settings.which"));
    which_->setAccessibleName(tr("Run to hold against the baseline"));
    auto* label = new QLabel(tr("Base&line against:"), diff_page);
    label->setBuddy(which_);
    diff_ = new QPlainTextEdit(diff_page);
    diff_->setObjectName(QStringLiteral("compare.settings.diff"));
    diff_->setAccessibleName(tr("Difference of the complete experiments, line by line"));
    diff_->setReadOnly(true);
    diff_->setTabChangesFocus(true);
    diff_->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    connect(which_, &QComboBox::currentIndexChanged, this, &CompareSettings::drawDiff);
    auto* diff_row = new QHBoxLayout;
    diff_row->addWidget(label);
    diff_row->addWidget(which_, 1);
    auto* diff_layout = new QVBoxLayout(diff_page);
    diff_layout->setContentsMargins(6, 6, 6, 6);
    diff_layout->addLayout(diff_row);
    diff_layout->addWidget(diff_, 1);
    auto* keys_page = new QWidget(this);
    auto* keys_layout = new QVBoxLayout(keys_page);
    keys_layout->setContentsMargins(6, 6, 6, 6);
    keys_layout->addWidget(only_);
    keys_layout->addWidget(table_, 1);
    auto* tabs = new QTabWidget(this);
    tabs->setObjectName(QStringLiteral("compare.settings.tabs"));
    tabs->setAccessibleName(tr("Settings by key or as text"));
    tabs->setDocumentMode(true);
    tabs->addTab(keys_page, tr("Keys"));
    tabs->addTab(diff_page, tr("Text"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(tabs);
  }

 protected:
  void draw(const Comparison& comparison) override {
    std::vector<ComparedSetting> rows = compare_settings(comparison.items);
    if (only_->isChecked()) std::erase_if(rows, [](const ComparedSetting& row) { return row.equal; });
    table_->clear();
    table_->setColumnCount(static_cast<int>(comparison.items.size()) + 1);
    table_->setRowCount(static_cast<int>(rows.size()));
    QStringList heads = {tr("Key")};
    for (const ComparedItem& item : comparison.items) heads << item.name;
    table_->setHorizontalHeaderLabels(heads);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      QStringList cells = {rows[i].key};
      for (const QString& value : rows[i].values) cells << (value.isEmpty() ? QStringLiteral("\u2013") : value);
      fill_row(*table_, static_cast<int>(i), cells);
      for (int column = 1; column < cells.size(); ++column) {
        QTableWidgetItem* item = table_->item(static_cast<int>(i), column);
        item->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
        QFont font = item->font();
        font.setBold(!rows[i].equal);
        item->setFont(font);
      }
    }
    table_->resizeColumnsToContents();
    const QSignalBlocker blocker(which_);
    const QString before = which_->currentData().toString();
    which_->clear();
    for (const ComparedItem& item : comparison.items) {
      if (&item != comparison.baseline) which_->addItem(item.name, item.id);
    }
    which_->setCurrentIndex(std::max(0, which_->findData(before)));
    drawDiff();
  }

 private:
  void drawDiff() {
    diff_->clear();
    if (!shown() || shown()->baseline == nullptr) return;
    const bool dark = palette::isDark(palette());
    for (const ComparedItem& item : shown()->items) {
      if (item.id != which_->currentData().toString()) continue;
      QTextCursor cursor(diff_->document());
      for (const DiffLine& line : diff_lines(QString::fromStdString(shown()->baseline->runs.front()->info.experiment),
                                             QString::fromStdString(item.runs.front()->info.experiment))) {
        QTextCharFormat format;
        if (line.kind != ' ') format.setForeground(palette::status(line.kind == '-' ? palette::Status::bad : palette::Status::good, dark));
        cursor.insertText(QLatin1Char(line.kind) + QStringLiteral(" ") + line.text + u'\n', format);
      }
    }
    diff_->moveCursor(QTextCursor::Start);
  }
  QCheckBox* only_ = nullptr;
  QTableWidget* table_ = nullptr;
  QComboBox* which_ = nullptr;
  QPlainTextEdit* diff_ = nullptr;
};

CompareTab* make_compare_table(Workbench& bench, QWidget* parent) { return new CompareTable(bench, parent); }
CompareTab* make_compare_settings(Workbench& bench, QWidget* parent) { return new CompareSettings(bench, parent); }

}  // namespace syncline::ui

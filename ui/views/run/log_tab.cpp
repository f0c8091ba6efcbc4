// SPDX-License-Identifier: GPL-3.0-or-later
// The merged output of all ranks.
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDialogButtonBox>
#include <QEvent>
#include <QFileInfo>
#include <QFontDatabase>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QStackedLayout>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QVBoxLayout>

#include "ui/models/format.h"
#include "ui/models/log_model.h"
#include "ui/models/palette.h"
#include "ui/views/run/run_tab.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

constexpr qint64 fold_at_most_bytes = 64 << 20;  // folding keeps a row of every line in memory
constexpr int typing_ms = 200;

// The word of the level in its colour.
class LevelDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    const auto level = static_cast<LogLevel>(index.data(LogModel::level_role).toInt());
    if (level == LogLevel::information) return;
    const bool dark = palette::isDark(option->palette);
    option->palette.setColor(QPalette::Text,
                             palette::status(level == LogLevel::error ? palette::Status::bad : palette::Status::attention, dark));
  }
};

}  // namespace

class LogTab : public RunTab {
  Q_OBJECT

 public:
  LogTab(RunContext of, QWidget* parent) : RunTab(of, QStringLiteral("run.log"), parent) {
    rank_ = new QComboBox(this);
    rank_->setObjectName(QStringLiteral("run.log.rank"));
    rank_->setAccessibleName(tr("Rank"));
    rank_->addItem(tr("all ranks"), -1);
    level_ = new QComboBox(this);
    level_->setObjectName(QStringLiteral("run.log.level"));
    level_->setAccessibleName(tr("Level"));
    level_->addItem(tr("everything"), int(LogLevel::information));
    level_->addItem(tr("warnings and errors"), int(LogLevel::warning));
    level_->addItem(tr("errors"), int(LogLevel::error));
    text_ = new QLineEdit(this);
    text_->setObjectName(QStringLiteral("run.log.text"));
    text_->setAccessibleName(tr("Text to look for"));
    text_->setPlaceholderText(tr("Lines with this text"));
    text_->setClearButtonEnabled(true);
    fold_ = new QCheckBox(tr("Fo&ld repeated lines"), this);
    fold_->setObjectName(QStringLiteral("run.log.fold"));
    fold_->setToolTip(tr("A line that several ranks write is shown once, with how many did"));
    follow_ = new QCheckBox(tr("Follo&w"), this);
    follow_->setObjectName(QStringLiteral("run.log.follow"));
    follow_->setToolTip(tr("Keep the newest line in sight"));
    follow_->setChecked(true);
    auto* rank_label = new QLabel(tr("&Rank:"), this);
    rank_label->setBuddy(rank_);
    auto* level_label = new QLabel(tr("Le&vel:"), this);
    level_label->setBuddy(level_);
    auto* top = new QHBoxLayout;
    top->addWidget(rank_label);
    top->addWidget(rank_);
    top->addWidget(level_label);
    top->addWidget(level_);
    top->addWidget(text_, 1);
    top->addWidget(fold_);
    top->addWidget(follow_);

    view_ = new QTableView(this);
    view_->setObjectName(QStringLiteral("run.log.lines"));
    view_->setAccessibleName(tr("Lines of the log"));
    view_->setSelectionBehavior(QAbstractItemView::SelectRows);
    view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    view_->setShowGrid(false);
    view_->setWordWrap(false);
    view_->setTabKeyNavigation(false);
    view_->setItemDelegateForColumn(LogModel::level_column, new LevelDelegate(view_));
    view_->verticalHeader()->hide();
    view_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    view_->verticalHeader()->setDefaultSectionSize(view_->fontMetrics().height() + 4);
    view_->horizontalHeader()->setStretchLastSection(true);
    view_->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    empty_ = new QLabel(this);
    empty_->setAlignment(Qt::AlignCenter);
    empty_->setWordWrap(true);
    stack_ = new QStackedLayout;
    stack_->addWidget(view_);
    stack_->addWidget(empty_);
    status_ = new QLabel(this);
    status_->setObjectName(QStringLiteral("run.log.status"));
    status_->setAccessibleName(tr("Lines shown"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 6, 8, 6);
    layout->addLayout(top);
    layout->addLayout(stack_, 1);
    layout->addWidget(status_);

    typing_.setSingleShot(true);
    typing_.setInterval(typing_ms);
    connect(&typing_, &QTimer::timeout, this, &LogTab::applyFilter);
    connect(text_, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
    connect(rank_, &QComboBox::currentIndexChanged, this, &LogTab::applyFilter);
    connect(level_, &QComboBox::currentIndexChanged, this, &LogTab::applyFilter);
    connect(fold_, &QCheckBox::toggled, this, &LogTab::applyFilter);
    connect(follow_, &QCheckBox::toggled, this, &LogTab::followChanged);
    connect(&data(), &RunData::changed, this, &LogTab::update);
    ActionRegistry& actions = of.workbench.actions();
    actions.add(this,
                {QStringLiteral("runs.filter"),
                 tr("&Find in the Log"),
                 tr("Show only lines with a text"),
                 {QKeySequence(QKeySequence::Find), QKeySequence(Qt::Key_Slash)},
                 {}},
                [this] { text_->setFocus(); });
    QAction* copied = actions.add(this,
                                  {QStringLiteral("edit.copy"),
                                   tr("&Copy Lines"),
                                   tr("Copy the selected lines of the log"),
                                   {QKeySequence(QKeySequence::Copy)},
                                   QStringLiteral("edit-copy")},
                                  [this] { copy(); });
    QAction* full = actions.add(view_,
                                {QStringLiteral("run.log.full-line"),
                                 tr("Show Full &Line"),
                                 tr("Show the whole of a long line"),
                                 {QKeySequence(Qt::Key_Return)},
                                 {}},
                                [this] { showFullLine(); });
    view_->setContextMenuPolicy(Qt::ActionsContextMenu);
    view_->addAction(copied);
    connect(view_, &QTableView::doubleClicked, full, &QAction::trigger);
  }

  bool loaded() const override { return model_ != nullptr && (model_->indexed() || model_->missing()); }

 protected:
  void showEvent(QShowEvent* event) override {
    RunTab::showEvent(event);
    if (model_ == nullptr) open();
    followChanged();
  }
  void hideEvent(QHideEvent* event) override {
    if (model_ != nullptr) model_->setFollowing(false);
    RunTab::hideEvent(event);
  }

 private:
  // Only when somebody looks: a log may be large.
  void open() {
    const bool fold = QFileInfo(data().logPath()).size() <= fold_at_most_bytes;
    {
      const QSignalBlocker quiet(fold_);
      fold_->setChecked(fold);
    }
    model_ = new LogModel(data().logPath(), this);
    connect(model_, &LogModel::stateChanged, this, &LogTab::stateChanged);
    LogFilter filter;
    filter.fold = fold;
    model_->setFilter(filter);
    view_->setModel(model_);
    view_->setColumnWidth(LogModel::time_column, view_->fontMetrics().horizontalAdvance(QStringLiteral("00:00:00.000  ")) + 12);
    view_->setColumnWidth(LogModel::rank_column, view_->fontMetrics().horizontalAdvance(QStringLiteral("Rank 0 ")) + 12);
    view_->setColumnWidth(LogModel::level_column, view_->fontMetrics().horizontalAdvance(QStringLiteral("information ")) + 12);
    connect(model_, &QAbstractItemModel::rowsInserted, this, &LogTab::follow);
    connect(model_, &QAbstractItemModel::modelReset, this, &LogTab::follow);
    applyFilter();
    stateChanged();
  }

  void update() {
    for (int rank = rank_->count() - 1; rank < snapshot().run.workers + snapshot().run.servers; ++rank)
      rank_->addItem(tr("rank %1").arg(rank), rank);
    if (isVisible()) followChanged();
  }

  void applyFilter() {
    if (model_ == nullptr) return;
    model_->setFilter(
        {rank_->currentData().toInt(), static_cast<LogLevel>(level_->currentData().toInt()), text_->text(), fold_->isChecked()});
  }

  void followChanged() {
    if (model_ == nullptr) return;
    model_->setFollowing(isVisible() && data().active());
    if (!data().active()) model_->poll();
    if (follow_->isChecked()) follow();
  }
  void follow() {
    if (follow_->isChecked() && isVisible()) view_->scrollToBottom();
  }

  void stateChanged() {
    const bool any = model_->rowCount() > 0;
    empty_->setText(model_->missing()     ? tr("This run has no log: its folder is gone, or it was launched by something else.")
                    : model_->lines() > 0 ? tr("No line matches. %1 lines are hidden by the filter.").arg(format::count(model_->lines()))
                                          : tr("The ranks have written nothing yet."));
    stack_->setCurrentIndex(any ? 0 : 1);
    QString text;
    if (!model_->indexed())
      text = tr("reading %1 · the last %2 lines are shown").arg(format::share(model_->progress())).arg(model_->rowCount());
    else if (model_->filter().lets_all_through() && !model_->filter().fold)
      text = format::counted(model_->lines(), tr("%1 line"), tr("%1 lines"));
    else
      text = tr("%1 of %2 lines").arg(format::count(model_->rowCount()), format::count(model_->lines()));
    if (model_->rowsFull()) text += tr(" · the first %1 matches").arg(format::count(static_cast<std::int64_t>(log_most_rows)));
    if (status_->text() != text) status_->setText(text);
    Q_EMIT loadedChanged();
  }

  void copy() {
    QStringList lines;
    for (const QModelIndex& index : view_->selectionModel() != nullptr ? view_->selectionModel()->selectedRows() : QModelIndexList())
      lines << model_->plainText(index.row());
    if (!lines.isEmpty()) QApplication::clipboard()->setText(lines.join(u'\n'));
  }

  void showFullLine() {
    if (!view_->currentIndex().isValid()) return;
    auto* dialog = new QDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Line of the log"));
    auto* text = new QPlainTextEdit(model_->plainText(view_->currentIndex().row()), dialog);
    text->setReadOnly(true);
    text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    text->setAccessibleName(tr("Line of the log"));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* layout = new QVBoxLayout(dialog);
    layout->addWidget(text);
    layout->addWidget(buttons);
    dialog->resize(640, 260);
    dialog->open();
  }

  QComboBox *rank_, *level_;
  QLineEdit* text_;
  QCheckBox *fold_, *follow_;
  QTableView* view_;
  QLabel *empty_, *status_;
  QStackedLayout* stack_;
  QTimer typing_;
  LogModel* model_ = nullptr;
};

RunTab* make_log_tab(RunContext context, QWidget* parent) { return new LogTab(context, parent); }

}  // namespace syncline::ui

#include "log_tab.moc"

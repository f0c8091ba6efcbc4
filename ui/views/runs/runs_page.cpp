// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/runs/runs_page.h"

#include "engine/metrics/clock.h"
#include "ui/models/editor/examples.h"
#include "ui/models/engine_program.h"
#include "ui/models/palette.h"
#include "ui/models/settings.h"
#include "ui/models/trash_keeper.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/folding_row.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

constexpr std::array<RunsChip, 5> chip_order = {RunsChip::all, RunsChip::running, RunsChip::attention, RunsChip::starred,
                                                RunsChip::archived};
constexpr int filter_delay_ms = 60;  // a burst of keys is one change

QString chip_text(RunsChip chip, int count) {
  switch (chip) {
    case RunsChip::all:
      return RunsPage::tr("&All %1").arg(count);
    case RunsChip::running:
      return RunsPage::tr("Runnin&g %1").arg(count);
    case RunsChip::attention:
      return RunsPage::tr("&Needs attention %1").arg(count);
    case RunsChip::starred:
      return RunsPage::tr("Starre&d %1").arg(count);
    case RunsChip::archived:
      return RunsPage::tr("Arch&ived %1").arg(count);
  }
  return {};
}

QPushButton* button(const QString& text, const QString& name, QWidget* parent) {
  auto* made = new QPushButton(text, parent);
  made->setObjectName(name);
  return made;
}

constexpr int groupings = 8;  // more than there are: a choice of two is one number, which is remembered

}  // namespace

RunsPage::RunsPage(Workbench& bench, QWidget* parent) : Page(bench, parent), model_(bench.store()) {
  setObjectName(QStringLiteral("runs"));
  Settings& settings = bench.settings();
  const QStringList columns = settings.value(QStringLiteral("runs/columns")).toStringList();
  if (!columns.isEmpty()) model_.setColumns(columns);
  table_ = new RunsTable(model_, settings, this);
  details_ = new DetailsStrip(bench.store(), this);
  actions_ = new RunsActions(bench, model_, *table_, this);
  bench.actions().add(
      this,
      {QStringLiteral("runs.filter"),
       tr("&Find\u2026"),
       tr("Type a filter for the runs: words, or conditions such as state:running, loss<0.5 or, by any key of the experiment, "
          "lr>0.03."),
       {QKeySequence(QStringLiteral("Ctrl+F")), QKeySequence(QStringLiteral("/"))},
       QStringLiteral("edit-find")},
      [this] {
        filter_->setFocus();
        filter_->selectAll();
      });
  content_ = new QStackedWidget(this);
  loading_ = new QWidget(content_);
  loading_text_ = new QLabel(tr("Reading the workspace\u2026"), loading_);
  loading_text_->setAlignment(Qt::AlignCenter);
  loading_text_->setWordWrap(true);
  (new QVBoxLayout(loading_))->addWidget(loading_text_);
  list_ = new QWidget(content_);
  auto* list_layout = new QVBoxLayout(list_);
  list_layout->setContentsMargins(0, 0, 0, 0);
  list_layout->setSpacing(4);
  list_layout->addWidget(table_, 1);
  for (QWidget* page : {loading_, list_, empty_ = makeEmpty(), no_match_ = makeNoMatch()}) content_->addWidget(page);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(8, 8, 8, 8);
  layout->setSpacing(6);
  layout->addWidget(makeHead());
  layout->addWidget(content_, 1);
  layout->addWidget(makeWaiting());
  layout->addWidget(details_);
  setTabOrder(filter_, table_->frozenView());
  setTabOrder(table_->frozenView(), table_->scrollingView());

  filter_soon_.setSingleShot(true);
  filter_soon_.setInterval(filter_delay_ms);
  connect(&filter_soon_, &QTimer::timeout, this, [this] { applyFilter(filter_->text()); });
  connect(filter_, &QLineEdit::textChanged, &filter_soon_, qOverload<>(&QTimer::start));
  connect(table_, &RunsTable::opened, actions_, &RunsActions::openCurrent);
  connect(table_, &RunsTable::selectionChanged, this, [this] {
    selected_.clear();
    for (const QModelIndex& index : table_->selectedRows()) selected_ << index.data(RunsModel::id_role).toString();
    updateDetails();
  });
  connect(&model_, &RunsModel::countsChanged, this, &RunsPage::updateChips);
  connect(&model_, &RunsModel::waitingChanged, this, &RunsPage::updateWaiting);
  connect(&model_, &RunsModel::rearranged, this, &RunsPage::updateContent);
  connect(&model_, &RunsModel::snapshotChanged, this, [this] {
    updateContent();
    updateDetails();
    Q_EMIT loadedChanged();
  });
  connect(&model_.details(), &RunsDetails::arrived, this, &RunsPage::updateDetails);
  connect(&model_.details(), &RunsDetails::becameIdle, this, [this] {
    updateContent();
    Q_EMIT loadedChanged();
  });
  connect(details_, &DetailsStrip::open, actions_, &RunsActions::openCurrent);
  connect(details_, &DetailsStrip::checkState, actions_, &RunsActions::checkState);
  connect(details_, &DetailsStrip::openRelated, this, [this](const QString& id) { workbench().openRun(id); });
  connect(details_, &DetailsStrip::loadedChanged, this, &RunsPage::loadedChanged);
  connect(table_->frozenView(), &QTreeView::clicked, this, &RunsPage::toggleStar);
  connect(&bench.store(), &StoreService::opened, &model_, &RunsModel::refresh);
  connect(&bench.store(), &StoreService::openFailed, this, [this](const QString& message) { loading_text_->setText(message); });
  connect(&bench.store(), &StoreService::changed, this, &RunsPage::reloadSavedFilters);

  table_->setSort(settings.value(QStringLiteral("runs/sort"), QStringLiteral("created")).toString(),
                  settings.value(QStringLiteral("runs/descending"), true).toBool());
  grouping_->setCurrentIndex(std::max(0, grouping_->findData(settings.value(QStringLiteral("runs/grouping")))));
  setGrouping();
  connect(grouping_, &QComboBox::currentIndexChanged, this, &RunsPage::setGrouping);
  keepTrash();
  updateChips();
  model_.refresh();
  reloadSavedFilters();
}

// Runs that have been in the trash for long: named first, deleted at a later start.
void RunsPage::keepTrash() {
  constexpr int message_s = 60;
  auto* keeper = new TrashKeeper(workbench().store(), workbench().settings(), this);
  connect(
      &model_, &RunsModel::snapshotChanged, keeper, [keeper] { keeper->look(utc_s()); }, Qt::SingleShotConnection);
  connect(keeper, &TrashKeeper::announced, this, [this](int runs, int days, const QStringList& names) {
    constexpr qsizetype most_named = 3;
    QString who = names.mid(0, most_named).join(QStringLiteral(", "));
    if (names.size() > most_named) who = tr("%1 and %2 more").arg(who).arg(names.size() - most_named);
    workbench().notice(
        tr("%n run(s) will be deleted for good at a later start, after %1 days in the trash: %2.", nullptr, runs).arg(days).arg(who),
        tr("Show &Trash…"),
        [this] {
          if (QAction* show = workbench().actions().find(QStringLiteral("runs.show-trash"))) show->trigger();
        },
        message_s);
  });
  connect(keeper, &TrashKeeper::removed, this, [this](int runs, int days) {
    workbench().notice(tr("Deleted %n run(s) that had been in the trash for more than %1 days.", nullptr, runs).arg(days), {}, {},
                       message_s);
    model_.refresh();
  });
  connect(keeper, &TrashKeeper::failed, this, [this](const QString& sentence) { workbench().notice(sentence, {}, {}, message_s); });
}

QWidget* RunsPage::makeHead() {
  auto* head = new QWidget(this);
  auto* layout = new QVBoxLayout(head);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(6);
  filter_ = new FilterEdit(head);
  filter_->setObjectName(QStringLiteral("runs.filter.text"));
  filter_->setAccessibleName(tr("Filter"));
  filter_->setPlaceholderText(tr("Search or filter, for example: state:running loss<0.5 lr>0.03"));
  filter_->setRows([this] { return model_.snapshot() ? model_.snapshot()->rows : std::vector<RunRowPtr>{}; });
  mistake_ = new QLabel(head);
  mistake_->setObjectName(QStringLiteral("runs.filter.mistake"));
  mistake_->setWordWrap(true);
  mistake_->setTextFormat(Qt::PlainText);
  mistake_->hide();
  layout->addWidget(filter_);
  layout->addWidget(mistake_);

  auto* row = new FoldingRow(head);
  chips_ = new QButtonGroup(this);
  for (std::size_t i = 0; i < chip_order.size(); ++i) {
    auto* chip = new QToolButton(head);
    chip->setObjectName(QStringLiteral("runs.chip.%1").arg(i));
    chip->setCheckable(true);
    chip->setFocusPolicy(Qt::TabFocus);
    chip->setMinimumHeight(26);
    // Bold beside the frame: in some styles a pressed button is hard to tell.
    connect(chip, &QToolButton::toggled, chip, [chip](bool on) {
      QFont font = chip->font();
      font.setBold(on);
      chip->setFont(font);
    });
    chip->setChecked(i == 0);
    chips_->addButton(chip, static_cast<int>(i));
    row->left()->addWidget(chip);
  }
  connect(chips_, &QButtonGroup::idClicked, this, [this](int id) { model_.setChip(chip_order[static_cast<std::size_t>(id)]); });
  auto* label = new QLabel(tr("Group &by:"), head);
  grouping_ = new QComboBox(head);
  grouping_->setObjectName(QStringLiteral("runs.grouping"));
  grouping_->setAccessibleName(tr("Group by"));
  grouping_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  grouping_->setMinimumContentsLength(9);
  const auto choice = [this](const QString& text, RunsGrouping first, RunsGrouping second = RunsGrouping::none) {
    grouping_->addItem(text, int(first) + groupings * int(second));
  };
  using enum RunsGrouping;
  choice(tr("experiment"), experiment);
  choice(tr("strategy"), strategy);
  choice(tr("tag"), tag);
  choice(tr("target"), target);
  choice(tr("nothing"), none);
  choice(tr("strategy, then experiment"), strategy, experiment);
  choice(tr("strategy, then target"), strategy, target);
  choice(tr("tag, then experiment"), tag, experiment);
  choice(tr("tag, then strategy"), tag, strategy);
  choice(tr("target, then experiment"), target, experiment);
  choice(tr("target, then strategy"), target, strategy);
  grouping_->view()->setMinimumWidth(grouping_->fontMetrics().horizontalAdvance(tr("strategy, then experiment")) + 40);
  label->setBuddy(grouping_);
  row->right()->addWidget(label);
  row->right()->addWidget(grouping_);
  auto* columns = button(tr("Colu&mns\u2026"), QStringLiteral("runs.columns.open"), head);
  connect(columns, &QPushButton::clicked, this, &RunsPage::chooseColumns);
  row->right()->addWidget(columns);
  saved_button_ = new QToolButton(head);
  saved_button_->setObjectName(QStringLiteral("runs.filters"));
  saved_button_->setText(tr("Saved Fi&lters"));
  saved_button_->setPopupMode(QToolButton::InstantPopup);
  saved_button_->setFocusPolicy(Qt::TabFocus);
  saved_button_->setMinimumHeight(26);
  saved_menu_ = new QMenu(saved_button_);
  saved_button_->setMenu(saved_menu_);
  connect(saved_menu_, &QMenu::aboutToShow, this, [this] {
    for (QAction* action : saved_menu_->actions()) {
      if (action->objectName() == u"runs.filters.save") action->setEnabled(!model_.filter().isEmpty());
    }
  });
  row->right()->addWidget(saved_button_);
  layout->addWidget(row);
  return head;
}

QWidget* RunsPage::makeEmpty() {
  auto* page = new QWidget(content_);
  page->setObjectName(QStringLiteral("runs.empty"));
  auto* layout = new QVBoxLayout(page);
  auto* text = new QLabel(tr("Nothing has run in this workspace yet."), page);
  text->setObjectName(QStringLiteral("runs.empty.text"));
  text->setAlignment(Qt::AlignCenter);
  auto* more = new QLabel(tr("The demo trains LeNet on Fashion-MNIST with two workers on this computer and shows it live."), page);
  more->setAlignment(Qt::AlignCenter);
  more->setWordWrap(true);
  more->setEnabled(false);
  demo_ = button(tr("R&un the Two-Minute Demo"), QStringLiteral("runs.empty.demo"), page);
  auto* recipe = button(tr("Open a Rec&ipe"), QStringLiteral("runs.empty.recipe"), page);
  auto* fresh = button(tr("New E&xperiment\u2026"), QStringLiteral("runs.empty.new"), page);
  connect(demo_, &QPushButton::clicked, this, &RunsPage::runDemo);
  connect(recipe, &QPushButton::clicked, this, [this] { workbench().show(Place::recipes); });
  connect(fresh, &QPushButton::clicked, this, [this] {
    if (QAction* action = workbench().actions().find(QStringLiteral("experiment.new"))) {
      action->trigger();
    } else {
      workbench().newDraft({}, {});
    }
  });
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  for (QPushButton* one : {demo_, recipe, fresh}) row->addWidget(one);
  row->addStretch(1);
  layout->addStretch(1);
  layout->addWidget(text);
  layout->addWidget(more);
  layout->addLayout(row);
  layout->addStretch(2);
  return page;
}

QWidget* RunsPage::makeNoMatch() {
  auto* page = new QWidget(content_);
  page->setObjectName(QStringLiteral("runs.no-match"));
  auto* layout = new QVBoxLayout(page);
  no_match_text_ = new QLabel(page);
  no_match_text_->setObjectName(QStringLiteral("runs.no-match.text"));
  no_match_text_->setAlignment(Qt::AlignCenter);
  no_match_text_->setWordWrap(true);
  no_match_text_->setTextFormat(Qt::PlainText);
  auto* clear = button(tr("Clear F&ilter"), QStringLiteral("runs.no-match.clear"), page);
  connect(clear, &QPushButton::clicked, this, [this] {
    chips_->button(0)->setChecked(true);
    model_.setChip(RunsChip::all);
    filter_->clear();
    filter_soon_.stop();
    applyFilter({});
    table_->setFocus();
  });
  layout->addStretch(1);
  layout->addWidget(no_match_text_);
  layout->addWidget(clear, 0, Qt::AlignHCenter);
  layout->addStretch(2);
  return page;
}

QWidget* RunsPage::makeWaiting() {
  auto* strip = new QFrame(this);
  strip->setObjectName(QStringLiteral("runs.waiting"));
  strip->setFrameShape(QFrame::StyledPanel);
  auto* layout = new QHBoxLayout(strip);
  layout->setContentsMargins(8, 2, 8, 2);
  waiting_text_ = new QLabel(strip);
  waiting_text_->setObjectName(QStringLiteral("runs.waiting.text"));
  show_new_ = button(tr("Sho&w"), QStringLiteral("runs.waiting.show"), strip);
  refresh_order_ = button(tr("Re&fresh"), QStringLiteral("runs.waiting.refresh"), strip);
  for (QPushButton* one : {show_new_, refresh_order_}) connect(one, &QPushButton::clicked, &model_, &RunsModel::rearrange);
  layout->addWidget(waiting_text_);
  layout->addWidget(show_new_);
  layout->addWidget(refresh_order_);
  layout->addStretch(1);
  strip->hide();
  waiting_ = strip;
  return strip;
}

bool RunsPage::loaded() const { return model_.loaded() && model_.detailsIdle() && (details_->isHidden() || details_->loaded()); }

void RunsPage::showEvent(QShowEvent* event) {
  Page::showEvent(event);
  model_.setWatched(true);
  if (focusWidget() == nullptr) table_->setFocus();
}

void RunsPage::hideEvent(QHideEvent* event) {
  model_.setWatched(false);
  Page::hideEvent(event);
}

void RunsPage::contextMenuEvent(QContextMenuEvent* event) {
  if (!table_->isVisible()) return;
  QMenu menu(this);
  actions_->fillMenu(menu);
  menu.exec(event->globalPos());
}

void RunsPage::setGrouping() {
  const int choice = grouping_->currentData().toInt();
  workbench().settings().set(QStringLiteral("runs/grouping"), choice);
  grouping_->setToolTip(grouping_->currentText());
  model_.setGrouping(static_cast<RunsGrouping>(choice % groupings), static_cast<RunsGrouping>(choice / groupings));
}

void RunsPage::applyFilter(const QString& expression) {
  const auto mistake = model_.setFilter(expression);
  filter_->setMistake(mistake);
  mistake_->setVisible(mistake.has_value());
  if (mistake) {
    mistake_->setText(tr("%1. The last filter without a mistake stays in force.").arg(mistake->message));
    QPalette colours = palette();
    colours.setColor(QPalette::WindowText, palette::status(palette::Status::bad, palette::isDark(palette())));
    mistake_->setPalette(colours);
  }
}

void RunsPage::updateChips() {
  for (std::size_t i = 0; i < chip_order.size(); ++i) {
    const int count = model_.countOf(chip_order[i]);
    QAbstractButton* chip = chips_->button(static_cast<int>(i));
    chip->setText(chip_text(chip_order[i], count));
    if (chip_order[i] == RunsChip::archived) chip->setVisible(count > 0 || chip->isChecked());
  }
}

void RunsPage::updateWaiting() {
  const int fresh = model_.newRuns();
  const bool stale = model_.orderChanged();
  waiting_->setVisible(fresh > 0 || stale);
  show_new_->setVisible(fresh > 0);
  refresh_order_->setVisible(fresh == 0);
  QStringList parts;
  if (fresh > 0) parts << (fresh == 1 ? tr("1 new run") : tr("%1 new runs").arg(fresh));
  if (stale) parts << tr("order changed");
  waiting_text_->setText(parts.join(QStringLiteral(", ")));
}

void RunsPage::updateContent() {
  const int all = model_.snapshot() ? static_cast<int>(model_.snapshot()->rows.size()) : 0;
  QWidget* wanted = !model_.loaded() ? loading_ : all == 0 ? empty_ : model_.rowCount() == 0 ? no_match_ : list_;
  if (wanted == no_match_) {
    const QString filter = model_.filter();
    no_match_text_->setText(!model_.detailsIdle() ? tr("Reading the runs\u2026")
                            : filter.isEmpty()    ? tr("No run is in this list. %n run(s) are hidden by it.", nullptr, all)
                                                  : tr("No run matches %1. %2 runs are hidden by the filter.").arg(filter).arg(all));
  }
  if (wanted == empty_) {
    const int trashed = static_cast<int>(model_.snapshot()->trashed.size());
    auto* text = empty_->findChild<QLabel*>(QStringLiteral("runs.empty.text"));
    text->setText(trashed == 0 ? tr("Nothing has run in this workspace yet.")
                               : tr("No run is in this list; the trash has %n run(s).", nullptr, trashed));
  }
  if (content_->currentWidget() != wanted) content_->setCurrentWidget(wanted);
  // A row that went into a group, or out of one, is another row now; what was selected of it stays selected.
  if (!selected_.isEmpty() && table_->selectedRows().isEmpty()) {
    QStringList ids;
    for (const QString& id : std::as_const(selected_)) {
      ids << id << QStringLiteral("r:") + id.section(u'/', -1).remove(QStringLiteral("r:"));
    }
    table_->select(ids);
  }
  updateDetails();
}

void RunsPage::updateDetails() {
  const std::vector<RunRowPtr> rows = table_->selectedRuns();
  if (rows.empty() || content_->currentWidget() != list_) {
    details_->show(nullptr, nullptr, 0);
    return;
  }
  const auto current = model_.runsAt({table_->current().isValid() ? table_->current() : table_->selectedRows().front()});
  const bool is_selected = !current.empty() && std::find(rows.begin(), rows.end(), current.front()) != rows.end();
  const RunRowPtr row = is_selected ? current.front() : rows.front();
  details_->show(row, model_.details().find(row->info.id), static_cast<int>(rows.size()) - 1);
}

void RunsPage::toggleStar(const QModelIndex& index) {
  if (model_.columns()[static_cast<std::size_t>(index.column())].id != u"star") return;
  const auto rows = model_.runsAt({index});
  actions_->star(rows, !std::all_of(rows.begin(), rows.end(), [](const RunRowPtr& row) { return row->info.starred; }));
}

void RunsPage::runDemo() {
  const QString file = resource_folder(QStringLiteral("experiments")) + QStringLiteral("/quickstart.toml");
  if (!QFileInfo(file).isFile()) {
    workbench().notice(tr("The demo's experiment quickstart.toml is not beside this program."));
    return;
  }
  demo_->setEnabled(false);
  QTimer::singleShot(5000, demo_, [this] { demo_->setEnabled(true); });
  actions_->launch({QStringLiteral("launch"), file, QStringLiteral("--on"), QStringLiteral("local"), QStringLiteral("--detach")},
                   tr("Demo"));
}

Page* make_runs_page(Workbench& workbench) { return new RunsPage(workbench); }

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/timeline_tab.h"

#include <QHeaderView>
#include <QMenu>
#include <QSaveFile>
#include <QSplitter>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "engine/metrics/statistics.h"
#include "ui/models/format.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/file_dialog.h"

namespace syncline::ui {

namespace {

constexpr int read_after_ms = 60, index_every_ms = 2000, table_after_ms = 150;
constexpr int steps_at_first = 2;
constexpr double standing_out = 1.1;  // a step that is slower, or more exposed, than so many medians

}  // namespace

TimelineTab::TimelineTab(RunContext of, RunActions& actions, QWidget* parent)
    : RunTab(of, QStringLiteral("run.timeline"), parent), actions_(actions) {
  content_ = new QWidget(this);
  view_ = new TimelineView(content_);
  view_->setObjectName(QStringLiteral("run.timeline.view"));
  height_ = new QComboBox(content_);
  height_->setObjectName(QStringLiteral("run.timeline.height"));
  height_->setAccessibleName(tr("Height of the rows"));
  height_->addItems({tr("compact"), tr("normal"), tr("tall")});
  height_->setCurrentIndex(1);
  order_ = new QComboBox(content_);
  order_->setObjectName(QStringLiteral("run.timeline.order"));
  order_->setAccessibleName(tr("Order of the ranks"));
  order_->addItems({tr("by rank"), tr("by exposed")});
  for (QComboBox* box : {height_, order_}) {  // the row of buttons has to fit into a narrow window
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(6);
    box->setToolTip(box->accessibleName());
  }
  find_ = new QLineEdit(content_);
  find_->setObjectName(QStringLiteral("run.timeline.find"));
  find_->setAccessibleName(tr("Event to look for"));
  find_->setPlaceholderText(tr("Find event"));
  find_->setClearButtonEnabled(true);
  find_->setMaximumWidth(180);
  clock_ = new QLabel(content_);
  clock_->setObjectName(QStringLiteral("run.timeline.clocks"));
  clock_->setAccessibleName(tr("Uncertainty of the clocks"));
  clock_->setToolTip(
      tr("How far the clocks of two ranks may be apart after alignment; nothing is ordered or measured across ranks below it"));
  details_ = new QLabel(content_);
  details_->setObjectName(QStringLiteral("run.timeline.details"));
  details_->setAccessibleName(tr("Selected event"));
  details_->setTextFormat(Qt::PlainText);
  details_->setWordWrap(true);
  details_->setMinimumHeight(details_->fontMetrics().height());
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  note_ = new QLabel(content_);
  note_->setObjectName(QStringLiteral("run.timeline.note"));
  note_->setWordWrap(true);  // it may be as long as the rule by which steps are traced
  note_->setAlignment(Qt::AlignRight | Qt::AlignTop);
  model_ = new TimelineTable(this);
  table_ = new QTableView(content_);
  table_->setObjectName(QStringLiteral("run.timeline.events"));
  table_->setAccessibleName(tr("Events in the visible part"));
  table_->setModel(model_);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAlternatingRowColors(true);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setSectionResizeMode(TimelineTable::event_column, QHeaderView::Stretch);
  table_->hide();
  addActions();

  auto* top = new QHBoxLayout;
  for (QAction* action : jumps_) {
    auto* button = new QToolButton(content_);
    button->setDefaultAction(action);
    button->setFocusPolicy(Qt::StrongFocus);
    top->addWidget(button);
  }
  top->addWidget(find_);
  top->addWidget(height_);
  top->addWidget(order_);
  top->addStretch(1);
  top->addWidget(clock_);
  auto* more = new QToolButton(content_);
  more->setText(QStringLiteral("⋯"));
  more->setAccessibleName(tr("More about the timeline"));
  more->setToolTip(more->accessibleName());
  more->setPopupMode(QToolButton::InstantPopup);
  more->setMinimumSize(28, 24);
  auto* menu = new QMenu(more);
  menu->addAction(as_table_);
  menu->addAction(peers_);
  menu->addAction(mark_);
  menu->addSeparator();
  for (QAction* action : {pin_, collapse_, collapse_all_}) menu->addAction(action);
  menu->addSeparator();
  menu->addAction(actions_.trace);
  menu->addSeparator();
  menu->addAction(export_json_);
  menu->addAction(export_picture_);
  more->setMenu(menu);
  top->addWidget(more);
  auto* splitter = new QSplitter(Qt::Vertical, content_);
  splitter->setChildrenCollapsible(false);
  splitter->addWidget(view_);
  splitter->addWidget(table_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  auto* bottom = new QHBoxLayout;
  bottom->addWidget(details_, 3);
  bottom->addWidget(note_, 2);
  auto* column = new QVBoxLayout(content_);
  column->setContentsMargins(8, 6, 8, 6);  // a stacked layout has none of its own
  column->addLayout(top);
  column->addWidget(splitter, 1);
  column->addLayout(bottom);

  auto* empty = new QWidget(this);
  empty_text_ = new QLabel(empty);
  empty_text_->setAlignment(Qt::AlignCenter);
  empty_text_->setWordWrap(true);
  auto* trace = new QToolButton(empty);
  trace->setDefaultAction(actions_.trace);
  trace->setFocusPolicy(Qt::StrongFocus);
  auto* middle = new QVBoxLayout(empty);
  middle->addStretch(1);
  middle->addWidget(empty_text_);
  middle->addWidget(trace, 0, Qt::AlignCenter);
  middle->addStretch(2);
  stack_ = new QStackedLayout(this);
  stack_->addWidget(empty);
  stack_->addWidget(content_);

  soon_.setSingleShot(true);
  soon_.setInterval(read_after_ms);
  connect(&soon_, &QTimer::timeout, this, &TimelineTab::readRange);
  table_later_.setSingleShot(true);
  table_later_.setInterval(table_after_ms);
  connect(&table_later_, &QTimer::timeout, this, [this] {
    if (table_->isVisible()) model_->show(view_->timeline(), view_->from(), view_->to());
  });
  index_later_.setSingleShot(true);
  index_later_.setInterval(index_every_ms);
  connect(&index_later_, &QTimer::timeout, this, &TimelineTab::readIndex);
  connect(&data(), &RunData::seriesGrew, this, [this] {
    if (!index_later_.isActive()) index_later_.start();
  });
  connect(&data(), &RunData::changed, this, [this] {
    if (!loaded_) readIndex();
  });
  connect(view_, &TimelineView::rangeChanged, this, &TimelineTab::showRange);
  connect(view_, &TimelineView::selectionChanged, this, &TimelineTab::showDetails);
  connect(view_, &TimelineView::markChanged, this, &TimelineTab::showDetails);
  connect(height_, &QComboBox::currentIndexChanged, this,
          [this](int index) { view_->setLaneHeight(static_cast<TimelineView::Height>(index)); });
  connect(order_, &QComboBox::currentIndexChanged, this, &TimelineTab::sortRanks);
  connect(find_, &QLineEdit::returnPressed, this, [this] { find(1); });
  connect(table_, &QTableView::activated, this, [this](const QModelIndex& index) {
    const TimelineTable::Place place = model_->placeOf(index.row());
    view_->select({place.lane, place.event}, true);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& index) {
    const TimelineTable::Place place = model_->placeOf(index.row());
    if (place.lane >= 0) view_->select({place.lane, place.event}, true);
  });
}

void TimelineTab::addActions() {
  ActionRegistry& actions = context().workbench.actions();
  const auto on_view = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys,
                           const std::function<void()>& act) {
    return actions.add(view_, {QString::fromLatin1(id), text, help, keys, {}}, act);
  };
  on_view("run.timeline.zoom-in", tr("Zoom &In"), tr("See less time, larger"), {QKeySequence(Qt::Key_W), QKeySequence(Qt::Key_Plus)},
          [this] { view_->zoom(1.5, middle()); });
  on_view("run.timeline.zoom-out", tr("Zoom &Out"), tr("See more time"), {QKeySequence(Qt::Key_S), QKeySequence(Qt::Key_Minus)},
          [this] { view_->zoom(1 / 1.5, middle()); });
  on_view("run.timeline.pan-left", tr("Pan &Left"), tr("Move to earlier time"), {QKeySequence(Qt::Key_A)}, [this] { view_->pan(-0.2); });
  on_view("run.timeline.pan-right", tr("Pan &Right"), tr("Move to later time"), {QKeySequence(Qt::Key_D)}, [this] { view_->pan(0.2); });
  on_view("run.timeline.zoom-event", tr("Zoom to &Event"), tr("See the selected event as large as possible"),
          {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)}, [this] { view_->zoomToSelection(); });
  mark_ = on_view("run.timeline.mark", tr("&Mark Range"),
                  tr("Where the range begins, then where it ends, then none; Shift and drag does it too"), {QKeySequence(Qt::Key_M)},
                  [this] { markRange(); });
  pin_ = on_view("run.timeline.pin", tr("Pin Ran&k"), tr("Keep the rank of the selected event above the others, or let it go"),
                 {QKeySequence(Qt::Key_K)}, [this] { forRank([this](int rank) { view_->setPinned(rank, !view_->pinned(rank)); }); });
  collapse_ =
      on_view("run.timeline.collapse", tr("&Collapse Rank"), tr("One row for the rank of the selected event, or all of its rows"),
              {QKeySequence(Qt::Key_C)}, [this] { forRank([this](int rank) { view_->setCollapsed(rank, !view_->collapsed(rank)); }); });
  collapse_all_ = on_view("run.timeline.collapse-all", tr("Collapse All &Ranks"), tr("One row for each rank, or all of their rows"),
                          {QKeySequence(Qt::SHIFT | Qt::Key_C)}, [this] {
                            bool any_open = false;
                            if (const auto& timeline = view_->timeline()) {
                              for (const TimelineLane& lane : timeline->lanes) any_open = any_open || !view_->collapsed(lane.rank);
                            }
                            view_->setAllCollapsed(any_open);
                          });
  const auto on_tab = [&](const char* id, const QString& text, const QString& help, const QList<QKeySequence>& keys,
                          const std::function<void()>& act) {
    return actions.add(this, {QString::fromLatin1(id), text, help, keys, {}}, act);
  };
  on_tab("runs.filter", tr("&Find Event"), tr("Look for an event by a part of its name"),
         {QKeySequence(Qt::Key_Slash), QKeySequence(QKeySequence::Find)}, [this] { find_->setFocus(); });
  find_next_ = on_tab("run.timeline.find-next", tr("Find &Next"), tr("The next event with this name"), {QKeySequence(Qt::Key_F3)},
                      [this] { find(1); });
  find_previous_ = on_tab("run.timeline.find-previous", tr("Find &Previous"), tr("The previous event with this name"),
                          {QKeySequence(Qt::SHIFT | Qt::Key_F3)}, [this] { find(-1); });
  jumps_ = {on_tab("run.timeline.slower-before", tr("⟨ &Slower"), tr("The previous traced step that took longer than the others"), {},
                   [this] { jump(false, -1); }),
            on_tab("run.timeline.slower-after", tr("Slo&wer ⟩"), tr("The next traced step that took longer than the others"), {},
                   [this] { jump(false, 1); }),
            on_tab("run.timeline.exposed-before", tr("⟨ E&xposed"), tr("The previous traced step with more exposed time than the others"),
                   {}, [this] { jump(true, -1); }),
            on_tab("run.timeline.exposed-after", tr("Expose&d ⟩"), tr("The next traced step with more exposed time than the others"), {},
                   [this] { jump(true, 1); })};
  as_table_ = on_tab("run.timeline.table", tr("Show Events as &Table"), tr("List the events of the visible part"),
                     {QKeySequence(Qt::Key_T)}, [this] {
                       table_->setVisible(as_table_->isChecked());
                       if (table_->isVisible()) model_->show(view_->timeline(), view_->from(), view_->to());
                     });
  as_table_->setCheckable(true);
  peers_ = on_tab("run.timeline.peers", tr("Show &Peers"), tr("Zoom so that the same exchange is seen on all ranks"),
                  {QKeySequence(Qt::Key_P)}, [this] { showPeers(); });
  export_json_ = on_tab("run.timeline.export-json", tr("Export Visible Part as &JSON…"),
                        tr("Write what is visible for chrome://tracing and Perfetto"), {}, [this] { exportJson(); });
  export_picture_ = on_tab("run.timeline.export-picture", tr("Export Visible Part as P&icture…"),
                           tr("Write what is visible as PDF, SVG or PNG"), {}, [this] { exportPicture(); });
}

void TimelineTab::showEvent(QShowEvent* event) {
  RunTab::showEvent(event);
  if (data().known()) readIndex();
}

void TimelineTab::readIndex() {
  if (!isVisible() || reading_index_ || !data().known()) return;
  reading_index_ = true;
  data().store().read<TimelineIndex>(
      this, QStringLiteral("timeline-index"), [id = data().id().toStdString()](Reader& reader) { return read_timeline_index(reader, id); },
      [this](const TimelineIndex& index) { takeIndex(index); },
      [this](const QString& message) {
        reading_index_ = false;
        if (index_) return;
        empty_text_->setText(tr("The traces cannot be read: %1").arg(message));
        loaded_ = true;
        Q_EMIT loadedChanged();
      });
}

void TimelineTab::takeIndex(const TimelineIndex& index) {
  reading_index_ = false;
  if (index.steps.empty()) {
    const RunSnapshot& now = snapshot();
    empty_text_->setText(!now.position
                             ? tr("Waiting for the first step. Ranks report: %1 of %2.").arg(now.ranks_reporting).arg(now.run.workers)
                             : tr("Spans were not recorded. Step totals are in Communication."));
    stack_->setCurrentIndex(0);
    loaded_ = now.position.has_value() || !now.active();
    Q_EMIT loadedChanged();
    return;
  }
  stack_->setCurrentIndex(1);
  index_ = std::make_shared<const TimelineIndex>(index);
  view_->setIndex(index_);
  clock_->setText(index_->clock.bound_s() > 0 ? tr("clocks ± %1").arg(format::duration(index_->clock.bound_s())) : tr("one clock"));
  const bool first = !std::exchange(placed_, true);
  if (wanted_) {
    goTo(wanted_->first, wanted_->second);
  } else if (first) {  // in the steady part, where steps are as they mostly are
    const std::size_t last = index_->steps.size() - 1, from = last >= steps_at_first ? std::min<std::size_t>(last - steps_at_first, 10) : 0;
    view_->setRange(index_->steps[from].start_s, index_->steps[std::min(last, from + steps_at_first - 1)].end_s);
  }
  readRange();
}

void TimelineTab::goTo(std::int64_t step, int rank) {
  wanted_ = {step, rank};
  if (!index_ || index_->steps.empty()) return readIndex();
  wanted_.reset();
  auto at = std::upper_bound(index_->steps.begin(), index_->steps.end(), step,
                             [](std::int64_t wanted, const TracedStep& s) { return wanted < s.step; });
  if (at != index_->steps.begin()) --at;
  const double margin = (at->end_s - at->start_s) * 0.05;
  view_->setRange(at->start_s - margin, at->end_s + margin);
  placed_ = true;
  if (rank >= 0) note_->setText(tr("rank %1, step %2").arg(rank).arg(format::count(at->step)));
  view_->setFocus();
}

void TimelineTab::readRange() {
  if (!isVisible() || !index_) return;
  const double span = view_->to() - view_->from();
  const double from = view_->from() - span / 2, to = view_->to() + span / 2;
  data().store().read<Timeline>(
      this, QStringLiteral("timeline"),
      [id = data().id().toStdString(), index = index_, from, to](Reader& reader) { return read_timeline(reader, id, *index, from, to); },
      [this, from, to](const Timeline& timeline) {
        read_from_s_ = from;
        read_to_s_ = to;
        view_->setTimeline(std::make_shared<const Timeline>(timeline));
        sortRanks();
        table_later_.start();
        loaded_ = true;
        showRange();
        Q_EMIT loadedChanged();
      });
}

void TimelineTab::showRange() {
  if (!index_) return;
  if (view_->from() < read_from_s_ || view_->to() > read_to_s_) soon_.start();
  table_later_.start();
  int seen = 0;
  const double edge = 0.01 * std::min(view_->to() - view_->from(), index_->steps.front().step_s);  // a sliver of a neighbour is not seen
  std::int64_t first = -1, last = -1;
  for (const TracedStep& step : index_->steps) {
    if (std::min(step.end_s, view_->to()) - std::max(step.start_s, view_->from()) < edge) continue;
    ++seen;
    if (first < 0) first = step.step;
    last = step.step;
  }
  const QString tracing = QString::fromStdString(snapshot().run.tracing);
  const QString steps = seen == 0   ? tr("nothing traced here")
                        : seen == 1 ? tr("step %1").arg(format::count(first))
                                    : tr("steps %1–%2").arg(format::count(first), format::count(last));
  note_->setText(tracing.isEmpty() ? steps : tr("%1 · traced: %2; hatched: not traced").arg(steps, tracing));
}

void TimelineTab::showDetails() {
  const TimelineView::Place place = view_->selected();
  const TimelineEvent* event = view_->event(place);
  QStringList texts;
  if (const auto& range = view_->mark(); range && view_->timeline()) {
    const RangeMeasure measured = measure(*view_->timeline(), range->first, range->second);
    texts << (range->first == range->second ? tr("The range begins here; M again ends it.") : text_of(measured, false));
    details_->setToolTip(range->first == range->second ? QString() : text_of(measured, true));
  } else {
    details_->setToolTip(QString());
  }
  if (event != nullptr) texts << details_of(*event, view_->timeline()->lanes[static_cast<std::size_t>(place.lane)].rank);
  details_->setText(texts.isEmpty() ? tr("Select an event with the pointer or the arrow keys.") : texts.join(u'\n'));
  const QString no_rank = event != nullptr ? QString() : tr("Select an event of the rank");
  for (QAction* action : {pin_, collapse_}) ActionRegistry::setReason(action, no_rank);
  ActionRegistry::setReason(peers_, event != nullptr && event->kind == TimelineKind::exchange ? QString() : tr("Select an exchange"));
}

void TimelineTab::jump(bool exposed, int direction) {
  if (!index_ || index_->steps.empty()) return;
  const auto value = [exposed](const TracedStep& step) { return exposed ? step.exposed_s : step.step_s; };
  std::vector<double> values;
  for (const TracedStep& step : index_->steps) values.push_back(value(step));
  const double limit = standing_out * median(values);
  const TracedStep* found = nullptr;
  for (const TracedStep& step : index_->steps) {
    const bool stands_out = value(step) > limit && value(step) > 0;
    if (!stands_out) continue;
    if (direction > 0 && step.start_s > middle()) {
      found = &step;
      break;
    }
    if (direction < 0 && step.end_s < middle()) found = &step;
  }
  if (found != nullptr)
    goTo(found->step, -1);
  else
    note_->setText(direction > 0 ? tr("no later traced step stands out") : tr("no earlier traced step stands out"));
}

void TimelineTab::find(int direction) {
  const auto& timeline = view_->timeline();
  if (!timeline || find_->text().isEmpty()) return;
  const TimelineEvent* from = view_->event(view_->selected());
  const double at = from != nullptr ? from->start_s : view_->from();
  TimelineView::Place best;
  double best_s = 0;
  for (std::size_t lane = 0; lane < timeline->lanes.size(); ++lane) {
    const auto& events = timeline->lanes[lane].events;
    for (std::size_t k = 0; k < events.size(); ++k) {
      const double start = events[k].start_s;
      if ((direction > 0 ? start <= at : start >= at) || !events[k].title().contains(find_->text(), Qt::CaseInsensitive)) continue;
      if (best.valid() && (direction > 0 ? start >= best_s : start <= best_s)) continue;
      best = {static_cast<int>(lane), static_cast<int>(k)};
      best_s = start;
    }
  }
  if (!best.valid()) {
    note_->setText(tr("no event with “%1” in what is loaded").arg(find_->text()));
    return;
  }
  view_->select(best, true);
  view_->setFocus();
}

void TimelineTab::showPeers() {
  const TimelineEvent* chosen = view_->event(view_->selected());
  const auto& timeline = view_->timeline();
  if (chosen == nullptr || chosen->kind != TimelineKind::exchange) return;
  double from = chosen->start_s, to = chosen->end_s;
  for (const TimelineLane& lane : timeline->lanes) {
    for (const TimelineEvent& event : lane.events) {
      if (event.kind != TimelineKind::exchange || event.sequence != chosen->sequence) continue;
      from = std::min(from, event.start_s);
      to = std::max(to, event.end_s);
    }
  }
  view_->setRange(from - (to - from) * 0.2, to + (to - from) * 0.2);
}

// From the start of one event to the end of another, or between two places that were in the middle.
void TimelineTab::markRange() {
  const TimelineEvent* chosen = view_->event(view_->selected());
  const auto& before = view_->mark();
  if (before && before->first < before->second) return view_->setMark(std::nullopt);
  if (!before) {
    const double start = chosen != nullptr ? chosen->start_s : middle();
    return view_->setMark(std::pair(start, start));
  }
  const double begin = before->first;
  const double end = chosen == nullptr ? middle() : chosen->start_s < begin ? chosen->start_s : chosen->end_s;
  view_->setMark(end == begin ? std::nullopt : std::optional(std::pair(begin, end)));
}

void TimelineTab::forRank(const std::function<void(int)>& act) {
  if (const int rank = view_->selectedRank(); rank >= 0) act(rank);
}

void TimelineTab::sortRanks() {
  const auto& timeline = view_->timeline();
  if (!timeline) return;
  std::vector<std::pair<double, int>> exposed;
  if (order_->currentIndex() == 1) {
    std::map<int, double> by_rank;
    for (const TimelineLane& lane : timeline->lanes) {
      for (const TimelineEvent& event : lane.events) by_rank[lane.rank] -= event.exposed_s;
    }
    for (const auto& [rank, time] : by_rank) exposed.emplace_back(time, rank);
    std::sort(exposed.begin(), exposed.end());
  }
  std::vector<int> order;
  for (const auto& entry : exposed) order.push_back(entry.second);
  view_->setRankOrder(order);
}

void TimelineTab::exportJson() {
  if (!view_->timeline()) return;
  auto* dialog = new FileDialog(this, tr("Export visible part"), {}, tr("Trace (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(FileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("json"));
  dialog->selectFile(QStringLiteral("timeline.json"));
  connect(dialog, &FileDialog::fileSelected, this, [this](const QString& path) {
    QSaveFile file(path);
    const QByteArray text = chrome_trace(*view_->timeline(), view_->from(), view_->to(), QString::fromStdString(snapshot().run.name));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
      note_->setText(tr("%1 cannot be written: %2").arg(path, file.errorString()));
    else
      note_->setText(tr("written to %1").arg(path));
  });
  dialog->open();
}

void TimelineTab::exportPicture() {
  auto* dialog = new FileDialog(this, tr("Export visible part"), {}, tr("Pictures (*.pdf *.svg *.png)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(FileDialog::AcceptSave);
  dialog->setDefaultSuffix(QStringLiteral("pdf"));
  dialog->selectFile(QStringLiteral("timeline.pdf"));
  connect(dialog, &FileDialog::fileSelected, this, [this](const QString& path) {
    const QString error = view_->savePicture(path);
    note_->setText(error.isEmpty() ? tr("written to %1").arg(path) : error);
  });
  dialog->open();
}

}  // namespace syncline::ui

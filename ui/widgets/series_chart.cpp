// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/series_chart.h"

#include <QDateTime>
#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>

#include "ui/models/settings.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/series_chart_accessible.h"
#include "ui/widgets/series_chart_p.h"

namespace syncline::ui {

namespace {

constexpr int late_ms = 12;           // so long a zoom waits for its data before it is drawn from what is there: a frame is 33 ms
constexpr int throttle_ms = 100;      // between requests while dragging
constexpr double margin_share = 0.5;  // of the view, read on both sides so that dragging shows data at once
constexpr int narrow = 430;           // px, under which the header's choices are in the menu only

QToolButton* make_button(QWidget* parent, const QString& name, const QString& text, const QString& accessible) {
  auto* button = new QToolButton(parent);
  button->setObjectName(name);
  button->setText(text);
  button->setAccessibleName(accessible);
  button->setToolTip(accessible);
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::TabFocus);
  button->setMinimumHeight(24);
  return button;
}

QString shortened(const QString& name) {
  constexpr qsizetype most = 24, half = 11;
  return name.size() <= most ? name : QString(name.left(half) % QChar(0x2026) % name.right(half));
}

QLabel* make_quiet_label(QWidget* parent, const QString& name) {
  auto* label = new QLabel(parent);
  label->setObjectName(name);
  label->setForegroundRole(QPalette::PlaceholderText);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  return label;
}

}  // namespace

SeriesChart::Implementation::Implementation(SeriesChart& chart, ChartGroup& group, const QString& name, const QString& title)
    : chart_(chart), group_(group), group_alive_(&group), name_(name), reading_(std::make_shared<chart::ChartReading>()) {
  install_chart_accessibility();
  state_.title = title;
  state_.dark = palette::isDark(chart.palette());
  when_empty_ = tr("No data yet.");
  build(title);
  addActions();
  buildMenus();
  labelButtons();
  for (QTimer* timer : {&late_, &throttle_}) timer->setSingleShot(true);
  late_.setInterval(late_ms);
  throttle_.setInterval(throttle_ms);
  age_timer_.setInterval(1000);
  settle_.setSingleShot(true);
  settle_.setTimerType(Qt::PreciseTimer);
  drawn_at_.start();
  read_at_.start();
  connect(&settle_, &QTimer::timeout, this, [this] {
    if (new_data_)
      invalidate(false);
    else
      redraw();
  });
  connect(&late_, &QTimer::timeout, this, [this] {
    if (std::exchange(redraw_waits_, false)) plot_->replot(QCustomPlot::rpQueuedReplot);
  });
  connect(&throttle_, &QTimer::timeout, this, [this] {
    if (wanted_) ask();
  });
  connect(&age_timer_, &QTimer::timeout, this, [this] { lookAtAge(); });
  connect(plot_, &ChartPlot::viewChanged, this, &Implementation::viewChanged);
  connect(plot_, &ChartPlot::becameVisible, this, [this] {
    if (wanted_ && !throttle_.isActive()) ask();
  });
  connect(plot_, &ChartPlot::crosshairMoved, this, [this](double x) {
    if (x_series_.isEmpty()) group_.shared().moveCrosshair(this, x);
    plot_->setAccessibleDescription(accessibleText());
  });
  connect(plot_, &ChartPlot::cursorsChanged, this, [this] { showTexts(); });
  connect(plot_, &ChartPlot::menuWanted, this, [this](const QPoint& at) { showMenu(at); });
  connect(plot_, &QCustomPlot::afterReplot, this, [this] {
    counters_.curve_replots = plot_->curveReplots();
    if (!group_alive_) return;
    const int margin = plot_->axisRect()->margins().left();
    if (std::exchange(left_margin_, margin) != margin && !margin_busy_) group_.shared().marginsChanged(this);
  });
  connect(legend_, &ChartLegend::changed, this, [this] {
    if (state_.data && std::all_of(state_.curves.begin(), state_.curves.end(), [&](const CurveSpec& spec) {
          const auto drawn = state_.drawn();
          return std::none_of(drawn.begin(), drawn.end(), [&](const CurveSpec* one) { return one->id == spec.id; }) ||
                 state_.dataOf(spec.id) != nullptr;
        })) {
      plot_->scene().drawCurves();
      plot_->scene().layOut();
      plot_->replot(QCustomPlot::rpQueuedReplot);
      showTexts();
    } else {
      invalidate(true);
    }
  });
  connect(strip_, &LegendStrip::hideToggled, legend_, &ChartLegend::toggleHidden);
  connect(legend_, &ChartLegend::renameWanted, this, [this](const QString& id) { renameRun(id); });
  connect(legend_, &ChartLegend::colourWanted, this, [this](const QString& id) { colourRun(id); });
  connect(legend_, &ChartLegend::liftChanged, this, [this] {
    plot_->scene().drawCurves();
    plot_->replot(QCustomPlot::rpQueuedReplot);
  });
  group_.shared().add(this);
  state_.lower = group_.shared().lower;
  state_.upper = group_.shared().upper;
  plot_->axisRect()->setMarginGroup(QCP::msLeft, group_.shared().margins.get());
  chart_.installEventFilter(this);
  plot_->installEventFilter(this);
  recolour();
}

SeriesChart::Implementation::~Implementation() {
  if (!group_alive_) return;
  group_.shared().remove(this);
  plot_->axisRect()->setMarginGroup(QCP::msLeft, nullptr);
}

void SeriesChart::Implementation::build(const QString& title) {
  auto* outer = new QVBoxLayout(&chart_);
  outer->setContentsMargins(4, 4, 4, 4);
  outer->setSpacing(2);
  auto* header = new QHBoxLayout;
  header->setSpacing(2);
  title_ = new ElidedLabel(title, &chart_);
  title_->setObjectName(QString(name_ % QStringLiteral(".title")));
  title_->setTextFormat(Qt::PlainText);
  QFont bold = title_->font();
  bold.setBold(true);
  title_->setFont(bold);
  title_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  age_ = make_quiet_label(&chart_, QString(name_ % QStringLiteral(".age")));
  age_->setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Preferred);
  header->addWidget(title_, 1);
  header->addWidget(age_);
  follow_chip_ = make_button(&chart_, QString(name_ % QStringLiteral(".follow")), tr("Follow ▶"), tr("Follow the newest data (F)"));
  x_button_ = make_button(&chart_, QString(name_ % QStringLiteral(".x")), {}, tr("Choose the x axis"));
  y_button_ = make_button(&chart_, QString(name_ % QStringLiteral(".y")), {}, tr("Choose the y scale"));
  smooth_button_ = make_button(&chart_, QString(name_ % QStringLiteral(".smoothing")), {}, tr("Choose the smoothing"));
  table_button_ = make_button(&chart_, QString(name_ % QStringLiteral(".table")), QStringLiteral("▦"), tr("Show as table"));
  table_button_->setCheckable(true);
  more_button_ = make_button(&chart_, QString(name_ % QStringLiteral(".more")), QStringLiteral("⋯"), tr("Open the chart's menu"));
  for (QToolButton* button : {follow_chip_, x_button_, y_button_, smooth_button_, table_button_, more_button_}) header->addWidget(button);
  follow_chip_->hide();
  outer->addLayout(header);
  strip_ = new LegendStrip(state_, name_, &chart_);
  strip_->hide();
  outer->addWidget(strip_);
  note_ = new QLabel(&chart_);
  note_->setObjectName(QString(name_ % QStringLiteral(".note")));
  note_->setWordWrap(true);
  note_->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
  note_->hide();
  outer->addWidget(note_);

  auto* splitter = new QSplitter(&chart_);
  splitter->setChildrenCollapsible(false);
  stack_ = new QStackedWidget(splitter);
  plot_ = new ChartPlot(state_, stack_);
  plot_->setObjectName(QString(name_ % QStringLiteral(".plot")));
  plot_->setAccessibleName(title);
  table_page_ = new QWidget(stack_);
  auto* table_layout = new QVBoxLayout(table_page_);
  table_layout->setContentsMargins(0, 0, 0, 0);
  table_ = new QTableView(table_page_);
  table_->setObjectName(QString(name_ % QStringLiteral(".rows")));
  table_->setAccessibleName(tr("%1 as a table").arg(title));
  table_->verticalHeader()->setDefaultSectionSize(std::max(24, table_->fontMetrics().height() + 6));
  table_->horizontalHeader()->setDefaultSectionSize(120);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setTabKeyNavigation(false);
  table_model_ = new ChartTableModel(table_);
  table_->setModel(table_model_);
  table_note_ = make_quiet_label(table_page_, QString(name_ % QStringLiteral(".rows.note")));
  table_layout->addWidget(table_, 1);
  table_layout->addWidget(table_note_);
  empty_ = new QLabel(stack_);
  empty_->setObjectName(QString(name_ % QStringLiteral(".empty")));
  empty_->setAlignment(Qt::AlignCenter);
  empty_->setWordWrap(true);
  empty_->setMargin(16);
  empty_->setForegroundRole(QPalette::PlaceholderText);
  stack_->addWidget(plot_);
  stack_->addWidget(table_page_);
  stack_->addWidget(empty_);
  legend_ = new ChartLegend(state_, name_, splitter);
  splitter->addWidget(stack_);
  splitter->addWidget(legend_);
  splitter->setStretchFactor(0, 1);
  splitter->setStretchFactor(1, 0);
  legend_->setMinimumWidth(140);
  legend_->hide();
  splitter->setSizes({600, 200});
  outer->addWidget(splitter, 1);
  delta_ = make_quiet_label(&chart_, QString(name_ % QStringLiteral(".delta")));
  delta_->setForegroundRole(QPalette::WindowText);
  delta_->setWordWrap(true);
  delta_->hide();
  footer_ = make_quiet_label(&chart_, QString(name_ % QStringLiteral(".footer")));
  footer_->setWordWrap(true);
  footer_->hide();
  outer->addWidget(delta_);
  outer->addWidget(footer_);
  connect(follow_chip_, &QToolButton::clicked, this, [this] { setFollowing(true); });
  connect(table_button_, &QToolButton::toggled, this, [this](bool on) { showTable(on); });
  connect(footer_, &QLabel::linkActivated, this, [this] { showNonFinite(); });
  connect(note_, &QLabel::linkActivated, this, [this] { group_.setXAxis(XAxis::samples); });
}

bool SeriesChart::Implementation::eventFilter(QObject* watched, QEvent* event) {
  if (watched == plot_ && event->type() == QEvent::Resize && state_.data) {
    // Another width shows another number of columns; what is drawn stays until their data is there.
    const int drawn = state_.data->query.pixels / (std::isfinite(state_.data->query.from) ? 2 : 1);
    if (std::abs(columns() - drawn) > drawn / 5) invalidate(false);
  }
  if (watched != &chart_) return false;
  switch (event->type()) {
    case QEvent::PaletteChange:
    case QEvent::FontChange:
    case QEvent::ApplicationPaletteChange:
      recolour();
      break;
    case QEvent::Show:
      // After the layout has given the plot its width.
      QTimer::singleShot(0, this, [this] {
        if (wanted_ && onScreen()) ask();
      });
      age_timer_.start();
      break;
    case QEvent::Hide:
      age_timer_.stop();
      break;
    case QEvent::Resize:
      placeHeader();
      break;
    default:
      break;
  }
  return false;
}

void SeriesChart::Implementation::placeHeader() {
  const bool wide = chart_.width() >= narrow;
  for (QToolButton* button : {x_button_, y_button_, smooth_button_}) button->setVisible(wide);
}

void SeriesChart::Implementation::recolour() {
  state_.dark = palette::isDark(chart_.palette());
  plot_->scene().setColours(chart_.palette(), chart_.font());
  if (state_.data) plot_->scene().drawCurves();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  strip_->curvesChanged();
}

bool SeriesChart::Implementation::onScreen() const {
  return chart_.isVisible() && !chart_.window()->isMinimized() && (!chart_.visibleRegion().isEmpty());
}

void SeriesChart::Implementation::setCurves(const std::vector<CurveSpec>& curves) {
  if (curves == state_.curves) return;
  const auto read_alike = [](const CurveSpec& a, const CurveSpec& b) {
    return a.id == b.id && a.run_ids == b.run_ids && a.series == b.series && a.rank == b.rank;
  };
  const bool same_data = std::equal(curves.begin(), curves.end(), state_.curves.begin(), state_.curves.end(), read_alike);
  state_.curves = curves;
  legend_->refresh();
  if (same_data) {
    // Names and colours: nothing to read.
    plot_->scene().drawCurves();
    plot_->replot(QCustomPlot::rpQueuedReplot);
    showTexts();
  } else {
    invalidate(true);
  }
}

// Pixel columns of the plot, less what the axis and its labels take; known before the first layout.
int SeriesChart::Implementation::columns() const {
  constexpr int labels = 60;
  return std::max(100, plot_->width() - labels);
}

chart::ChartQuery SeriesChart::Implementation::query() const {
  const ChartGroup::Shared& shared = group_.shared();
  chart::ChartQuery query;
  for (const CurveSpec* spec : state_.drawn()) query.curves.push_back({spec->id, spec->run_ids, spec->series, spec->rank});
  // Sorting by value needs the values of all.
  if (legend_->model().sort() != LegendModel::Sort::given || state_.curves.size() <= static_cast<std::size_t>(state_.shown_most)) {
    query.curves.clear();
    for (const CurveSpec& spec : state_.curves) query.curves.push_back({spec.id, spec.run_ids, spec.series, spec.rank});
  }
  query.axis = shared.axis;
  query.align_starts = shared.align_starts;
  const int width = columns();
  query.x_series = x_series_;
  const bool part = state_.zoomed() && x_series_.isEmpty();
  const double size = state_.upper - state_.lower;
  query.from = part ? state_.lower - margin_share * size : nothing;
  query.to = part ? state_.upper + margin_share * size : nothing;
  query.pixels = part ? 2 * width : width;
  query.logarithmic = state_.logarithmic();
  query.smoothing = smoothing();
  query.band = band_;
  return query;
}

void SeriesChart::Implementation::invalidate(bool new_query) {
  if (new_query) fresh_query_ = true;
  const bool was_loaded = loaded();
  wanted_ = true;
  if (onScreen()) ask();
  if (was_loaded != loaded()) Q_EMIT chart_.loadedChanged();
}

void SeriesChart::Implementation::ask() {
  if (asking_) {
    asked_again_ = true;
    return;
  }
  wanted_ = false;
  asked_again_ = false;
  if (state_.curves.empty()) {
    take(std::make_shared<chart::ChartData>());
    return;
  }
  asking_ = true;
  throttle_.start();
  ++counters_.requests;
  const chart::ChartQuery wanted = query();
  using Answer = std::shared_ptr<const chart::ChartData>;
  group_.shared().store.read<Answer>(
      this, QStringLiteral("curves"), [reading = reading_, wanted](Reader& reader) { return reading->read(reader, wanted); },
      [this](const Answer& answer) {
        asking_ = false;
        take(answer);
      },
      [this](const QString& message) {
        asking_ = false;
        empty_->setText(tr("The data cannot be read: %1").arg(message));
        if (!state_.data) stack_->setCurrentWidget(empty_);
        Q_EMIT chart_.loadedChanged();
      });
}

void SeriesChart::Implementation::take(const std::shared_ptr<const chart::ChartData>& answer) {
  state_.data = answer;
  const bool fresh = std::exchange(fresh_query_, false);
  if (fresh) plot_->scene().forgetYRange();
  growth_ = (answer->last_x - read_last_x_) / static_cast<double>(std::max<qint64>(1, read_at_.restart()));
  read_last_x_ = answer->last_x;
  // Following keeps the width that was chosen and moves along with the newest sample.
  if (following_ && state_.zoomed() && std::isfinite(follow_width_) && answer->any() && x_series_.isEmpty()) {
    state_.lower = answer->last_x - follow_width_;
    state_.upper = answer->last_x;
    if (state_.upper > answer->to) wanted_ = true;  // beyond what was read
  }
  chooseUnits();
  if (std::exchange(new_data_, false) && !fresh && !redraw_waits_ && tooLittleToDraw()) {
    if (!settle_.isActive()) settle_.start(settle_ms);
  } else {
    redraw();
  }
  showTexts();
  if (table_button_->isChecked()) readTable();
  if (asked_again_ || wanted_) {
    wanted_ = true;
    if (!throttle_.isActive()) ask();
  }
  Q_EMIT chart_.loadedChanged();
}

void SeriesChart::Implementation::redraw() {
  settle_.stop();
  late_.stop();
  redraw_waits_ = false;
  plot_->scene().drawCurves();
  plot_->scene().layOut();
  counters_.vertices = plot_->scene().vertices();
  drawn_last_x_ = state_.data ? state_.data->last_x : nothing;
  drawn_at_.restart();
  lookAtAge();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

// What has come since the last redraw moves nothing by a pixel.
bool SeriesChart::Implementation::tooLittleToDraw() const {
  const double step = state_.data->last_x - drawn_last_x_, pixel = plot_->xAxis->range().size() / columns();
  return step < pixel && drawn_at_.elapsed() < settle_ms;
}

// At the pace so far, what has been recorded since the last reading moves nothing by a pixel: it is not worth asking for yet.
bool SeriesChart::Implementation::tooLittleToRead() const {
  if (!state_.data || asking_ || wanted_ || !onScreen() || !std::isfinite(growth_)) return false;
  const double expected = growth_ * static_cast<double>(read_at_.elapsed()), pixel = plot_->xAxis->range().size() / columns();
  return expected < pixel && read_at_.elapsed() < settle_ms;
}

void SeriesChart::Implementation::chooseUnits() {
  double x_most = 0, y_most = 0;
  if (state_.data) x_most = std::max(std::abs(state_.data->first_x), std::abs(state_.data->last_x));
  for (const CurveSpec* spec : state_.drawn()) {
    const chart::CurveData* curve = state_.dataOf(spec->id);
    if (curve == nullptr) continue;
    if (curve->best_high) y_most = std::max({y_most, std::abs(*curve->best_high), std::abs(curve->best_low.value_or(0))});
  }
  state_.x_unit = state_.onClock() ? format::Unit{} : format::unitFor(state_.xStoredName(), x_most, state_.x_unit);
  state_.y_unit = format::unitFor(state_.storedName(), y_most, state_.y_unit);
}

void SeriesChart::Implementation::viewChanged(bool dragging) {
  const bool at_right_edge = !state_.zoomed() || (state_.data && state_.upper >= state_.data->last_x);
  follow_width_ = state_.upper - state_.lower;
  if (dragging || !at_right_edge) following_ = following_ && at_right_edge && !dragging;
  if (!state_.zoomed()) following_ = true;
  if (!x_series_.isEmpty()) {
    plot_->replot(QCustomPlot::rpQueuedReplot);  // all of it has been read
    showTexts();
    return;
  }
  if (dragging) {
    plot_->replot(QCustomPlot::rpQueuedReplot);
    wanted_ = true;
    if (!throttle_.isActive() && !asking_) ask();
  } else {
    // One redraw: with the data for this view, or without it if that takes too long.
    redraw_waits_ = true;
    late_.start();
    wanted_ = true;
    ask();
  }
  showTexts();
  group_.shared().moveRange(this, state_.lower, state_.upper, dragging);
}

QString SeriesChart::Implementation::accessibleText() const {
  const QString reading = plot_->readingText();
  return reading.isEmpty() ? state_.description() : QString(state_.description() % QStringLiteral("\n") % reading);
}

void SeriesChart::Implementation::showTitle() {
  title_->setText(state_.title);
  chart_.setAccessibleName(state_.title);
  plot_->setAccessibleName(state_.title);
}

void SeriesChart::Implementation::showTexts() {
  const chart::ChartData* data = state_.data.get();
  const bool any = data != nullptr && data->any();
  legend_->refresh();
  const bool several = state_.curves.size() > 1;
  legend_->setVisible(legend_wanted_ && several && !compact_);
  strip_->setVisible(several && compact_);
  strip_->curvesChanged();
  if (table_button_->isChecked()) {
    stack_->setCurrentWidget(table_page_);
  } else if (any || data == nullptr) {
    stack_->setCurrentWidget(plot_);
  } else {
    const bool no_place = data != nullptr && !data->query.x_series.isEmpty() && !data->curves.empty();
    empty_->setText(no_place ? tr("The chart cannot be drawn over another series: %1.").arg(data->curves.front().why_missing)
                             : when_empty_);
    stack_->setCurrentWidget(empty_);
  }
  showFooter();
  footer_->setVisible(any);  // also when empty: a line that comes and goes would move the plot
  follow_chip_->setVisible(any && x_series_.isEmpty() && state_.zoomed() && !following_ &&
                           std::any_of(data->curves.begin(), data->curves.end(), [](const chart::CurveData& c) { return c.running; }));
  if (any && data->steps_differ && state_.axis() == XAxis::step && data->query.x_series.isEmpty() && several) {
    note_->setText(tr("A step is not the same work for all of these curves. <a href=\"samples\">Use samples</a>"));
    note_->show();
  } else {
    note_->hide();
  }
  if (any && (std::isfinite(state_.cursor_a) || std::isfinite(state_.cursor_b))) {
    QStringList parts;
    if (std::isfinite(state_.cursor_a)) parts.append(tr("A %1").arg(state_.xText(state_.cursor_a)));
    if (std::isfinite(state_.cursor_b)) parts.append(tr("B %1").arg(state_.xText(state_.cursor_b)));
    if (std::isfinite(state_.cursor_a) && std::isfinite(state_.cursor_b)) {
      const double between = state_.cursor_b - state_.cursor_a;
      parts.append(QString(QStringLiteral("Δ ") % state_.xDistance(between)));
      for (const CurveSpec* spec : state_.drawn()) {
        const chart::CurveData* curve = state_.dataOf(spec->id);
        const chart::Reading* a = curve == nullptr ? nullptr : chart::reading_at(*curve, state_.cursor_a);
        const chart::Reading* b = curve == nullptr ? nullptr : chart::reading_at(*curve, state_.cursor_b);
        if (a == nullptr || b == nullptr) continue;
        const double change = b->y - a->y;
        parts.append(QString(shortened(spec->name) % u' ' % (change > 0 ? QStringLiteral("+") : QString()) % state_.valueText(change)));
      }
    }
    delta_->setText(parts.join(QStringLiteral("  │  ")));
    delta_->setToolTip(delta_->text());
    delta_->show();
  } else {
    delta_->hide();
  }
  updateActions();
  chart_.setAccessibleDescription(state_.description());
  plot_->setAccessibleDescription(accessibleText());
}

SeriesChart::SeriesChart(ChartGroup& group, const QString& name, const QString& title, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setAccessibleName(title);
  implementation_ = std::make_unique<Implementation>(*this, group, name, title);
}

SeriesChart::~SeriesChart() { implementation_.reset(); }

void SeriesChart::setTitle(const QString& title) {
  implementation_->state_.title = title;
  implementation_->showTitle();
}

void SeriesChart::setCurves(const std::vector<CurveSpec>& curves) { implementation_->setCurves(curves); }

void SeriesChart::setLogarithmic(bool on) {
  if (implementation_->state_.logarithmic() != on) implementation_->setScale(on ? YScale::log10 : YScale::linear);
}

void SeriesChart::setTarget(std::optional<double> y) {
  if (implementation_->state_.target == y) return;
  implementation_->state_.target = y;
  implementation_->plot_->scene().layOut();
  implementation_->plot_->replot(QCustomPlot::rpQueuedReplot);
}

void SeriesChart::setWhenEmpty(const QString& sentence) {
  implementation_->when_empty_ = sentence;
  implementation_->showTexts();
}

void SeriesChart::setShownMost(int curves) {
  if (implementation_->state_.shown_most == curves) return;
  implementation_->state_.shown_most = curves;
  implementation_->invalidate(true);
}

void SeriesChart::setCompact(bool on) {
  implementation_->compact_ = on;
  implementation_->showTexts();
}

bool SeriesChart::loaded() const { return implementation_->loaded(); }

const SeriesChart::Counters& SeriesChart::counters() const {
  implementation_->counters_.curve_replots = implementation_->plot_->curveReplots();
  implementation_->counters_.overlay_replots = implementation_->plot_->overlayReplots();
  return implementation_->counters_;
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/split_chart.h"

#include <QClipboard>
#include <QHeaderView>
#include <QPainter>
#include <algorithm>

#include "ui/models/chart/chart_table.h"
#include "ui/widgets/chart_actions.h"
#include "ui/widgets/chart_export.h"
#include "ui/widgets/chart_group.h"
#include "ui/widgets/chart_plot.h"
#include "ui/widgets/file_dialog.h"
#include "ui/widgets/plot_frame.h"
#include "ui/widgets/series_chart_accessible.h"
#include "ui/widgets/split_scene.h"
#include "ui/widgets/split_table.h"

namespace syncline::ui {

namespace {

// What each pattern and colour means, wrapped to the width.
class PartLegend : public QWidget {
 public:
  PartLegend(const SplitState& state, QWidget* parent) : QWidget(parent), state_(state) {
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
  }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return place(width, nullptr); }
  QSize sizeHint() const override { return {300, heightForWidth(std::max(200, width()))}; }

 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    place(width(), &painter);
  }

 private:
  int place(int width, QPainter* painter) const {
    const int line = fontMetrics().height() + 4;
    int left = 8, top = 0;
    for (int i = 0; i < step_part_count; ++i) {
      const QString name = part_name(static_cast<StepPart>(i));
      const int needed = 22 + fontMetrics().horizontalAdvance(name) + 12;
      if (left + needed > width && left > 8) {
        left = 8;
        top += line;
      }
      if (painter != nullptr) {
        draw_part_swatch(*painter, QRectF(left, top + 3, 16, line - 6), static_cast<StepPart>(i), state_.dark);
        painter->setPen(palette().color(QPalette::WindowText));
        painter->drawText(QRect(left + 21, top, needed, line), Qt::AlignVCenter | Qt::AlignLeft, name);
      }
      left += needed;
    }
    return top + line;
  }
  const SplitState& state_;
};

}  // namespace

class SplitChart::Implementation : public QObject, public LinkedChart {
  Q_DECLARE_TR_FUNCTIONS(syncline::ui::SplitChart)

 public:
  Implementation(SplitChart& chart, ChartGroup& group, const QString& name, const QString& title);
  ~Implementation() override;
  void setBars(std::vector<SplitBar> bars, bool named, const QString& footer);
  void show();
  void setShare(bool on);
  void recolour();

  void shareXAxis() override {}
  void shareRange(double from, double to) override;
  void shareCrosshair(double x) override {
    if (!split_.named && onScreen()) plot_->setCrosshair(x);
  }
  void shareMargins() override {
    if (onScreen()) plot_->replot(QCustomPlot::rpQueuedReplot);
  }
  void refreshData() override {}
  bool onScreen() const override { return chart_.isVisible() && !chart_.visibleRegion().isEmpty(); }

  QString savePicture(const QString& path, int scale);
  bool eventFilter(QObject*, QEvent*) override;

  SplitChart& chart_;
  ChartGroup& group_;
  QPointer<ChartGroup> group_alive_;
  QString name_, when_empty_, footer_text_;
  SplitState split_;
  ChartState state_;
  ChartPlot* plot_;
  PlotFrame frame_;
  QToolButton* share_button_;
  SplitTable* model_;
  bool margin_told_ = false;

 private:
  void placeY();
  void fillState();
  void addActions();
  int left_margin_ = -1;
};

SplitChart::Implementation::Implementation(SplitChart& chart, ChartGroup& group, const QString& name, const QString& title)
    : chart_(chart),
      group_(group),
      group_alive_(&group),
      name_(name),
      when_empty_(tr("No step has been recorded yet.")),
      frame_(chart, group.shared().actions(), name, title) {
  install_chart_accessibility();
  state_.title = title;
  share_button_ = frame_.addButton(QStringLiteral(".share"), tr("share of step"), tr("Show shares of the step instead of time"));
  share_button_->setCheckable(true);
  frame_.addAbove(new PartLegend(split_, &chart));
  plot_ = new ChartPlot(state_, &frame_.parentOfPlot());
  plot_->readsParts();
  new SplitBars(plot_, split_);
  model_ = new SplitTable(split_, &frame_.table());
  frame_.table().verticalHeader()->hide();
  frame_.setContents(plot_, model_);
  addActions();
  connect(share_button_, &QToolButton::toggled, this, [this](bool on) { setShare(on); });
  connect(plot_, &ChartPlot::menuWanted, this, [this](const QPoint& at) { frame_.showMenu(at); });
  connect(plot_, &ChartPlot::viewChanged, this, [this](bool dragging) {
    placeY();
    plot_->replot(QCustomPlot::rpQueuedReplot);
    if (!split_.named) group_.shared().moveRange(this, state_.lower, state_.upper, dragging);
    if (!dragging) Q_EMIT chart_.rangeChanged();
  });
  connect(plot_, &ChartPlot::crosshairMoved, this, [this](double x) {
    if (!split_.named) group_.shared().moveCrosshair(this, x);
    plot_->setAccessibleDescription(plot_->readingText());
  });
  connect(plot_, &ChartPlot::clicked, this, [this](double x) {
    for (std::size_t i = 0; i < split_.bars.size(); ++i) {
      const double left = split_.bar_x(i) - (split_.named ? split_.bar_width(i) / 2 : 0);
      if (x >= left && x < left + split_.bar_width(i)) Q_EMIT chart_.barClicked(split_.bar_x(i));
    }
  });
  connect(plot_, &QCustomPlot::afterReplot, this, [this] {
    const int margin = plot_->axisRect()->margins().left();
    if (std::exchange(left_margin_, margin) != margin) group_.shared().marginsChanged(this);
  });
  group_.shared().add(this);
  plot_->axisRect()->setMarginGroup(QCP::msLeft, group_.shared().margins.get());
  chart_.installEventFilter(this);
  plot_->installEventFilter(this);
  recolour();
  show();
}

void SplitChart::Implementation::addActions() {
  add_plot_actions(group_.shared().actions(), &chart_, *plot_);
  for (QAction* one : chart_.actions()) {
    if (!ActionRegistry::idOf(one).startsWith(QStringLiteral("chart.cursor"))) frame_.menu().addAction(one);
  }
  QAction* share = frame_.add("chart.share", [this] { share_button_->toggle(); });
  share->setCheckable(true);
  connect(share_button_, &QToolButton::toggled, share, &QAction::setChecked);
  frame_.add("chart.copy-value", [this] { QGuiApplication::clipboard()->setText(plot_->readingText()); });
  frame_.addActions([this](const QString& path, int scale) { return savePicture(path, scale); },
                    [this](chart::TableFormat format) { return model_->asText(format); });
}

SplitChart::Implementation::~Implementation() {
  if (!group_alive_) return;
  group_.shared().remove(this);
  plot_->axisRect()->setMarginGroup(QCP::msLeft, nullptr);
}

bool SplitChart::Implementation::eventFilter(QObject* watched, QEvent* event) {
  if (watched == &chart_ && (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange)) recolour();
  if (watched == plot_ && event->type() == QEvent::Resize) {
    placeY();
    Q_EMIT chart_.rangeChanged();
  }
  return false;
}

void SplitChart::Implementation::recolour() {
  state_.dark = split_.dark = palette::isDark(chart_.palette());
  plot_->scene().setColours(chart_.palette(), chart_.font());
  fillState();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  chart_.update();
}

// The parts as curves without lines: crosshair, keys and descriptions then work as in any chart.
void SplitChart::Implementation::fillState() {
  auto filled = std::make_shared<chart::ChartData>();
  filled->query.axis = split_.named ? XAxis::step : group_.shared().axis;
  state_.curves.clear();
  for (int i = 0; i < step_part_count; ++i) {
    const auto part = static_cast<StepPart>(i);
    CurveSpec spec;
    spec.id = QString::number(i);
    spec.name = part_name(part);
    spec.series = split_.share ? QStringLiteral("part_share") : QStringLiteral("step_s");
    spec.colour = palette::stepPart(i, state_.dark).fill;
    state_.curves.push_back(spec);
    chart::CurveData& curve = filled->curves.emplace_back();
    curve.id = spec.id;
    curve.samples = static_cast<std::int64_t>(split_.bars.size());
    for (std::size_t bar = 0; bar < split_.bars.size(); ++bar) {
      curve.readings.push_back(
          {split_.bar_x(bar) - (split_.named ? 0.5 : 0), split_.shown(split_.bars[bar], part), nothing, nothing, nothing, 1, 1, {}});
    }
  }
  if (!split_.bars.empty()) {
    const std::size_t last = split_.bars.size() - 1;
    filled->first_x = split_.named ? -0.5 : split_.bar_x(0);
    filled->last_x = split_.named ? static_cast<double>(last) + 0.5 : split_.bar_x(last) + split_.bar_width(last);
  }
  state_.data = filled;
  state_.x_unit = format::unitFor(chart::axis_stored_name(state_.axis()), filled->last_x, state_.x_unit);
  state_.y_unit =
      split_.share ? format::Unit{QStringLiteral("%"), 0.01} : format::durationUnit(split_.highest(-HUGE_VAL, HUGE_VAL), state_.y_unit);
  placeY();
}

void SplitChart::Implementation::placeY() {
  plot_->scene().layOut();
  // Bars stand on zero.
  const QCPRange x = plot_->xAxis->range();
  const bool warm_up = !split_.named && std::any_of(split_.bars.begin(), split_.bars.end(),
                                                    [&](const SplitBar& bar) { return bar.warm_up && bar.x < x.upper; });
  constexpr double above = 1.05, words = 20, least_height = 80;  // words: px for "warm-up" above the bars
  const double headroom = split_.share ? 1
                          : warm_up    ? 1 / (1 - words / std::max<double>(least_height, plot_->axisRect()->height()))
                                       : above;
  if (!std::isfinite(state_.y_lower)) plot_->yAxis->setRange(0, split_.highest(x.lower, x.upper) * headroom);
  plot_->scene().setYTitle(split_.share ? tr("share of step (%)") : format::axisTitle(tr("Time"), state_.y_unit), state_.y_unit.text);
  if (!split_.named) return;
  const QSharedPointer<QCPAxisTickerText> ticker(new QCPAxisTickerText);
  constexpr int axis = 70;  // px beside the plot area
  const double room = std::max(60, plot_->width() - axis) / std::max(1.0, x.size());
  for (std::size_t i = 0; i < split_.bars.size(); ++i) {
    const QFontMetricsF metrics(plot_->xAxis->tickLabelFont());
    ticker->addTick(split_.bar_x(i), metrics.elidedText(split_.bars[i].label, Qt::ElideMiddle, std::max(30.0, room - 6)));
  }
  plot_->xAxis->setTicker(ticker);
  plot_->xAxis->setLabel({});
}

void SplitChart::Implementation::setBars(std::vector<SplitBar> bars, bool named, const QString& footer) {
  split_.bars = std::move(bars);
  split_.named = named;
  footer_text_ = footer;
  fillState();
  model_->refresh();
  show();
  plot_->replot(QCustomPlot::rpQueuedReplot);
}

void SplitChart::Implementation::setShare(bool on) {
  if (share_button_->isChecked() != on) {
    share_button_->setChecked(on);
    return;
  }
  split_.share = on;
  state_.y_lower = state_.y_upper = nothing;
  fillState();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  show();
}

void SplitChart::Implementation::show() {
  const bool any = !split_.bars.empty();
  frame_.show(any, when_empty_, footer_text_);
  QStringList parts = {tr("%1, %n bar(s)", nullptr, static_cast<int>(split_.bars.size())).arg(state_.title)};
  if (any) {
    const SplitBar& bar = split_.bars.back();
    parts.append(bar.label.isEmpty() ? tr("the last one") : bar.label);
    for (int i = 0; i < step_part_count; ++i) {
      if (bar.parts_s[static_cast<std::size_t>(i)] <= 0) continue;
      parts.append(QString(part_name(static_cast<StepPart>(i)) % u' ' % format::duration(bar.parts_s[static_cast<std::size_t>(i)])));
    }
  }
  chart_.setAccessibleDescription(parts.join(QStringLiteral("; ")));
}

void SplitChart::Implementation::shareRange(double from, double to) {
  if (split_.named || (from == state_.lower && to == state_.upper)) return;
  state_.lower = from;
  state_.upper = to;
  placeY();
  plot_->replot(QCustomPlot::rpQueuedReplot);
  Q_EMIT chart_.rangeChanged();
}

QString SplitChart::Implementation::savePicture(const QString& path, int scale) {
  ChartState state = state_;
  SplitState split = split_;
  state.dark = split.dark = false;
  state.crosshair = state.cursor_a = state.cursor_b = nothing;
  ChartPlot plot(state, nullptr);
  plot.setAttribute(Qt::WA_DontShowOnScreen);
  new SplitBars(&plot, split);
  QFont font = QApplication::font();
  font.setPixelSize(9);
  plot.scene().setColours(palette::light(), font);
  plot.scene().layOut();
  for (const auto& [to, from] : {std::pair(plot.xAxis, plot_->xAxis), std::pair(plot.yAxis, plot_->yAxis)}) {
    QFont ticks = font;
    ticks.setPixelSize(8);
    to->setRange(from->range());
    to->setTicker(from->ticker());
    to->setLabel(from->label());
    to->setTickLabelFont(ticks);
    to->setLabelFont(ticks);
  }
  return write_picture(path, two_columns, scale, state.title, [&](QPainter& painter) {
    painter.fillRect(QRectF(0, 0, two_columns.width, two_columns.height), palette::background(false));
    painter.setPen(palette::light().color(QPalette::WindowText));
    QFont bold = font;
    bold.setBold(true);
    painter.setFont(bold);
    painter.drawText(QRectF(8, 3, two_columns.width - 16, 14), Qt::AlignLeft | Qt::AlignVCenter, state.title);
    painter.setFont(font);
    double left = 8, top = 19;
    for (int i = 0; i < step_part_count; ++i) {
      const QString name = part_name(static_cast<StepPart>(i));
      const double width = 20 + QFontMetricsF(font).horizontalAdvance(name) + 10;
      if (left + width > two_columns.width) {
        left = 8;
        top += 13;
      }
      draw_part_swatch(painter, QRectF(left, top + 2, 14, 9), static_cast<StepPart>(i), false);
      painter.setPen(palette::light().color(QPalette::WindowText));
      painter.drawText(QRectF(left + 18, top, width, 13), Qt::AlignLeft | Qt::AlignVCenter, name);
      left += width;
    }
    painter.save();
    painter.translate(0, top + 16);
    plot.toPainter(static_cast<QCPPainter*>(&painter), two_columns.width, static_cast<int>(two_columns.height - top - 16 - 14));
    painter.restore();
    painter.setPen(palette::status(palette::Status::muted, false));
    painter.drawText(QRectF(8, two_columns.height - 14, two_columns.width - 16, 13), Qt::AlignLeft | Qt::AlignVCenter, footer_text_);
  });
}

SplitChart::SplitChart(ChartGroup& group, const QString& name, const QString& title, QWidget* parent) : QWidget(parent) {
  setObjectName(name);
  setAccessibleName(title);
  implementation_ = std::make_unique<Implementation>(*this, group, name, title);
}

SplitChart::~SplitChart() { implementation_.reset(); }

void SplitChart::setBars(std::vector<SplitBar> bars, const QString& footer) { implementation_->setBars(std::move(bars), false, footer); }
void SplitChart::setNamedBars(std::vector<SplitBar> bars) { implementation_->setBars(std::move(bars), true, {}); }
void SplitChart::setShare(bool on) { implementation_->setShare(on); }
void SplitChart::setWhenEmpty(const QString& sentence) {
  implementation_->when_empty_ = sentence;
  implementation_->show();
}

int SplitChart::barsWanted() const { return std::clamp(implementation_->plot_->axisRect()->width() / 4, 20, 2000); }
QString SplitChart::savePicture(const QString& path, int scale) { return implementation_->savePicture(path, scale); }
QString SplitChart::saveData(const QString& path) const { return implementation_->frame_.saveData(path); }
int SplitChart::redraws() const { return implementation_->plot_->curveReplots(); }

}  // namespace syncline::ui

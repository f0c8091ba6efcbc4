// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/run/window_choice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <limits>

#include "ui/widgets/chart_group.h"

namespace syncline::ui {

namespace {

constexpr int follow_ms = 1000;
constexpr double everything = std::numeric_limits<double>::quiet_NaN();

double seconds_of(WindowChoice::Kind kind) { return kind == WindowChoice::last_10_s ? 10 : kind == WindowChoice::last_minute ? 60 : 600; }

}  // namespace

WindowChoice::WindowChoice(RunContext context, QWidget* parent) : QWidget(parent), context_(context) {
  kind_ = new QComboBox(this);
  kind_->setObjectName(QStringLiteral("run.communication.window"));
  kind_->setAccessibleName(tr("Part of the run"));
  kind_->setToolTip(tr("What the figures, charts and collectives below are about"));
  kind_->addItems({tr("what is visible"), tr("whole run"), tr("last 10 s"), tr("last minute"), tr("last 10 minutes"), tr("chosen steps")});
  const auto spin = [this](const char* name, const QString& accessible) {
    auto* made = new QSpinBox(this);
    made->setObjectName(QString::fromLatin1(name));
    made->setAccessibleName(accessible);
    made->setRange(0, std::numeric_limits<int>::max());
    made->setKeyboardTracking(false);
    made->setGroupSeparatorShown(true);
    made->setMaximumWidth(made->fontMetrics().horizontalAdvance(QStringLiteral("9,999,999")) + 40);
    made->hide();
    connect(made, &QSpinBox::valueChanged, this, &WindowChoice::read);
    return made;
  };
  from_ = spin("run.communication.window.from", tr("First step"));
  between_ = new QLabel(QStringLiteral("–"), this);
  between_->hide();
  to_ = spin("run.communication.window.to", tr("Last step"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  for (QWidget* one :
       {static_cast<QWidget*>(kind_), static_cast<QWidget*>(from_), static_cast<QWidget*>(between_), static_cast<QWidget*>(to_)})
    row->addWidget(one);
  setFocusProxy(kind_);
  again_.setSingleShot(true);
  again_.setInterval(follow_ms);
  connect(&again_, &QTimer::timeout, this, &WindowChoice::read);
  connect(kind_, &QComboBox::currentIndexChanged, this, &WindowChoice::choose);
  connect(&context_.data, &RunData::seriesGrew, this, &WindowChoice::follow);
  const auto by_hand = [this] {
    if (!applying_ && kind() != visible) kind_->setCurrentIndex(visible);
  };
  connect(&context_.charts, &ChartGroup::rangeChanged, this, by_hand);
  connect(&context_.charts, &ChartGroup::xAxisChanged, this, by_hand);
}

void WindowChoice::choose() {
  const bool by_step = kind() == steps;
  for (QWidget* one : {static_cast<QWidget*>(from_), static_cast<QWidget*>(between_), static_cast<QWidget*>(to_)}) one->setVisible(by_step);
  again_.stop();
  if (kind() == visible) return;
  if (kind() == whole) return show(everything, everything);
  if (by_step && to_->value() == 0 && context_.data.known() && context_.data.snapshot().position) {
    const QSignalBlocker blocker(to_);
    to_->setValue(static_cast<int>(std::min<std::int64_t>(context_.data.snapshot().position->step, to_->maximum())));
  }
  read();
}

// A live run: the newest seconds go along with it.
void WindowChoice::follow() {
  if (kind() >= last_10_s && kind() <= last_10_minutes && isVisible() && !again_.isActive()) again_.start();
}

void WindowChoice::read() {
  if (!context_.data.known() || kind() == visible || kind() == whole) return;
  using Answer = std::optional<StepWindow>;
  context_.data.store().read<Answer>(
      this, QStringLiteral("window"),
      [id = context_.data.id().toStdString(), axis = context_.charts.xAxis(), chosen = kind(), from = from_->value(),
       to = to_->value()](Reader& reader) {
        return chosen == steps ? window_of_steps(reader, id, axis, std::min(from, to), std::max(from, to))
                               : window_of_last(reader, id, axis, seconds_of(chosen));
      },
      [this](const Answer& window) {
        if (!window || kind() == visible || kind() == whole) return;
        // A step's bar needs some width, also where only one is chosen.
        const double margin = context_.charts.xAxis() == XAxis::step ? 0.5 : 0;
        if (window->to_x + margin > window->from_x - margin) show(window->from_x - margin, window->to_x + margin);
      });
}

void WindowChoice::show(double from, double to) {
  applying_ = true;
  context_.charts.shared().moveRange(nullptr, from, to, false);
  applying_ = false;
}

}  // namespace syncline::ui

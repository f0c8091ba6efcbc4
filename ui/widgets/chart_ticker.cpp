// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/chart_ticker.h"

#include <QTimeZone>
#include <cmath>

namespace syncline::ui {

namespace {

QString on_screen(QString text) { return text.replace(u'-', QChar(0x2212)); }

}  // namespace

double UnitTicker::getTickStep(const QCPRange& range) {
  const QCPRange shown(range.lower / unit_.factor, range.upper / unit_.factor);
  step_ = QCPAxisTicker::getTickStep(shown);
  largest_ = std::max(std::abs(shown.lower), std::abs(shown.upper));
  if (whole_) step_ = std::max(1.0, std::round(step_));
  return step_ * unit_.factor;
}

int UnitTicker::getSubTickCount(double step) {
  const int count = QCPAxisTicker::getSubTickCount(step / unit_.factor);
  return whole_ && step_ / (count + 1) < 1 ? 0 : count;
}

QString UnitTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  double value = tick / unit_.factor;
  if (std::abs(value) < step_ * 1e-9) value = 0;
  if (value != 0 && (largest_ >= 1e9 || step_ < 1e-4)) return format::metric(value).replace(QStringLiteral(".000e"), QStringLiteral("e"));
  // As many decimals as the distance of the ticks needs, thousands shortened where that loses nothing.
  const auto shortened = [value](double by, const QString& unit) {
    return on_screen(QString(QLocale().toString(value / by, 'g', 6) % (value == 0 ? QString() : unit)));
  };
  if (step_ >= 1e5 && largest_ >= 1e6 && std::fmod(step_, 1e5) == 0) return shortened(1e6, QStringLiteral(" M"));
  if (step_ >= 100 && largest_ >= 1e4 && std::fmod(step_, 100) == 0) return shortened(1e3, QStringLiteral(" k"));
  const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(step_) + 1e-9)));
  const bool half =
      decimals > 0 ? std::abs(std::remainder(step_, std::pow(10.0, -decimals))) > step_ * 1e-6 : step_ < 10 && step_ != std::round(step_);
  return on_screen(QLocale().toString(value, 'f', decimals + (half ? 1 : 0)));
}

QString UnitLogTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  const double value = tick / unit_.factor;
  if (value != 0 && (std::abs(value) >= 1e5 || std::abs(value) < 1e-3)) {
    return format::metric(value).replace(QStringLiteral(".000e"), QStringLiteral("e"));
  }
  return on_screen(QLocale().toString(value, 'g', 4));
}

ClockTicker::ClockTicker() {
  setDateTimeSpec(Qt::LocalTime);
  setTickCount(4);
}

double ClockTicker::getTickStep(const QCPRange& range) {
  const double size = range.size();
  setDateTimeFormat(size < 3        ? QStringLiteral("HH:mm:ss.zzz")
                    : size < 600    ? QStringLiteral("HH:mm:ss")
                    : size < 86400  ? QStringLiteral("HH:mm")
                    : size < 864000 ? QStringLiteral("MM-dd\nHH:mm")
                                    : QStringLiteral("yyyy-MM-dd"));
  return QCPAxisTickerDateTime::getTickStep(range);
}

}  // namespace syncline::ui

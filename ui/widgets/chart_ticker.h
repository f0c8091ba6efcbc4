// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks at round numbers of the unit shown, written by the shared formatter.
#pragma once

#include "ui/models/format.h"
#include "ui/widgets/plot.h"

namespace syncline::ui {

class UnitTicker : public QCPAxisTicker {
 public:
  void setUnit(const format::Unit& unit) { unit_ = unit; }
  void setWholeNumbers(bool on) { whole_ = on; }  // counts: no ticks between them

 protected:
  double getTickStep(const QCPRange&) override;
  int getSubTickCount(double step) override;
  QString getTickLabel(double tick, const QLocale&, QChar, int) override;

 private:
  format::Unit unit_;
  bool whole_ = false;
  double step_ = 1, largest_ = 1;  // of the range, so that all labels of an axis are written alike
};

class UnitLogTicker : public QCPAxisTickerLog {
 public:
  void setUnit(const format::Unit& unit) { unit_ = unit; }

 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override;

 private:
  format::Unit unit_;
};

// Times of day in the zone of the window, with as much of the date as the range needs.
class ClockTicker : public QCPAxisTickerDateTime {
 public:
  ClockTicker();

 protected:
  double getTickStep(const QCPRange&) override;
};

}  // namespace syncline::ui

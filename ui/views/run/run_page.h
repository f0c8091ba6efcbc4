// SPDX-License-Identifier: GPL-3.0-or-later
// The page of one run, live or finished: header, banners, seven tabs.
#pragma once

#include <QTabWidget>
#include <QVBoxLayout>
#include <map>
#include <set>

#include "ui/views/run/message_strip.h"
#include "ui/views/run/run_header.h"

namespace syncline::ui {

class TimelineTab;

class RunPage : public Page {
  Q_OBJECT

 public:
  RunPage(Workbench&, const QString& run_id, const QString& tab);
  ~RunPage() override;
  QString title() const override;
  QString iconName() const override;
  bool loaded() const override;
  void showTab(const QString&) override;
  QString restoreKey() const override;

 protected:
  void showEvent(QShowEvent*) override;
  void hideEvent(QHideEvent*) override;

 private:
  void update();
  void updateBanners();
  void showStrip(const QString& cause, MessageStrip::Kind, const QString& text, bool with_log, bool with_resume);
  void announce(const QString& before, const QString& now);
  RunTab* current() const;

  RunData data_;
  ChartGroup charts_;
  RunActions actions_;
  RunHeader* header_;
  QVBoxLayout* strips_layout_;
  QTabWidget* tabs_;
  TimelineTab* timeline_;
  QTimer clock_;
  std::map<QString, QPointer<MessageStrip>> strips_;
  std::set<QString> closed_strips_;
  QString failure_, said_title_;
};

}  // namespace syncline::ui

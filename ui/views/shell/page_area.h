// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the window: the places, made when first shown, and the open pages; which one is shown, and the way back.
#pragma once

#include <QMap>
#include <QStackedWidget>
#include <QStringList>
#include <vector>

#include "ui/views/shell/page_factories.h"

namespace syncline::ui {

class NavigationModel;

QString name_of(Place);
std::optional<Place> place_named(const QString&);
QStringList place_names();  // in the order of the navigation

class PageArea : public QStackedWidget {
  Q_OBJECT

 public:
  PageArea(Workbench&, PageFactories, NavigationModel&, QWidget* parent = nullptr);

  Page* current() const;
  int currentId() const;         // of an open page; -1: a place
  QString currentPlace() const;  // empty: an open page
  void showPlace(const QString& name);
  void showOpen(int id);
  void openRun(const QString& run_id, const QString& tab);
  void openComparison(const QStringList& run_ids, const QString& saved_id);
  void openDraft(const QString& saved_id);
  void newDraft(const QString& name, const QString& text, const QString& from_run);
  // "run:ID:timeline", "draft:ID", "compare:saved:ID", "compare:ID,ID", as the pages give them. False: nobody knows this key.
  bool restore(const QString& key);

  // What the workspace says of a run whose page is hidden, and so reads nothing: its icon under Open.
  void setRunState(const QString& run_id, const QString& state);
  // Of the page that is shown, as it is called under Open.
  QString currentTitle() const;

  bool close(int id);  // false: the page wants to stay
  bool closeAll();
  // Open pages in their order; empty keys left out.
  QStringList restoreKeys() const;
  Page* openPage(int id) const { return open_.value(id); }
  QList<int> unsavedIds() const;

  bool canGoBack() const { return at_ > 0; }
  bool canGoForward() const { return at_ + 1 < static_cast<int>(visited_.size()); }
  void back();
  void forward();
  void step(int by);     // next, previous open page
  void stepTab(int by);  // tabs inside the page

 Q_SIGNALS:
  void shown();          // another page is current, or the way back changed
  void titlesChanged();  // of any page: unsaved marks included

 private:
  struct Location {
    QString place;
    int id = -1;
    bool operator==(const Location&) const = default;
  };
  void put(const Location&);  // shows it, without a note in the way back
  void visit(const Location&);
  bool exists(const Location&) const;
  int add(Page*, const QString& key);  // shows it
  int find(const QString& key) const;
  void nameApart();  // pages of one kind with one title get something behind it
  Workbench& workbench_;
  PageFactories factories_;
  NavigationModel& model_;
  QMap<QString, Page*> places_;
  QMap<int, Page*> open_;
  QMap<int, QString> open_keys_;
  std::vector<Location> visited_;
  int at_ = -1;
};

}  // namespace syncline::ui

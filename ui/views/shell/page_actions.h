// SPDX-License-Identifier: GPL-3.0-or-later
// Actions that pages offer, as they stand in menus and on the toolbar: there also while no page offers them, then disabled with the reason.
// A menu entry here forwards to the action of the page that is shown.
#pragma once

#include <QAction>
#include <QMap>
#include <QObject>
#include <functional>
#include <vector>

#include "ui/widgets/actions.h"

namespace syncline::ui {

struct PageActionText {
  ActionText text;        // as it is shown, and its default keys, while no page offers it
  QString reason;         // why it is disabled then
  QStringList also = {};  // ids under which other pages offer what this entry means there
  bool of_focus = false;  // acts on the widget in focus, which hears the keys itself: shown, never bound
  QString in_menu = {};   // shorter words, for a menu whose title says the rest; empty: as offered
};
const std::vector<PageActionText>& page_action_catalogue();
const PageActionText* page_action_text(const QString& id);

class PageActions : public QObject {
  Q_OBJECT

 public:
  explicit PageActions(ActionRegistry&, QObject* parent = nullptr);
  // The entry for a menu; made once per id. `otherwise` acts while no page offers it.
  QAction* entry(const QString& id, std::function<void()> otherwise = {});
  // Whether `otherwise` has anything to act on now, and the entry's words for it; asked with every update.
  struct Standing {
    QString reason;  // why it has not; empty: it has
    QString text;    // empty: the catalogue's
  };
  void follow(const QString& id, std::function<Standing()> standing);
  std::vector<QAction*> entries() const;
  // The action of a page that is shown now; null: none offers it.
  QAction* offered(const QString& id) const;
  void update();  // after another page was shown, before a menu opens, when the focus moved

 private:
  void update(const QString& id, QAction* entry);
  ActionRegistry& registry_;
  QMap<QString, QAction*> entries_;
  QMap<QString, std::function<void()>> otherwise_;
  QMap<QString, std::function<Standing()>> standing_;
  QMap<QString, QMetaObject::Connection> followed_;
};

}  // namespace syncline::ui

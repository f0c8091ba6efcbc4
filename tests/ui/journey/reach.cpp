// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/journey/reach.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QAccessible>
#include <QAction>
#include <QActionGroup>
#include <QButtonGroup>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QMenu>
#include <QSet>
#include <QTabBar>
#include <QToolButton>
#include <QWidgetAction>

namespace syncline::ui {

namespace {

// QObject::receivers is protected; asking needs a class that derives from it.
struct Receivers : QObject {
  static int of(const QObject* object, const char* signal) { return (object->*(&Receivers::receivers))(signal); }
};

QString described(const QObject& object, const QString& text) {
  QStringList names;
  for (const QObject* at = &object; at != nullptr && names.size() < 3; at = at->parent()) {
    if (!at->objectName().isEmpty()) names.prepend(at->objectName());
  }
  return QStringLiteral("%1 \"%2\" (%3)")
      .arg(QString::fromLatin1(object.metaObject()->className()), text, names.join(QStringLiteral(" > ")));
}

bool has_mnemonic(const QString& text) {
  const QString plain = QString(text).remove(QStringLiteral("&&"));
  const auto at = plain.indexOf(u'&');
  return at >= 0 && at + 1 < plain.size();
}

// Menus and groups listen to their actions themselves: that is no answer.
bool answered(const QAction& action) {
  if (action.menu() != nullptr || Receivers::of(&action, SIGNAL(toggled(bool))) > 0) return true;
  int own = action.actionGroup() != nullptr ? 1 : 0;
  for (const QObject* holder : action.associatedObjects()) {
    const bool menu = qobject_cast<const QMenu*>(holder) != nullptr;
    if (menu && Receivers::of(holder, SIGNAL(triggered(QAction*))) > 0) return true;
    own += menu || holder->inherits("QMenuBar") ? 1 : 0;
  }
  return Receivers::of(&action, SIGNAL(triggered(bool))) > own ||
         (action.actionGroup() != nullptr && Receivers::of(action.actionGroup(), SIGNAL(triggered(QAction*))) > 0);
}

bool answered(const QAbstractButton& button) {
  for (const char* signal : {SIGNAL(clicked(bool)), SIGNAL(toggled(bool)), SIGNAL(pressed()), SIGNAL(released())}) {
    if (Receivers::of(&button, signal) > 0) return true;
  }
  if (const auto* tool = qobject_cast<const QToolButton*>(&button)) {
    if (tool->menu() != nullptr) return true;
    if (tool->defaultAction() != nullptr) return answered(*tool->defaultAction());
  }
  const QButtonGroup* group = button.group();
  if (group == nullptr) return false;
  for (const char* signal : {SIGNAL(idClicked(int)), SIGNAL(buttonClicked(QAbstractButton*)), SIGNAL(idToggled(int, bool))}) {
    if (Receivers::of(group, signal) > 0) return true;
  }
  return false;
}

bool tab_stops(const QWidget& widget) { return (widget.focusPolicy() & Qt::TabFocus) != 0; }

// Of Qt's own making, inside a widget that is reached as a whole.
bool built_in(const QWidget& widget) {
  if (widget.objectName().startsWith(QStringLiteral("qt_"))) return true;
  for (const QWidget* at = widget.parentWidget(); at != nullptr; at = at->parentWidget()) {
    if (at->isWindow() && at != widget.window()) break;
    if (qobject_cast<const QTabBar*>(at) != nullptr || qobject_cast<const QLineEdit*>(at) != nullptr ||
        qobject_cast<const QComboBox*>(at) != nullptr || at->inherits("QMenuBar") || at->inherits("QToolBar")) {
      // Of a toolbar only the arrow that shows what does not fit.
      return !at->inherits("QToolBar") || widget.objectName() == QStringLiteral("qt_toolbar_ext_button");
    }
  }
  // The inside of a view, which is reached as its frame; the tabs of docks that lie over each other.
  const auto* area = qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
  if ((area != nullptr && area->viewport() == &widget) ||
      (qobject_cast<const QTabBar*>(&widget) != nullptr && widget.parentWidget() != nullptr &&
       widget.parentWidget()->inherits("QMainWindow")))
    return true;
  // The corner of a table, which selects everything, as Ctrl+A does.
  return widget.parentWidget() != nullptr && widget.parentWidget()->inherits("QTableView");
}

bool heard_by_a_key(const QAbstractButton& button) {
  if (has_mnemonic(button.text()) || !button.shortcut().isEmpty()) return true;
  const auto* tool = qobject_cast<const QToolButton*>(&button);
  return tool != nullptr && tool->defaultAction() != nullptr && !tool->defaultAction()->shortcuts().isEmpty();
}

QString spoken_name(QWidget& widget) {
  QAccessibleInterface* interface = QAccessible::queryAccessibleInterface(&widget);
  if (interface == nullptr) return {};
  if (const QString name = interface->text(QAccessible::Name); !name.trimmed().isEmpty()) return name;
  for (const auto& [other, relation] : interface->relations(QAccessible::Label)) {
    if (other != nullptr && !other->text(QAccessible::Name).isEmpty()) return other->text(QAccessible::Name);
  }
  return {};
}

QSet<QAction*> actions_of(QWidget& root) {
  QSet<QAction*> all;
  const auto take = [&all](const QList<QAction*>& actions) {
    for (QAction* action : actions) {
      if (!action->isSeparator() && qobject_cast<QWidgetAction*>(action) == nullptr) all.insert(action);
    }
  };
  take(root.actions());
  for (QWidget* widget : root.findChildren<QWidget*>()) {
    // An entry that selects in a line edit and the like is Qt's.
    if (qobject_cast<QLineEdit*>(widget) != nullptr || built_in(*widget)) continue;
    take(widget->actions());
  }
  return all;
}

void look_at_actions(QWidget& root, const QSet<QAction*>& actions, QStringList& found) {
  QSet<const QAction*> on_buttons;
  for (const QToolButton* button : root.findChildren<QToolButton*>()) {
    if (tab_stops(*button) && button->defaultAction() != nullptr) on_buttons.insert(button->defaultAction());
  }
  for (const QAction* action : actions) {
    const QString text = action->text().section(u'\t', 0, 0);
    if (text.isEmpty()) continue;                                                   // a place that is filled when its menu opens
    const bool only_text = !action->isEnabled() && action->objectName().isEmpty();  // "none saved yet"
    if (!answered(*action) && !only_text) found << described(*action, text) + QStringLiteral(" is answered by nothing");
    if (!has_mnemonic(text) && action->shortcuts().isEmpty() && !on_buttons.contains(action) && !action->text().contains(u'\t')) {
      // Arrow keys come to every entry of a menu that itself can be opened by keys.
      bool in_menu = false;
      for (const QObject* holder : action->associatedObjects()) in_menu = in_menu || qobject_cast<const QMenu*>(holder) != nullptr;
      if (!in_menu)
        found << described(*action, text) + QStringLiteral(" has neither shortcut nor mnemonic, and no button that Tab stops at");
    }
  }
}

}  // namespace

int looked_at(QWidget& root) {
  int buttons = 0;
  for (const QAbstractButton* button : root.findChildren<QAbstractButton*>()) buttons += button->isVisible() && !built_in(*button) ? 1 : 0;
  return buttons + static_cast<int>(actions_of(root).size());
}

QStringList out_of_reach(QWidget& root) {
  QStringList found;
  look_at_actions(root, actions_of(root), found);
  for (QWidget* widget : root.findChildren<QWidget*>()) {
    if (!widget->isVisible() || built_in(*widget) || widget->window() != root.window()) continue;
    if (const auto* button = qobject_cast<QAbstractButton*>(widget)) {
      const bool of_box = qobject_cast<QDialogButtonBox*>(button->parentWidget()) != nullptr;  // which listens to its buttons
      if (!of_box && !answered(*button)) found << described(*button, button->text()) + QStringLiteral(" is answered by nothing");
      if (!tab_stops(*button) && !heard_by_a_key(*button))
        found << described(*button, button->text()) + QStringLiteral(" has neither shortcut nor mnemonic, and Tab does not stop at it");
    }
    const bool area_without_content = qobject_cast<QAbstractScrollArea*>(widget) != nullptr && widget->inherits("QScrollArea");
    if (tab_stops(*widget) && widget->isEnabled() && !area_without_content && spoken_name(*widget).isEmpty())
      found << described(*widget, {}) + QStringLiteral(" has no name for a screen reader");
  }
  found.removeDuplicates();
  found.sort();
  return found;
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/actions.h"

#include <QApplication>
#include <QWidget>
#include <algorithm>

#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

constexpr const char* id_property = "syncline-id";
constexpr const char* help_property = "syncline-help";

bool is_single_letter(const QKeySequence& keys) {
  if (keys.count() != 1) return false;
  const QKeyCombination combination = keys[0];
  return combination.keyboardModifiers() == Qt::NoModifier && combination.key() >= Qt::Key_A && combination.key() <= Qt::Key_Z;
}

}  // namespace

ActionRegistry::ActionRegistry(QObject* parent) : QObject(parent) {}

QAction* ActionRegistry::add(const ActionText& text, const std::function<void()>& triggered) { return put(nullptr, text, triggered); }

QAction* ActionRegistry::add(QWidget* owner, const ActionText& text, const std::function<void()>& triggered) {
  QAction* action = put(owner, text, triggered);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  owner->addAction(action);
  return action;
}

QAction* ActionRegistry::put(QWidget* owner, const ActionText& text, const std::function<void()>& triggered) {
  auto* action = new QAction(text.text, owner != nullptr ? static_cast<QObject*>(owner) : this);
  action->setProperty(id_property, text.id);
  action->setProperty(help_property, text.help);
  action->setObjectName(text.id);
  action->setToolTip(text.help);
  action->setWhatsThis(text.help);
  if (!text.icon.isEmpty()) action->setIcon(themed_icon(text.icon));
  connect(action, &QAction::triggered, this, [triggered] { triggered(); });
  std::erase_if(entries_, [](const Entry& entry) { return entry.action.isNull(); });
  entries_.push_back({text, action, owner});
  apply(entries_.back());
  Q_EMIT changed();
  return action;
}

void ActionRegistry::apply(Entry& entry) {
  if (!entry.action) return;
  QList<QKeySequence> keys = custom_.value(entry.text.id, entry.text.shortcuts);
  if (!single_letters_) keys.removeIf(is_single_letter);
  entry.action->setShortcuts(keys);
}

QAction* ActionRegistry::find(const QString& id) const {
  QAction* found = nullptr;
  for (const Entry& entry : entries_) {
    if (!entry.action || entry.text.id != id) continue;
    const QWidget* owner = entry.owner;
    if (owner == nullptr) return entry.action;
    const QWidget* focus = QApplication::focusWidget();
    if (focus != nullptr && (focus == owner || owner->isAncestorOf(focus))) return entry.action;
    if (found == nullptr || owner->isVisible()) found = entry.action;
  }
  return found;
}

std::vector<QAction*> ActionRegistry::all() const {
  std::vector<QAction*> visible, hidden;
  for (const Entry& entry : entries_) {
    if (!entry.action) continue;
    (entry.owner.isNull() || entry.owner->isVisible() ? visible : hidden).push_back(entry.action);
  }
  visible.insert(visible.end(), hidden.begin(), hidden.end());
  return visible;
}

QString ActionRegistry::idOf(const QAction* action) { return action->property(id_property).toString(); }

void ActionRegistry::setReason(QAction* action, const QString& reason) {
  action->setEnabled(reason.isEmpty());
  const QString help = action->property(help_property).toString();
  action->setToolTip(reason.isEmpty() ? help : reason);
}

void ActionRegistry::setShortcuts(const QString& id, const QList<QKeySequence>& keys) {
  custom_[id] = keys;
  for (Entry& entry : entries_) {
    if (entry.text.id == id) apply(entry);
  }
  Q_EMIT changed();
}

QList<QKeySequence> ActionRegistry::shortcutsOf(const QString& id, const QList<QKeySequence>& otherwise) const {
  QList<QKeySequence> keys = otherwise;
  for (const Entry& entry : entries_) {
    if (entry.action && entry.text.id == id) keys = entry.text.shortcuts;
  }
  keys = custom_.value(id, keys);
  if (!single_letters_) keys.removeIf(is_single_letter);
  return keys;
}

void ActionRegistry::restoreDefaults(const QString& id) {
  custom_.remove(id);
  for (Entry& entry : entries_) {
    if (entry.text.id == id) apply(entry);
  }
  Q_EMIT changed();
}

QStringList ActionRegistry::conflictsOf(const QString& id, const QKeySequence& keys) const {
  QStringList texts;
  if (keys.isEmpty()) return texts;
  const auto mine = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.text.id == id; });
  for (const Entry& entry : entries_) {
    if (!entry.action || entry.text.id == id || !entry.action->shortcuts().contains(keys)) continue;
    // Actions of two widgets neither of which lies in the other never hear the same key.
    const bool apart = mine != entries_.end() && mine->owner && entry.owner && !mine->owner->isAncestorOf(entry.owner) &&
                       !entry.owner->isAncestorOf(mine->owner) && mine->owner != entry.owner;
    QString text = entry.text.text;
    if (!apart) texts << text.remove(u'&');
  }
  return texts;
}

void ActionRegistry::setSingleLettersEnabled(bool enabled) {
  single_letters_ = enabled;
  for (Entry& entry : entries_) apply(entry);
  Q_EMIT changed();
}

}  // namespace syncline::ui

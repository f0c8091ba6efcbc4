// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/shortcut_editor.h"

#include <QAction>
#include <QFont>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QSortFilterProxyModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/models/format.h"
#include "ui/models/settings.h"
#include "ui/views/shell/page_actions.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

const QString stored_group = QStringLiteral("shortcuts/keys");

QString stored_key(const QString& id) { return QString(stored_group + u'/' + id); }

QString plain(QString text) {
  text = text.section(u'\t', 0, 0);
  return text.remove(u'&');
}

QStringList texts_of(const QList<QKeySequence>& keys) {
  QStringList texts;
  for (const QKeySequence& one : keys) texts << one.toString(QKeySequence::PortableText);
  return texts;
}

}  // namespace

void load_shortcuts(Settings& settings, ActionRegistry& registry) {
  for (const QString& id : settings.keys(stored_group)) {
    QList<QKeySequence> keys;
    for (const QString& text : settings.value(stored_key(id)).toStringList()) {
      const QKeySequence one = QKeySequence::fromString(text, QKeySequence::PortableText);
      if (!one.isEmpty()) keys << one;
    }
    registry.setShortcuts(id, keys);
  }
}

ShortcutsModel::ShortcutsModel(ActionRegistry& registry, Settings& settings, QObject* parent)
    : QAbstractTableModel(parent), registry_(registry), settings_(settings) {
  QSet<QString> seen;
  for (const QAction* action : registry.all()) {
    const QString id = ActionRegistry::idOf(action);
    if (seen.contains(id)) continue;
    seen.insert(id);
    entries_.push_back({id, plain(action->text()), action->whatsThis(), {}});
  }
  for (const PageActionText& one : page_action_catalogue()) {
    if (!one.of_focus && !seen.contains(one.text.id))
      entries_.push_back({one.text.id, plain(one.text.text), one.text.help, one.text.shortcuts});
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const Entry& a, const Entry& b) { return QString::localeAwareCompare(a.name, b.name) < 0; });
}

QList<QKeySequence> ShortcutsModel::keysOf(const QString& id) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&id](const Entry& entry) { return entry.id == id; });
  return registry_.shortcutsOf(id, found == entries_.end() ? QList<QKeySequence>() : found->defaults);
}

bool ShortcutsModel::changedByUser(const QString& id) const { return settings_.value(stored_key(id)).isValid(); }

std::vector<QString> ShortcutsModel::others_with(const QString& id, const QKeySequence& keys) const {
  std::vector<QString> ids;
  if (keys.isEmpty()) return ids;
  for (const Entry& entry : entries_) {
    if (entry.id == id) continue;
    // A beginning of a longer sequence would keep the longer one from ever being heard.
    const QList<QKeySequence> theirs = keysOf(entry.id);
    const bool fights = std::any_of(theirs.begin(), theirs.end(), [&keys](const QKeySequence& one) {
      return one.matches(keys) != QKeySequence::NoMatch || keys.matches(one) != QKeySequence::NoMatch;
    });
    // Where both are there, the registry knows whether their widgets ever hear the same key.
    const bool both_here = registry_.find(id) != nullptr && registry_.find(entry.id) != nullptr;
    if (fights && (!both_here || theirs.contains(keys) == false || registry_.conflictsOf(id, keys).contains(entry.name)))
      ids.push_back(entry.id);
  }
  return ids;
}

QStringList ShortcutsModel::conflicts(const QString& id, const QKeySequence& keys) const {
  QStringList names;
  for (const QString& other : others_with(id, keys)) {
    names << std::find_if(entries_.begin(), entries_.end(), [&other](const Entry& entry) { return entry.id == other; })->name;
  }
  return names;
}

void ShortcutsModel::set(const QString& id, const QList<QKeySequence>& keys) {
  settings_.set(stored_key(id), texts_of(keys));
  registry_.setShortcuts(id, keys);
  refresh();
}

void ShortcutsModel::takeFromOthers(const QString& id, const QKeySequence& keys) {
  for (const QString& other : others_with(id, keys)) {
    QList<QKeySequence> left = keysOf(other);
    left.removeIf([&keys](const QKeySequence& one) {
      return one.matches(keys) != QKeySequence::NoMatch || keys.matches(one) != QKeySequence::NoMatch;
    });
    set(other, left);
  }
  set(id, {keys});
}

void ShortcutsModel::restoreDefault(const QString& id) {
  settings_.remove(stored_key(id));
  registry_.restoreDefaults(id);
  refresh();
}

void ShortcutsModel::restoreAll() {
  for (const QString& id : settings_.keys(stored_group)) restoreDefault(id);
}

void ShortcutsModel::refresh() {
  if (!entries_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
}

int ShortcutsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(entries_.size()); }
int ShortcutsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant ShortcutsModel::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Entry& entry = entries_[static_cast<std::size_t>(at.row())];
  if (role == Qt::ToolTipRole) return entry.help;
  if (role == Qt::FontRole && changedByUser(entry.id)) {
    QFont font;
    font.setBold(true);
    return font;
  }
  if (role != Qt::DisplayRole) return {};
  if (at.column() == action_column) return entry.name;
  QStringList texts;
  for (const QKeySequence& one : keysOf(entry.id)) texts << one.toString(QKeySequence::NativeText);
  return texts.isEmpty() ? format::missing : texts.join(QStringLiteral(", "));
}

QVariant ShortcutsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == action_column ? tr("Action") : tr("Shortcut");
}

ShortcutEditor::ShortcutEditor(ActionRegistry& registry, Settings& settings, QWidget* parent)
    : QWidget(parent),
      model_(new ShortcutsModel(registry, settings, this)),
      shown_(new QSortFilterProxyModel(this)),
      table_(new QTreeView(this)),
      keys_(new QKeySequenceEdit(this)),
      conflict_(new QLabel(this)),
      assign_(new QPushButton(tr("&Assign"), this)),
      take_(new QPushButton(tr("Take It &Over"), this)),
      none_(new QPushButton(tr("&No Shortcut"), this)),
      default_(new QPushButton(tr("&Default"), this)) {
  shown_->setSourceModel(model_);
  shown_->setFilterKeyColumn(-1);
  shown_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  auto* search = new QLineEdit(this);
  search->setObjectName(QStringLiteral("shortcuts.search"));
  search->setPlaceholderText(tr("Part of an action's name, or a key"));
  search->setAccessibleName(tr("Find an action or a key"));
  search->setClearButtonEnabled(true);
  connect(search, &QLineEdit::textChanged, shown_, &QSortFilterProxyModel::setFilterFixedString);
  table_->setObjectName(QStringLiteral("shortcuts.table"));
  table_->setAccessibleName(tr("Actions and their shortcuts"));
  table_->setModel(shown_);
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->header()->setStretchLastSection(true);
  table_->setColumnWidth(ShortcutsModel::action_column, 260);
  keys_->setObjectName(QStringLiteral("shortcuts.keys"));
  keys_->setAccessibleName(tr("New shortcut: press the keys"));
  keys_->setToolTip(tr("Press the keys"));
  conflict_->setObjectName(QStringLiteral("shortcuts.conflict"));
  conflict_->setWordWrap(true);
  assign_->setObjectName(QStringLiteral("shortcuts.assign"));
  take_->setObjectName(QStringLiteral("shortcuts.take"));
  none_->setObjectName(QStringLiteral("shortcuts.none"));
  default_->setObjectName(QStringLiteral("shortcuts.default"));
  take_->hide();

  auto* label = new QLabel(tr("New shortc&ut:"), this);
  label->setBuddy(keys_);
  auto* row = new QHBoxLayout;
  row->addWidget(label);
  row->addWidget(keys_, 1);
  for (QPushButton* button : {assign_, none_, default_}) row->addWidget(button);
  auto* below = new QHBoxLayout;
  below->addWidget(conflict_, 1);
  below->addWidget(take_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(search);
  column->addWidget(table_, 1);
  column->addLayout(row);
  column->addLayout(below);

  connect(table_->selectionModel(), &QItemSelectionModel::currentChanged, this, &ShortcutEditor::show_selected);
  connect(keys_, &QKeySequenceEdit::keySequenceChanged, this, &ShortcutEditor::try_keys);
  connect(assign_, &QPushButton::clicked, this, [this] {
    model_->set(selected(), {keys_->keySequence()});
    show_selected();
  });
  connect(take_, &QPushButton::clicked, this, [this] {
    model_->takeFromOthers(selected(), keys_->keySequence());
    show_selected();
  });
  connect(none_, &QPushButton::clicked, this, [this] {
    model_->set(selected(), {});
    show_selected();
  });
  connect(default_, &QPushButton::clicked, this, [this] {
    model_->restoreDefault(selected());
    show_selected();
  });
  show_selected();
}

QString ShortcutEditor::selected() const {
  const QModelIndex at = shown_->mapToSource(table_->currentIndex());
  return at.isValid() ? model_->idAt(at.row()) : QString();
}

void ShortcutEditor::show_selected() {
  const QString id = selected();
  const QList<QKeySequence> keys = id.isEmpty() ? QList<QKeySequence>() : model_->keysOf(id);
  keys_->setKeySequence(keys.isEmpty() ? QKeySequence() : keys.front());
  keys_->setEnabled(!id.isEmpty());
  none_->setEnabled(!keys.isEmpty());
  default_->setEnabled(!id.isEmpty() && model_->changedByUser(id));
  try_keys();
}

void ShortcutEditor::try_keys() {
  const QString id = selected();
  const QKeySequence keys = keys_->keySequence();
  const bool same = id.isEmpty() || keys.isEmpty() || model_->keysOf(id).contains(keys);
  const QStringList others = same ? QStringList() : model_->conflicts(id, keys);
  conflict_->setText(others.isEmpty()
                         ? QString()
                         : tr("%1 belongs to %2").arg(keys.toString(QKeySequence::NativeText), others.join(QStringLiteral(", "))));
  assign_->setEnabled(!same && others.isEmpty());
  take_->setVisible(!others.isEmpty());
}

void ShortcutEditor::restoreDefaults() {
  model_->restoreAll();
  show_selected();
}

}  // namespace syncline::ui

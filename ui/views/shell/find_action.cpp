// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/find_action.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QSet>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/views/shell/page_actions.h"
#include "ui/widgets/actions.h"

namespace syncline::ui {

namespace {

QString plain(QString text) {
  text = text.section(u'\t', 0, 0);
  return text.remove(u'&');
}

// Name at the left, shortcut at the right, the reason why not in between.
class FoundDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    QSize size = QStyledItemDelegate::sizeHint(option, at);
    size.setHeight(std::max(size.height(), option.fontMetrics.height() + 10));
    return size;
  }

  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& at) const override {
    QStyledItemDelegate::paint(painter, option, at);
    const bool selected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    QColor ink = option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text);
    ink.setAlphaF(0.75F);
    painter->setPen(ink);
    const QString reason = at.data(FoundActions::reason_role).toString();
    QString right = at.data(FoundActions::shortcut_role).toString();
    if (!reason.isEmpty()) right = reason;
    const int name = option.fontMetrics.horizontalAdvance(at.data().toString()) + 48;
    const QRect room = option.rect.adjusted(name, 0, -8, 0);
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter, option.fontMetrics.elidedText(right, Qt::ElideRight, room.width()));
    painter->restore();
  }
};

}  // namespace

FoundActions::FoundActions(ActionRegistry& registry, PageActions& pages, QObject* parent) : QAbstractListModel(parent) {
  QSet<QString> seen;
  const auto put = [&](QAction* action, const QString& id, bool enabled, const QString& shortcut) {
    if (id.isEmpty() || seen.contains(id)) return;
    seen.insert(id);
    all_.push_back({action, plain(action->text()), action->toolTip(), shortcut, enabled});
  };
  const auto keys = [](const QAction* action) { return action->shortcut().toString(QKeySequence::NativeText); };
  for (QAction* action : registry.all()) {
    const auto* owner = qobject_cast<QWidget*>(action->parent());
    if (owner != nullptr && !owner->isVisible()) continue;
    const QString id = ActionRegistry::idOf(action);
    QAction* chosen = registry.find(id);  // of several owners the one that has the focus
    put(chosen != nullptr ? chosen : action, id, (chosen != nullptr ? chosen : action)->isEnabled(), keys(action));
  }
  for (QAction* entry : pages.entries()) {
    // Offered by a page under another name of its own: that one is in the list already.
    if (const QAction* offered = pages.offered(entry->objectName().section(u'.', 1));
        offered != nullptr && seen.contains(ActionRegistry::idOf(offered)))
      continue;
    QString shortcut = entry->text().section(u'\t', 1);
    if (shortcut.isEmpty()) shortcut = keys(entry);
    const QString id = entry->objectName().section(u'.', 1);
    const bool fresh = !seen.contains(id);
    put(entry, id, entry->isEnabled(), shortcut);
    // Here no title of a menu says the rest.
    if (const PageActionText* known = page_action_text(id); fresh && known != nullptr && !known->in_menu.isEmpty())
      all_.back().name = plain(known->text.text);
  }
  std::stable_sort(all_.begin(), all_.end(), [](const Entry& a, const Entry& b) {
    if (a.enabled != b.enabled) return a.enabled;
    return QString::localeAwareCompare(a.name, b.name) < 0;
  });
  find({});
}

void FoundActions::find(const QString& words) {
  beginResetModel();
  found_.clear();
  const QStringList parts = words.split(u' ', Qt::SkipEmptyParts);
  for (const bool in_name : {true, false}) {  // what matches by name comes before what matches by its sentence alone
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const auto has = [&](const QString& text) {
        return std::all_of(parts.begin(), parts.end(), [&](const QString& part) { return text.contains(part, Qt::CaseInsensitive); });
      };
      const bool name = has(all_[i].name);
      if (in_name ? name : !name && has(all_[i].name + u' ' + all_[i].help)) found_.push_back(i);
    }
  }
  endResetModel();
}

QAction* FoundActions::at(int row) const {
  return row < 0 || row >= rowCount() ? nullptr : all_[found_[static_cast<std::size_t>(row)]].action.data();
}

int FoundActions::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(found_.size()); }

QVariant FoundActions::data(const QModelIndex& at, int role) const {
  if (!at.isValid()) return {};
  const Entry& entry = all_[found_[static_cast<std::size_t>(at.row())]];
  switch (role) {
    case Qt::DisplayRole:
      return entry.name;
    case Qt::DecorationRole:
      return entry.action ? QVariant(entry.action->icon()) : QVariant();
    case Qt::ToolTipRole:
      return entry.help;
    case Qt::AccessibleTextRole:
      return entry.shortcut.isEmpty() ? entry.name : tr("%1, %2").arg(entry.name, entry.shortcut);
    case shortcut_role:
      return entry.shortcut;
    case reason_role:
      return entry.enabled ? QString() : entry.help;
    default:
      return {};
  }
}

Qt::ItemFlags FoundActions::flags(const QModelIndex& at) const {
  if (!at.isValid()) return Qt::NoItemFlags;
  return all_[found_[static_cast<std::size_t>(at.row())]].enabled ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemIsSelectable;
}

FindAction::FindAction(ActionRegistry& registry, PageActions& pages, QWidget* parent)
    : QDialog(parent), model_(new FoundActions(registry, pages, this)), words_(new QLineEdit(this)), list_(new QListView(this)) {
  setObjectName(QStringLiteral("find-action"));
  setWindowTitle(tr("Find Action"));
  words_->setObjectName(QStringLiteral("find-action.words"));
  words_->setPlaceholderText(tr("Part of an action's name"));
  words_->setAccessibleName(tr("Part of an action's name"));
  words_->setClearButtonEnabled(true);
  words_->installEventFilter(this);
  list_->setObjectName(QStringLiteral("find-action.list"));
  list_->setAccessibleName(tr("Actions found"));
  list_->setModel(model_);
  list_->setItemDelegate(new FoundDelegate(list_));
  list_->setUniformItemSizes(true);
  list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  auto* column = new QVBoxLayout(this);
  column->addWidget(words_);
  column->addWidget(list_, 1);
  resize(560, 420);
  const auto first = [this] { list_->setCurrentIndex(model_->index(0, 0)); };
  first();
  connect(words_, &QLineEdit::textChanged, this, [this, first](const QString& words) {
    model_->find(words);
    first();
  });
  connect(words_, &QLineEdit::returnPressed, this, [this] { run(list_->currentIndex()); });
  connect(list_, &QListView::activated, this, &FindAction::run);
}

bool FindAction::eventFilter(QObject* watched, QEvent* event) {
  // The arrows walk through the list while the letters stay in the line.
  if (watched == words_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    int row = list_->currentIndex().row();
    if (key == Qt::Key_Down) ++row;
    if (key == Qt::Key_Up) --row;
    if (key == Qt::Key_PageDown) row += 10;
    if (key == Qt::Key_PageUp) row -= 10;
    if (row != list_->currentIndex().row()) {
      list_->setCurrentIndex(model_->index(std::clamp(row, 0, std::max(0, model_->rowCount() - 1)), 0));
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

void FindAction::run(const QModelIndex& at) {
  const QPointer<QAction> action = model_->at(at.row());
  if (!action || !at.flags().testFlag(Qt::ItemIsEnabled)) return;
  accept();
  // After this dialog has gone, so that the focus is back where it was and the action sees it.
  QTimer::singleShot(0, qApp, [action] {
    if (action) action->trigger();
  });
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Saved drafts: experiments being edited, not launched.
#include <set>

#include "engine/experiment/text_edit.h"
#include "engine/metrics/clock.h"
#include "engine/store/saved.h"
#include "ui/models/format.h"
#include "ui/widgets/actions.h"
#include "ui/widgets/workbench.h"

namespace syncline::ui {

namespace {

// A name as a TOML text.
std::string quoted(const QString& name) {
  QString text = name;
  text.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\"")).replace(u'\n', u' ').replace(u'\t', u' ');
  return (u'"' + text + u'"').toUtf8().toStdString();
}

// The name stands in the text, too: that is what a run launched from it is called.
SavedText renamed(SavedText draft, const QString& name) {
  draft.name = name.toStdString();
  if (const auto replacement = replace_value(draft.content, {"name"}, quoted(name))) {
    draft.content = with_replacement(draft.content, *replacement);
  }
  return draft;
}

}  // namespace

class DraftsPage : public Page {
 public:
  explicit DraftsPage(Workbench& bench) : Page(bench) {
    setObjectName(QStringLiteral("drafts"));
    list_ = new QTreeWidget(this);
    list_->setObjectName(QStringLiteral("drafts.table"));
    list_->setAccessibleName(tr("Drafts"));
    list_->setHeaderLabels({tr("Name"), tr("Changed")});
    list_->setRootIsDecorated(false);
    list_->setUniformRowHeights(true);
    list_->setAlternatingRowColors(true);
    list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setColumnWidth(0, 360);
    list_->setContextMenuPolicy(Qt::ActionsContextMenu);
    empty_ = new QWidget(this);
    auto* text = new QLabel(tr("No draft is kept in this workspace. A draft is an experiment that is being edited, not launched."), empty_);
    text->setObjectName(QStringLiteral("drafts.empty.text"));
    text->setAlignment(Qt::AlignCenter);
    text->setWordWrap(true);
    auto* fresh = new QPushButton(tr("New E&xperiment\u2026"), empty_);
    fresh->setObjectName(QStringLiteral("drafts.empty.new"));
    connect(fresh, &QPushButton::clicked, this, [this] {
      if (QAction* action = workbench().actions().find(QStringLiteral("experiment.new"))) {
        action->trigger();
      } else {
        workbench().newDraft({}, {});
      }
    });
    auto* empty_layout = new QVBoxLayout(empty_);
    empty_layout->addStretch(1);
    empty_layout->addWidget(text);
    empty_layout->addWidget(fresh, 0, Qt::AlignHCenter);
    empty_layout->addStretch(2);
    auto* row = new QHBoxLayout;
    const auto act = [&](const char* id, const QString& label, const QString& help, const QList<QKeySequence>& keys, auto what) {
      QAction* action = workbench().actions().add(list_, {QString::fromUtf8(id), label, help, keys, {}}, what);
      list_->addAction(action);
      auto* button = new QPushButton(label, this);
      button->setObjectName(QString::fromUtf8(id) + QStringLiteral(".button"));
      connect(button, &QPushButton::clicked, action, &QAction::trigger);
      connect(action, &QAction::changed, button, [action, button] {
        button->setEnabled(action->isEnabled());
        button->setToolTip(action->toolTip());
      });
      row->addWidget(button);
      return action;
    };
    open_ = act("drafts.open", tr("&Open"), tr("Edit the selected draft."), {QKeySequence(Qt::Key_Return), QKeySequence(Qt::Key_Enter)},
                [this] { open(); });
    rename_ = act("drafts.rename", tr("Rena&me\u2026"), tr("Give the draft and its experiment another name."), {QKeySequence(Qt::Key_F2)},
                  [this] { rename(); });
    duplicate_ = act("drafts.duplicate", tr("&Duplicate"), tr("Keep a copy of the draft."), {QKeySequence(QStringLiteral("Ctrl+D"))},
                     [this] { duplicate(); });
    delete_ = act("drafts.delete", tr("De&lete"), tr("Delete the selected drafts; it can be undone."), {QKeySequence(QKeySequence::Delete)},
                  [this] { remove(); });
    row->addStretch(1);
    content_ = new QStackedWidget(this);
    auto* table = new QWidget(content_);
    auto* table_layout = new QVBoxLayout(table);
    table_layout->setContentsMargins(0, 0, 0, 0);
    table_layout->addWidget(list_, 1);
    table_layout->addLayout(row);
    content_->addWidget(table);
    content_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(content_);
    connect(list_, &QTreeWidget::itemDoubleClicked, this, [this] { open(); });
    connect(list_, &QTreeWidget::itemSelectionChanged, this, [this] { update(); });
    connect(&bench.store(), &StoreService::opened, this, [this] { reload(); });
    connect(&bench.store(), &StoreService::changed, this, [this] { reload(); });
    age_.setInterval(1000);
    connect(&age_, &QTimer::timeout, this, [this] {
      if (isVisible()) growOlder();
    });
    age_.start();
    update();
    reload();
  }

  QString title() const override { return tr("Drafts"); }
  QString iconName() const override { return QStringLiteral("document-edit"); }
  bool loaded() const override { return loaded_; }
  QString restoreKey() const override { return QStringLiteral("drafts"); }

 private:
  std::vector<SavedText> selected() const {
    std::vector<SavedText> chosen;
    for (const QTreeWidgetItem* item : list_->selectedItems()) {
      chosen.push_back(drafts_[static_cast<std::size_t>(item->data(0, Qt::UserRole).toInt())]);
    }
    return chosen;
  }

  void reload() {
    workbench().store().read<std::vector<SavedText>>(
        this, QStringLiteral("drafts"), [](Reader& reader) { return saved_texts(reader.database(), "draft"); },
        [this](const std::vector<SavedText>& drafts) { show(drafts); });
  }

  void show(const std::vector<SavedText>& drafts) {
    std::set<std::string> chosen;
    for (const SavedText& draft : selected()) chosen.insert(draft.id);
    drafts_ = drafts;
    const QSignalBlocker blocker(list_);
    list_->clear();
    for (std::size_t i = drafts_.size(); i-- > 0;) {  // newest first
      const SavedText& draft = drafts_[i];
      auto* item = new QTreeWidgetItem(list_, {QString::fromStdString(draft.name), format::ago(draft.updated_at, utc_s())});
      item->setData(0, Qt::UserRole, static_cast<int>(i));
      item->setToolTip(1, format::moment(draft.updated_at, QTimeZone::systemTimeZone()));
      if (chosen.contains(draft.id)) item->setSelected(true);
    }
    if (list_->selectedItems().isEmpty() && list_->topLevelItemCount() > 0) list_->setCurrentItem(list_->topLevelItem(0));
    content_->setCurrentIndex(drafts_.empty() ? 1 : 0);
    update();
    loaded_ = true;
    Q_EMIT loadedChanged();
  }

  void growOlder() {
    for (int row = 0; row < list_->topLevelItemCount(); ++row) {
      QTreeWidgetItem* item = list_->topLevelItem(row);
      const QString text = format::ago(drafts_[static_cast<std::size_t>(item->data(0, Qt::UserRole).toInt())].updated_at, utc_s());
      if (item->text(1) != text) item->setText(1, text);
    }
  }

  void update() {
    const auto count = list_->selectedItems().size();
    const bool read_only = workbench().store().readOnly();
    ActionRegistry::setReason(open_, count > 0 ? QString() : tr("Open: select a draft"));
    ActionRegistry::setReason(rename_, count == 1 && !read_only ? QString() : tr("Rename: select one draft"));
    ActionRegistry::setReason(duplicate_, count > 0 && !read_only ? QString() : tr("Duplicate: select a draft"));
    ActionRegistry::setReason(delete_, count > 0 && !read_only ? QString() : tr("Delete: select a draft"));
  }

  void put(const std::vector<SavedText>& drafts) {
    workbench().store().write(
        this,
        [drafts](StoreService::Writer& writer) {
          SavedTexts texts(writer.workspace);
          for (const SavedText& draft : drafts) texts.put(draft);
        },
        [this] { reload(); });
  }

  void open() {
    for (const SavedText& draft : selected()) workbench().openDraft(QString::fromStdString(draft.id));
  }

  void rename() {
    const auto drafts = selected();
    if (drafts.size() != 1) return;
    bool given = false;
    const QString old = QString::fromStdString(drafts.front().name);
    const QString name = QInputDialog::getText(this, tr("Rename Draft"), tr("&Name:"), QLineEdit::Normal, old, &given).trimmed();
    if (given && !name.isEmpty() && name != old) put({renamed(drafts.front(), name)});
  }

  void duplicate() {
    std::vector<SavedText> copies;
    for (SavedText draft : selected()) {
      draft.id.clear();
      copies.push_back(renamed(draft, format::copyOf(QString::fromStdString(draft.name))));
    }
    put(copies);
  }

  void remove() {
    const auto drafts = selected();
    if (drafts.empty()) return;
    workbench().store().write(
        this,
        [drafts](StoreService::Writer& writer) {
          SavedTexts texts(writer.workspace);
          for (const SavedText& draft : drafts) texts.remove(draft.id);
        },
        [this] { reload(); });
    workbench().notice(tr("Deleted %n draft(s).", nullptr, static_cast<int>(drafts.size())), tr("&Undo"), [this, drafts] { put(drafts); });
  }

  std::vector<SavedText> drafts_;
  QTreeWidget* list_ = nullptr;
  QStackedWidget* content_ = nullptr;
  QWidget* empty_ = nullptr;
  QAction *open_ = nullptr, *rename_ = nullptr, *duplicate_ = nullptr, *delete_ = nullptr;
  QTimer age_;  // "5 min ago" grows old
  bool loaded_ = false;
};

Page* make_drafts_page(Workbench& workbench) { return new DraftsPage(workbench); }

}  // namespace syncline::ui

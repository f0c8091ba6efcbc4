// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/page_actions.h"

#include <QApplication>
#include <QTimer>
#include <QWidget>

#include "ui/widgets/chart_actions.h"
#include "ui/widgets/icons.h"

namespace syncline::ui {

namespace {

struct Texts {
  Q_DECLARE_TR_FUNCTIONS(PageActions)
};

// Keys without a modifier belong to the widget in focus: a table's S or Delete must not act from elsewhere.
bool usable_everywhere(const QKeySequence& keys) {
  if (keys.isEmpty()) return false;
  const QKeyCombination first = keys[0];
  const bool function_key = first.key() >= Qt::Key_F1 && first.key() <= Qt::Key_F35 && first.key() != Qt::Key_F2;
  return function_key || (first.keyboardModifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0;
}

QString plain(QString text) { return text.remove(u'&'); }

QWidget* owner_of(const QAction* action) { return action == nullptr ? nullptr : qobject_cast<QWidget*>(action->parent()); }

}  // namespace

const std::vector<PageActionText>& page_action_catalogue() {
  const auto keys = [](const char* text) { return QList<QKeySequence>{QKeySequence(QLatin1String(text))}; };
  const QString select_run = Texts::tr("select a run or open its page"), show_comparison = Texts::tr("open a comparison");
  static const std::vector<PageActionText> catalogue = {
      {{QStringLiteral("experiment.new"), Texts::tr("&New Experiment…"), Texts::tr("Describe a new experiment."), keys("Ctrl+N"),
        QStringLiteral("list-add")},
       {}},
      {{QStringLiteral("draft.save"), Texts::tr("&Save Draft"), Texts::tr("Keep this draft in the workspace."), keys("Ctrl+S"),
        QStringLiteral("document-save")},
       Texts::tr("Save Draft: open a draft")},
      {{QStringLiteral("run.launch"), Texts::tr("&Launch…"), Texts::tr("Start this experiment."), keys("Ctrl+Return"),
        QStringLiteral("media-playback-start")},
       Texts::tr("Launch: open a draft, or make one with New Experiment…")},
      {{QStringLiteral("run.stop"), Texts::tr("&Stop…"), Texts::tr("End this run after a step or a checkpoint, or now."), keys("Ctrl+."),
        QStringLiteral("media-playback-stop")},
       Texts::tr("Stop: select a running run")},
      {{QStringLiteral("run.checkpoint"),
        Texts::tr("&Checkpoint Now"),
        Texts::tr("Save a checkpoint of this run at its next step."),
        {},
        QStringLiteral("document-save")},
       Texts::tr("Checkpoint Now: select a running run")},
      {{QStringLiteral("run.resume"),
        Texts::tr("&Resume…"),
        Texts::tr("Go on from the newest checkpoint of this run."),
        {},
        QStringLiteral("view-refresh")},
       Texts::tr("Resume: %1").arg(select_run)},
      {{QStringLiteral("run.duplicate"), Texts::tr("&Duplicate as Draft"), Texts::tr("Edit a copy of this run's experiment."),
        keys("Ctrl+D"), QStringLiteral("edit-duplicate")},
       Texts::tr("Duplicate as Draft: %1").arg(select_run),
       {QStringLiteral("drafts.duplicate")}},
      {{QStringLiteral("run.check-state"), Texts::tr("Check State &Now"), Texts::tr("Ask every witness whether this run is alive."),
        keys("F5"), QStringLiteral("view-refresh")},
       Texts::tr("Check State Now: %1").arg(select_run)},
      {{QStringLiteral("compare.add"), Texts::tr("&Add to Comparison"), Texts::tr("Put the selected runs side by side."), keys("Ctrl+K"),
        QStringLiteral("view-split-left-right")},
       Texts::tr("Add to Comparison: select runs"),
       {QStringLiteral("run.compare")}},
      {{QStringLiteral("compare.new"),
        Texts::tr("&New Comparison"),
        Texts::tr("Compare the selected runs on a page of their own."),
        {},
        QStringLiteral("view-split-left-right")},
       Texts::tr("New Comparison: select two or more runs")},
      {{QStringLiteral("compare.baseline"),
        Texts::tr("Set as &Baseline"),
        Texts::tr("Measure differences from the selected run."),
        keys("Ctrl+B"),
        {}},
       Texts::tr("Set as Baseline: %1").arg(show_comparison)},
      {{QStringLiteral("compare.aggregate"),
        Texts::tr("A&ggregate over Seeds"),
        Texts::tr("Take runs that differ in the seed alone as one, with their spread."),
        {},
        {}},
       Texts::tr("Aggregate over Seeds: %1").arg(show_comparison)},
      {{QStringLiteral("compare.only-differences"),
        Texts::tr("Show &Only Differences"),
        Texts::tr("Show the settings in which these runs differ, or all of them."),
        {},
        {}},
       Texts::tr("Show Only Differences: %1").arg(show_comparison)},
      {{QStringLiteral("compare.by-difference"),
        Texts::tr("Name by &Difference"),
        Texts::tr("Call each run by the settings in which it differs from the others."),
        keys("Ctrl+Shift+D"),
        {}},
       Texts::tr("Name by Difference: %1").arg(show_comparison)},
      {{QStringLiteral("compare.export-table"), Texts::tr("&Export Table…"), Texts::tr("Write the values as CSV."), {}, {}},
       Texts::tr("Export Table: %1").arg(show_comparison)},
      {{QStringLiteral("runs.star"), Texts::tr("&Star"), Texts::tr("Mark the selected runs, or take the mark away."), keys("S"),
        QStringLiteral("starred")},
       Texts::tr("Star: %1").arg(select_run)},
      {{QStringLiteral("runs.tag"), Texts::tr("Ta&g…"), Texts::tr("Give the selected runs tags."), keys("T"), QStringLiteral("tag")},
       Texts::tr("Tag: %1").arg(select_run)},
      {{QStringLiteral("runs.note"), Texts::tr("N&ote…"), Texts::tr("Write a note to the selected runs."), keys("N"),
        QStringLiteral("document-edit")},
       Texts::tr("Note: %1").arg(select_run)},
      {{QStringLiteral("runs.rename"), Texts::tr("R&ename…"), Texts::tr("Give the run another name."), keys("F2"),
        QStringLiteral("edit-rename")},
       Texts::tr("Rename: %1").arg(select_run),
       {QStringLiteral("drafts.rename")}},
      {{QStringLiteral("runs.trash"), Texts::tr("&Move to Trash"), Texts::tr("Move the selected runs to the trash."), keys("Delete"),
        QStringLiteral("user-trash")},
       Texts::tr("Move to Trash: select runs that have ended"),
       {QStringLiteral("drafts.delete")}},
      {{QStringLiteral("runs.lock"),
        Texts::tr("Loc&k Run"),
        Texts::tr("Protect the run from the trash."),
        {},
        QStringLiteral("object-locked")},
       Texts::tr("Lock Run: %1").arg(select_run)},
      {{QStringLiteral("runs.filter"), Texts::tr("&Find…"), Texts::tr("Filter the runs, or find in what is shown."), keys("Ctrl+F"),
        QStringLiteral("edit-find")},
       Texts::tr("Find: show the runs"),
       {QStringLiteral("recipes.find"), QStringLiteral("run.log.find"), QStringLiteral("run.timeline.find")}},
      {{QStringLiteral("view.next-tab"), Texts::tr("Next &Tab"), Texts::tr("Show the next tab of this page."), keys("Ctrl+PgDown"), {}},
       {},
       {QStringLiteral("draft.next-view")}},
      {{QStringLiteral("view.previous-tab"),
        Texts::tr("Previous T&ab"),
        Texts::tr("Show the previous tab of this page."),
        keys("Ctrl+PgUp"),
        {}},
       {},
       {QStringLiteral("draft.previous-view")}},
      {{QStringLiteral("run.dry-run"), Texts::tr("Dr&y Run"), Texts::tr("Start all ranks, do one step, record nothing."),
        keys("Ctrl+Shift+Return"), QStringLiteral("view-refresh")},
       Texts::tr("Dry Run: open a draft")},
      {{QStringLiteral("runs.archive"),
        Texts::tr("&Archive Selected Runs"),
        Texts::tr("Keep the selected runs out of the list."),
        {},
        QStringLiteral("folder")},
       Texts::tr("Archive Selected Runs: select runs that have ended")},
      {{QStringLiteral("runs.show-trash"),
        Texts::tr("&Trash…"),
        Texts::tr("Restore runs from the trash, or empty it."),
        {},
        QStringLiteral("user-trash")},
       Texts::tr("Trash: show the runs")},
      {{QStringLiteral("edit.undo"), Texts::tr("&Undo"), Texts::tr("Take back the last edit."), keys("Ctrl+Z"),
        QStringLiteral("edit-undo")},
       {},
       {QStringLiteral("draft.undo")},
       true},
      {{QStringLiteral("edit.redo"), Texts::tr("&Redo"), Texts::tr("Do again what was taken back."), keys("Ctrl+Shift+Z"),
        QStringLiteral("edit-redo")},
       {},
       {QStringLiteral("draft.redo")},
       true},
      {{QStringLiteral("edit.cut"), Texts::tr("Cu&t"), Texts::tr("Move the selected text to the clipboard."), keys("Ctrl+X"),
        QStringLiteral("edit-cut")},
       {},
       {},
       true},
      {{QStringLiteral("edit.copy"), Texts::tr("&Copy"), Texts::tr("Copy what is selected."), keys("Ctrl+C"), QStringLiteral("edit-copy")},
       {},
       {QStringLiteral("run.log.copy")},
       true},
      {{QStringLiteral("edit.paste"), Texts::tr("&Paste"), Texts::tr("Insert what the clipboard holds."), keys("Ctrl+V"),
        QStringLiteral("edit-paste")},
       {},
       {},
       true},
      {{QStringLiteral("edit.select-all"), Texts::tr("Select &All"), Texts::tr("Select everything where the focus is."), keys("Ctrl+A"),
        QStringLiteral("edit-select-all")},
       {},
       {},
       true},
  };
  return catalogue;
}

// What charts offer, in the order of the View menu and its submenus.
const std::vector<PageActionText>& chart_action_catalogue() {
  static const std::vector<PageActionText> catalogue = [] {
    std::vector<PageActionText> all;
    for (const char* id : {"chart.fit", "chart.table", "chart.pin", "chart.copy-picture", "chart.smoothing-off", "chart.smoothing-light",
                           "chart.smoothing-medium", "chart.smoothing-strong", "chart.smoothing-other", "chart.align"}) {
      const ActionText text = chart_action_text(QLatin1String(id));
      all.push_back({text, Texts::tr("%1: show a page with a chart").arg(plain(text.text)), {}, true});
    }
    for (int i = 0; i < x_axis_count; ++i) {
      const ActionText text = chart_action_text(chart_axis_action(static_cast<XAxis>(i)));
      all.push_back({text, Texts::tr("%1: show a page with a chart").arg(plain(text.text)), {}, true, chart_axis_menu_text(text.id)});
    }
    const ActionText metric = chart_action_text(QStringLiteral("chart.x-metric"));
    all.push_back({metric, Texts::tr("%1: show a page with a chart").arg(plain(metric.text)), {}, true, chart_axis_menu_text(metric.id)});
    return all;
  }();
  return catalogue;
}

const PageActionText* page_action_text(const QString& id) {
  for (const PageActionText& one : page_action_catalogue()) {
    if (one.text.id == id) return &one;
  }
  for (const PageActionText& one : chart_action_catalogue()) {
    if (one.text.id == id) return &one;
  }
  return nullptr;
}

PageActions::PageActions(ActionRegistry& registry, QObject* parent) : QObject(parent), registry_(registry) {
  // A page being made adds a dozen actions; one look at them all is enough.
  auto* soon = new QTimer(this);
  soon->setSingleShot(true);
  connect(soon, &QTimer::timeout, this, qOverload<>(&PageActions::update));
  connect(&registry, &ActionRegistry::changed, soon, [soon] { soon->start(0); });
  connect(qApp, &QApplication::focusChanged, this, qOverload<>(&PageActions::update));
}

QAction* PageActions::entry(const QString& id, std::function<void()> otherwise) {
  if (QAction* made = entries_.value(id)) return made;
  auto* entry = new QAction(this);
  entry->setObjectName(QStringLiteral("entry.") + id);
  if (const PageActionText* known = page_action_text(id)) entry->setIcon(themed_icon(known->text.icon));
  connect(entry, &QAction::triggered, this, [this, id] {
    QAction* action = offered(id);
    if (action != nullptr) {
      action->trigger();
    } else if (const auto act = otherwise_.value(id)) {
      act();
    }
  });
  entries_[id] = entry;
  otherwise_[id] = std::move(otherwise);
  update(id, entry);
  return entry;
}

void PageActions::follow(const QString& id, std::function<Standing()> standing) {
  standing_[id] = std::move(standing);
  if (QAction* made = entries_.value(id)) update(id, made);
}

std::vector<QAction*> PageActions::entries() const { return {entries_.begin(), entries_.end()}; }

QAction* PageActions::offered(const QString& id) const {
  const PageActionText* known = page_action_text(id);
  const QStringList others = known != nullptr ? known->also : QStringList();
  for (const QString& one : QStringList(id) + others) {
    QAction* action = registry_.find(one);
    const QWidget* owner = owner_of(action);
    if (action != nullptr && (owner == nullptr || owner->isVisible())) return action;
  }
  return nullptr;
}

void PageActions::update() {
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) update(entry.key(), entry.value());
}

void PageActions::update(const QString& id, QAction* entry) {
  QAction* action = offered(id);
  QObject::disconnect(followed_.take(id));
  const PageActionText* known = page_action_text(id);
  QString text = known != nullptr ? known->text.text : id, help = known != nullptr ? known->text.help : QString(), reason;
  QList<QKeySequence> keys = registry_.shortcutsOf(id, known != nullptr ? known->text.shortcuts : QList<QKeySequence>());
  if (action != nullptr) {
    // Its own words where they say more ("Unlock Run"); else the menu's, whose letters do not collide.
    if (plain(action->text()) != plain(text)) text = action->text();
    keys = action->shortcuts();
    help = action->toolTip();
    entry->setEnabled(action->isEnabled());
    entry->setCheckable(action->isCheckable());
    entry->setChecked(action->isChecked());
    if (!action->icon().isNull()) entry->setIcon(action->icon());
    followed_[id] = connect(action, &QAction::changed, this, [this, id, entry] { update(id, entry); });
  } else {
    const Standing now = standing_.contains(id) ? standing_[id]() : Standing{};
    const bool acts = static_cast<bool>(otherwise_.value(id)) && now.reason.isEmpty();
    entry->setEnabled(acts);
    entry->setCheckable(false);
    if (!now.text.isEmpty()) text = now.text;
    if (!acts && known != nullptr) help = now.reason.isEmpty() ? known->reason : now.reason;
  }
  entry->setToolTip(help);
  entry->setStatusTip({});
  entry->setWhatsThis(known != nullptr ? known->text.help : help);
  // Where the page hears its own key, the entry only shows it: two actions with one key would silence each other.
  const QWidget* owner = owner_of(action);
  const QWidget* focus = QApplication::focusWidget();
  const bool page_hears = action != nullptr && (owner == nullptr || (focus != nullptr && (owner == focus || owner->isAncestorOf(focus))));
  QList<QKeySequence> own;
  if (!page_hears && (known == nullptr || !known->of_focus)) {
    for (const QKeySequence& one : keys) {
      if (usable_everywhere(one)) own << one;
    }
  }
  entry->setIconText(QString(text).remove(u'&'));
  entry->setShortcuts(own);
  if (known != nullptr && !known->in_menu.isEmpty()) text = known->in_menu;
  entry->setText(own.isEmpty() && !keys.isEmpty() ? text + u'\t' + keys.front().toString(QKeySequence::NativeText) : text);
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/views/shell/shell_workbench.h"

#include "ui/models/settings.h"
#include "ui/views/shell/page_area.h"
#include "ui/views/shell/strips.h"

namespace syncline::ui {

ShellWorkbench::ShellWorkbench(Settings& settings, const QString& workspace)
    : settings_(settings), store_(workspace), engine_(settings, workspace) {}

void ShellWorkbench::attach(PageArea& area, Strips& strips) {
  area_ = &area;
  strips_ = &strips;
}

void ShellWorkbench::show(Place place) { area_->showPlace(name_of(place)); }
void ShellWorkbench::openRun(const QString& run_id, const QString& tab) { area_->openRun(run_id, tab); }
void ShellWorkbench::openComparison(const QStringList& run_ids, const QString& saved_id) { area_->openComparison(run_ids, saved_id); }
void ShellWorkbench::openDraft(const QString& saved_id) { area_->openDraft(saved_id); }
void ShellWorkbench::newDraft(const QString& name, const QString& text, const QString& from_run) { area_->newDraft(name, text, from_run); }

void ShellWorkbench::notice(const QString& text, const QString& action, std::function<void()> act, int seconds) {
  std::vector<StripAction> actions;
  if (QString(action).remove(u'&') == tr("Undo")) {
    undo_ = act;
    undo_text_ = text;
    undo_page_ = area_->current();
    actions.push_back({action, [this, page = undo_page_, act] {
                         // The page may have been closed under its notice.
                         undo_ = nullptr;
                         if (page && act) act();
                         Q_EMIT undoChanged();
                       }});
    Q_EMIT undoChanged();
  } else if (!action.isEmpty()) {
    actions.push_back({action, std::move(act)});
  }
  strips_->show(QStringLiteral("notice"), StripKind::information, text, actions, seconds);
}

bool ShellWorkbench::canUndo() const { return undo_ && undo_page_ && undo_page_ == area_->current(); }

bool ShellWorkbench::undo() {
  if (!canUndo()) return false;
  strips_->remove(QStringLiteral("notice"));
  std::exchange(undo_, nullptr)();
  Q_EMIT undoChanged();
  return true;
}

}  // namespace syncline::ui

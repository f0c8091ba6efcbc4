// SPDX-License-Identifier: GPL-3.0-or-later
// Who makes the pages. The program fills it with the views' functions; tests with small pages of their own.
#pragma once

#include <functional>

#include "ui/widgets/workbench.h"

namespace syncline::ui {

struct PageFactories {
  std::function<Page*(Workbench&)> runs, drafts, recipes, plugins;
  std::function<Page*(Workbench&, const QString& run_id, const QString& tab)> run;
  std::function<Page*(Workbench&, const QStringList& run_ids, const QString& saved_id)> comparison;
  std::function<Page*(Workbench&, const QString& saved_id, const QString& name, const QString& experiment_text, const QString& from_run)>
      editor;
};

}  // namespace syncline::ui

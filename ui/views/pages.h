// SPDX-License-Identifier: GPL-3.0-or-later
// The real pages, for the program and for tests of the whole window.
#pragma once

#include "ui/views/shell/page_factories.h"

namespace syncline::ui {

inline PageFactories every_page() {
  return {.runs = make_runs_page,
          .drafts = make_drafts_page,
          .recipes = make_recipes_page,
          .plugins = make_plugins_page,
          .run = make_run_page,
          .comparison = make_compare_page,
          .editor = make_editor_page};
}

}  // namespace syncline::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Experiments that ship with the program as examples. Nothing about any of them is in code: name, purpose and needs are read from the
// files.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

namespace syncline::ui {

struct Example {
  QString file, name, comment;  // comment: the first lines of the file, without their #
  QString facts;                // "lenet on fashion-mnist · strategy sync, plan wfbp"
  QString needs;                // "2 ranks · 128 samples per worker"
  QString problem;              // why it cannot be used as it is; empty: it can
  std::string text;
  std::int64_t workers = 1;
};

// The folder `resources/NAME` of an installed program, or of the source tree that this one was built in; empty: there is none.
QString resource_folder(const QString& name);

// Of every *.toml of a folder, by file name. A file that cannot be read or is no TOML is there with its problem. Looks at disks.
std::vector<Example> read_examples(const QString& folder);
Example read_example(const QString& file, const std::string& text);

}  // namespace syncline::ui

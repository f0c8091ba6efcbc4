// SPDX-License-Identifier: GPL-3.0-or-later
// What a person types into a field against what stands in the file. Nothing typed is lost: what is no value of the field's kind goes into
// the text as a text, and the engine's own check says what is wrong with it.
#pragma once

#include <QString>
#include <optional>
#include <string>

#include "engine/experiment/document.h"
#include "engine/experiment/parameter.h"

namespace syncline::ui {

// TOML for what was typed: "25 Gbit/s", "450us" and "64Ki" as texts, "5e-4" as it is, "0.1, 0.2" as a list. `written`: what stood there,
// whose form (a list in brackets, or one number) is kept. Empty: the field was emptied, so the key goes.
std::string toml_of(const QString& typed, const Parameter&, const std::optional<std::string>& written = {});

// What the field shows for a value as written in the file: texts without quotes, lists without brackets, numbers as they stand.
QString shown_value(const document::Node&, const std::string& written, const Parameter&);
// The same of the default; empty when there is none.
QString shown_default(const Parameter&);

// Whether the value equals the default, however it is written ("1e-2" and 0.01, "1 ms" and 0.001).
bool is_default(const document::Node&, const Parameter&);

// What stands behind a number alone ("s"), and how quantities may be typed, for the tooltip.
QString unit_suffix(const Parameter&, const QString& shown);
QString typing_help(const Parameter&);

QString text_of(std::string_view);  // UTF-8

}  // namespace syncline::ui

// SPDX-License-Identifier: Apache-2.0
// Every key that an experiment file can have, as one document: `syncline-engine schema --json`.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/experiment/parameter.h"

namespace syncline {

// { "sections": [ { "name", "title", "help", "repeated", "entries", "chosen_by", "parameters": [...] } ],
//   "strategies": [ { "name", "title", "paper", "summary", "parameters": [...], "exchanges_gradients", "has_servers" } ], "plans": [...],
//   ... }
// A parameter: key, symbol, help, kind, default (null: none), least, most (null: open), choices, unit, only_if, advanced, optional, section
// (of the paper).
nlohmann::ordered_json schema_json(const Catalogue&);

}  // namespace syncline

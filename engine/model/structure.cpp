// SPDX-License-Identifier: Apache-2.0
#include "engine/model/structure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

namespace syncline {
namespace {

[[noreturn]] void fail(const LayerSpec& spec, const std::string& what) {
  throw ConfigError(fmt::format("layer \"{}\" ({}): {}", spec.name, spec.type, what), spec.origin);
}

// Fills in what a file may leave out: a name (type and number), and the previous layer as the input.
std::vector<LayerSpec> complete(std::vector<LayerSpec> specs) {
  std::set<std::string, std::less<>> taken = {std::string(model_input)};
  for (const LayerSpec& spec : specs) {
    if (spec.name == model_input) fail(spec, "this name stands for the model's input; another one would be right");
    if (!spec.name.empty() && !taken.insert(spec.name).second) fail(spec, "there are two layers of this name; names must differ");
  }
  std::map<std::string, int> counts;
  for (LayerSpec& spec : specs) {
    int& number = counts[spec.type];
    ++number;
    while (spec.name.empty()) {
      std::string name = spec.type + std::to_string(number);
      if (taken.insert(name).second)
        spec.name = std::move(name);
      else
        ++number;
    }
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].inputs.empty()) specs[i].inputs = {i == 0 ? std::string(model_input) : specs[i - 1].name};
  }
  return specs;
}

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0u : 1u)}));
    }
  }
  return row[b.size()];
}

[[noreturn]] void unknown_input(const LayerSpec& spec, const std::string& input, const std::vector<LayerSpec>& specs) {
  std::string nearest(model_input);
  for (const LayerSpec& other : specs) {
    if (other.name != spec.name && distance(other.name, input) < distance(nearest, input)) nearest = other.name;
  }
  fail(spec, fmt::format("there is no layer \"{}\" to read; \"{}\" is the nearest name", input, nearest));
}

using Sources = std::vector<std::vector<int>>;  // of each layer as given: the layers that it reads, -1 for the model's input

Sources find_sources(const std::vector<LayerSpec>& specs) {
  std::map<std::string, int, std::less<>> index = {{std::string(model_input), -1}};
  for (std::size_t i = 0; i < specs.size(); ++i) index[specs[i].name] = static_cast<int>(i);
  Sources sources(specs.size());
  for (std::size_t i = 0; i < specs.size(); ++i) {
    for (const std::string& input : specs[i].inputs) {
      const auto found = index.find(input);
      if (found == index.end()) unknown_input(specs[i], input, specs);
      sources[i].push_back(found->second);
    }
  }
  return sources;
}

// Of the layers whose inputs are all there, always the first as given.
std::vector<int> topological_order(const std::vector<LayerSpec>& specs, const Sources& sources) {
  std::vector<int> order;
  std::vector<bool> done(specs.size(), false);
  while (order.size() < specs.size()) {
    int next = -1;
    for (std::size_t i = 0; next < 0 && i < specs.size(); ++i) {
      const bool ready = std::ranges::all_of(sources[i], [&](int s) { return s < 0 || done[static_cast<std::size_t>(s)]; });
      if (!done[i] && ready) next = static_cast<int>(i);
    }
    if (next < 0) {
      // Walking backwards along inputs that are not there must come round.
      std::size_t at = static_cast<std::size_t>(std::ranges::find(done, false) - done.begin());
      std::vector<std::size_t> path;
      while (std::ranges::find(path, at) == path.end()) {
        path.push_back(at);
        at = static_cast<std::size_t>(
            *std::ranges::find_if(sources[at], [&](int s) { return s >= 0 && !done[static_cast<std::size_t>(s)]; }));
      }
      std::vector<std::string> names = {specs[at].name};
      for (auto i = path.rbegin(); *i != at; ++i) names.push_back(specs[*i].name);
      names.push_back(specs[at].name);
      fail(specs[at], fmt::format("the inputs go round in a circle ({}); each layer may read only what does not depend on it",
                                  fmt::join(names, " -> ")));
    }
    done[static_cast<std::size_t>(next)] = true;
    order.push_back(next);
  }
  return order;
}

void check_inputs(const LayerSpec& spec, const LayerEntry& entry) {
  const int given = static_cast<int>(spec.inputs.size());
  if (entry.inputs == 1 && given != 1) fail(spec, fmt::format("it has {} inputs; one would be right", given));
  if (entry.inputs == -1 && given < 2) {
    fail(spec, fmt::format("it has one input; two or more would be right: inputs = [\"{}\", ...]", spec.inputs.front()));
  }
}

void check_uses(const Structure& model, const std::string& last) {
  const std::string& output = model.nodes.back().spec.name;
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    const bool read = !model.readers[i + 1].empty();
    const LayerSpec& spec = model.nodes[i].spec;
    if (!read && spec.name != last)
      fail(spec, fmt::format("nothing reads its output, and it is not the last layer; name it among the `inputs` of another"));
    if (read && spec.name == last)
      fail(spec, fmt::format("it is the last layer, so nothing may read its output; \"{}\" does, and should come last", output));
  }
}

void check_tokens(const Structure& model) {
  bool tokens = false, numbers = false;
  for (const Node& node : model.nodes) {
    const bool reads = node.layer->traits().reads_tokens;
    for (const int value : node.inputs) {
      if (reads && value != 0) fail(node.spec, "it looks tokens up, so it must read the model's input and not another layer");
      if (value == 0) (reads ? tokens : numbers) = true;
    }
    if (tokens && numbers) fail(node.spec, "the model's input is read as tokens and as numbers; only one of them is possible");
  }
}

void mark_before_relu(Structure& model) {
  for (std::size_t i = model.nodes.size(); i-- > 0;) {
    for (const int reader : model.readers[i + 1]) {
      const Node& next = model.nodes[static_cast<std::size_t>(reader)];
      if (next.layer->is_relu() || (next.layer->transparent_to_initialisation() && next.before_relu)) model.nodes[i].before_relu = true;
    }
  }
}

void index_readers(Structure& model) {
  model.readers.assign(model.nodes.size() + 1, {});
  for (std::size_t i = 0; i < model.nodes.size(); ++i) {
    for (const int value : model.nodes[i].inputs) model.readers[static_cast<std::size_t>(value)].push_back(static_cast<int>(i));
  }
}

}  // namespace

std::vector<bool> Structure::wanted() const {
  std::vector<bool> wanted(nodes.size() + 1, false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    wanted[i + 1] = !nodes[i].parameters.empty() ||
                    std::ranges::any_of(nodes[i].inputs, [&](int value) { return wanted[static_cast<std::size_t>(value)]; });
  }
  return wanted;
}

Structure resolve(const std::vector<LayerSpec>& given, const Shape& input, std::int64_t classes) {
  if (given.empty()) throw ConfigError("the model has no layers; at least one would be right", {.file = {}, .key = "model.layers"});
  std::vector<LayerSpec> specs = complete(given);
  const Sources sources = find_sources(specs);
  const std::vector<int> order = topological_order(specs, sources);
  const std::string last = specs.back().name;
  std::vector<int> value_of(specs.size());

  Structure model;
  model.input = input;
  for (const int index : order) {
    const auto at = static_cast<std::size_t>(index);
    Node node;
    node.spec = std::move(specs[at]);
    const LayerEntry& entry = layer_entry(node.spec.type);
    check_inputs(node.spec, entry);
    node.layer = entry.make(node.spec);
    for (const int source : sources[at]) {
      node.inputs.push_back(source < 0 ? 0 : value_of[static_cast<std::size_t>(source)]);
      node.input_shapes.push_back(model.shape_of(node.inputs.back()));
    }
    node.shape = node.layer->shape(node.input_shapes);
    node.parameters = node.layer->parameters(node.input_shapes);
    node.statistics = node.layer->statistics(node.input_shapes);
    model.nodes.push_back(std::move(node));
    value_of[at] = static_cast<int>(model.nodes.size());
  }
  index_readers(model);
  check_uses(model, last);
  check_tokens(model);
  const Node& end = model.nodes.back();
  if (end.shape.rank() != 1 || end.shape.channels() != classes) {
    fail(end.spec,
         fmt::format(
             "it is the last layer and its output has shape {}, but the data has {} classes; an output of {} features would be right",
             end.shape.text(), classes, classes));
  }
  if (!model.wanted().back()) {
    fail(end.spec, "no layer of the model has parameters, so there is nothing to train; a linear or conv layer would be right");
  }
  mark_before_relu(model);
  return model;
}

void fuse(Structure& model) {
  for (std::size_t i = 0; i + 1 < model.nodes.size();) {
    const std::vector<int>& readers = model.readers[i + 1];
    const bool follows = readers.size() == 1 && model.nodes[static_cast<std::size_t>(readers[0])].layer->is_relu();
    if (!follows || !model.nodes[i].layer->fuse_relu()) {
      ++i;
      continue;
    }
    // The ReLU's readers read the fused layer; values after the ReLU move down by one.
    const int relu = readers[0], fused = static_cast<int>(i) + 1, removed = relu + 1;
    model.nodes.erase(model.nodes.begin() + relu);
    for (Node& node : model.nodes) {
      for (int& value : node.inputs) value = value == removed ? fused : value > removed ? value - 1 : value;
    }
    index_readers(model);
    ++i;
  }
}

}  // namespace syncline

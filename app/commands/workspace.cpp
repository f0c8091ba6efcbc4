// SPDX-License-Identifier: Apache-2.0
// export, import, delete, tag: what is done with whole runs.
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "app/commands.h"
#include "app/commands/output.h"
#include "engine/sim/profiles.h"
#include "engine/store/export.h"
#include "engine/store/export_file.h"
#include "engine/store/import.h"
#include "engine/store/reader.h"
#include "engine/store/registry.h"

namespace syncline::app {
namespace {

void say(const Global& global, const nlohmann::ordered_json& document, const std::string& sentence) {
  if (global.json) {
    print_document(document);
  } else {
    std::printf("%s\n", sentence.c_str());
  }
}

RunInfo resolve(const Workspace& workspace, const std::string& what) { return Reader(workspace).resolve(what); }

struct ExportArguments {
  std::string run, format, output;
};

int export_one(const ExportArguments& arguments, const Global& global) {
  Reader reader(Workspace::open_read_only(workspace_path(global.workspace)));
  const RunInfo run = reader.resolve(arguments.run);
  if (arguments.format == "profile") {  // of traces and the model, which exports of what is stored know nothing of
    ExportFile file(arguments.output);
    file.write(to_json(layer_profile(reader, run)).dump(2) + "\n");
    file.finish();
  } else {
    export_run(reader, run, arguments.format, arguments.output);
  }
  say(global, {{"run", run.id}, {"format", arguments.format}, {"output", arguments.output}},
      fmt::format("{} written to {}", run.name, arguments.output));
  return 0;
}

struct ImportArguments {
  std::string source, into;
};

int import(const ImportArguments& arguments, const Global& global) {
  const std::string into = arguments.into.empty() ? global.workspace : arguments.into;
  const ImportResult result = import_workspace(arguments.source, Workspace::open(workspace_path(into)));
  say(global,
      {{"runs_added", result.runs_added},
       {"runs_extended", result.runs_extended},
       {"runs_unchanged", result.runs_unchanged},
       {"records", result.records}},
      fmt::format("{} runs added, {} extended, {} unchanged; {} records", result.runs_added, result.runs_extended, result.runs_unchanged,
                  result.records));
  return 0;
}

int remove(const std::string& what, bool keep_files, const Global& global) {
  const Workspace workspace = Workspace::open_existing(workspace_path(global.workspace));
  const RunInfo run = resolve(workspace, what);
  RunRegistry(workspace).remove(run.id, keep_files);
  say(global, {{"deleted", run.id}, {"kept_files", keep_files}},
      fmt::format("deleted {}{}", run.name, keep_files ? ", its files stay in " + workspace.run_folder(run.id).string() : ""));
  return 0;
}

struct TagArguments {
  std::string run;
  std::vector<std::string> tags;
  bool remove = false;
};

int tag(const TagArguments& arguments, const Global& global) {
  const Workspace workspace = Workspace::open_existing(workspace_path(global.workspace));
  const RunInfo run = resolve(workspace, arguments.run);
  Annotations annotations(workspace);
  for (const std::string& word : arguments.tags) {
    if (word.empty()) throw ConfigError("tag: a tag cannot be empty");
    if (arguments.remove) {
      annotations.remove_tag(run.id, word);
    } else {
      annotations.add_tag(run.id, word);
    }
  }
  const std::vector<std::string> tags = Reader(workspace).run(run.id).tags;
  say(global, {{"run", run.id}, {"tags", tags}},
      fmt::format("{}: {}", run.name, tags.empty() ? "no tags" : fmt::format("{}", fmt::join(tags, ", "))));
  return 0;
}

}  // namespace

Action define_export(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<ExportArguments>();
  sub.add_option("RUN", arguments->run, "an id, a name, the beginning of either, or last")->required();
  sub.add_option("--format", arguments->format,
                 "csv, json, trace (Chrome, Perfetto), tensorboard, or profile: layer times for cluster.profile")
      ->required();
  sub.add_option("--output", arguments->output, "the file; for tensorboard a folder")->required()->type_name("PATH");
  return [arguments, &global] { return export_one(*arguments, global); };
}

Action define_import(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<ImportArguments>();
  sub.add_option("DB", arguments->source, "the workspace to read")->required();
  sub.add_option("--into", arguments->into, "the workspace to add to; the default one when absent")->type_name("DB");
  return [arguments, &global] { return import(*arguments, global); };
}

Action define_delete(CLI::App& sub, const Global& global) {
  auto run = std::make_shared<std::string>();
  auto keep_files = std::make_shared<bool>(false);
  sub.add_option("RUN", *run, "an id, a name, the beginning of either, or last")->required();
  sub.add_flag("--keep-files", *keep_files, "leave checkpoints, log and traces where they are");
  return [run, keep_files, &global] { return remove(*run, *keep_files, global); };
}

Action define_tag(CLI::App& sub, const Global& global) {
  auto arguments = std::make_shared<TagArguments>();
  sub.add_option("RUN", arguments->run, "an id, a name, the beginning of either, or last")->required();
  sub.add_option("TAG", arguments->tags, "one tag or more")->required();
  sub.add_flag("--remove", arguments->remove, "take the tags away instead");
  return [arguments, &global] { return tag(*arguments, global); };
}

}  // namespace syncline::app

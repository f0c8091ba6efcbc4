// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/command.h"

#include <algorithm>

namespace syncline {

int resolve_threads(int asked, int ranks, int cores) { return asked > 0 ? asked : std::max(1, cores / std::max(1, ranks)); }

LaunchCommand local_command(const std::string& engine, const std::vector<std::string>& arguments, const JobShape& shape) {
  LaunchCommand command;
  command.environment = {
      {"OMP_NUM_THREADS", std::to_string(shape.threads_per_rank)},
      // Idle OpenMP threads must not spin against the communication thread.
      {"OMP_WAIT_POLICY", "passive"},
  };
  if (shape.ranks > 1) {
    std::vector<std::string>& argv = command.argv;
    argv = {"mpirun", "-n", std::to_string(shape.ranks)};
    if (shape.as_root) argv.push_back("--allow-run-as-root");
    // With two ranks mpirun would bind each to one core, its communication thread included.
    argv.insert(argv.end(), {"--bind-to", "none"});
    if (shape.ranks > shape.cores) argv.push_back("--oversubscribe");
    // Transports are fixed by us, else behaviour depends on the host; the copy from the peer's memory needs a permission that containers
    // refuse.
    argv.insert(argv.end(), {"--mca", "pml", "ob1", "--mca", "btl", "self,vader,tcp", "--mca", "btl_vader_single_copy_mechanism",
                             shape.copy_once ? "cma" : "none"});
    // Oversubscribed ranks yield inside MPI by default; our communication thread sleeps instead, and yielding makes exchanges under compute
    // slow.
    argv.insert(argv.end(), {"--mca", "mpi_yield_when_idle", "0"});
    // Between SIGTERM and SIGKILL to its ranks mpirun sleeps so long, in any case, and only then says how the first one ended.
    argv.insert(argv.end(), {"--mca", "odls_base_sigkill_timeout", "2"});
    // Where the supervisor can remove what an mpirun that was killed leaves behind.
    if (!shape.scratch.empty())
      argv.insert(argv.end(), {"--mca", "orte_tmpdir_base", shape.scratch, "--mca", "btl_vader_backing_directory", shape.scratch});
  }
  command.argv.push_back(engine);
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return command;
}

std::string shell_quote(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_-./:,=@%+").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string LaunchCommand::text() const {
  std::string line;
  for (const auto& [name, value] : environment) line += name + "=" + shell_quote(value) + " ";
  for (const std::string& argument : argv) line += (&argument == &argv.front() ? "" : " ") + shell_quote(argument);
  return line;
}

}  // namespace syncline

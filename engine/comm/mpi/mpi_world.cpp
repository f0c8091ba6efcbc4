// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi/mpi_world.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>

#include "engine/base/error.h"
#include "engine/comm/mpi/shared_board.h"
#include "engine/comm/thread_world.h"

namespace syncline {

namespace {

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == 0) return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*end != 0 || value < 0) return std::nullopt;
  return static_cast<int>(value);
}

std::unique_ptr<Transport> make_transport(const std::optional<LinkModel>& links) {
  auto transport = std::make_unique<MpiTransport>();
  if (!links) return transport;
  try {
    auto board = open_shared_board(*transport, *links);
    return std::make_unique<ShapedTransport>(std::move(transport), std::move(board));
  } catch (const PeerLost&) {
    throw;
  } catch (const Error&) {
    transport->close();  // all ranks came to the same conclusion, so the end is orderly
    throw;
  }
}

class MpiWorld final : public World {
 public:
  explicit MpiWorld(const MpiWorldOptions& options) {
    const std::optional<LinkModel> links = options.links;
    try {
      queue_ = std::make_unique<CommQueue>(options.queue, [links] { return make_transport(links); });
    } catch (const TimeLimit& error) {
      throw TimeLimit(fmt::format("{}{}", place_text(), error.what()));
    }
    // The first message between two ranks opens their connection: have that now, under the limit, and not in the first step.
    communicator_ = QueueCommunicator::world(*queue_, options.group, "data");
    Work everybody = communicator_->barrier();
    if (!everybody.wait_for(options.queue.start_limit_s)) {
      const std::string late = place_text();
      abandon("the ranks did not connect");
      // The handle may not be waited for: the thread behind it is stuck or polls a rank that never answers.
      new Work(std::move(everybody));
      throw TimeLimit(fmt::format("{}the ranks did not connect within {:g} s; check that all of them started and can reach each other",
                                  late, options.queue.start_limit_s));
    }
    everybody.wait();
  }
  ~MpiWorld() override {
    if (abandoned_) return;
    communicator_.reset();
    queue_.reset();
  }
  QueueCommunicator& communicator() override { return *communicator_; }
  CommQueue& queue() override { return *queue_; }
  // MPI has no way to tell the others; leaving the process without MPI_Finalize makes the launcher end them.
  void abandon(const std::string&) override {
    abandoned_ = true;
    queue_->abandon();
    // The thread goes on using both until the process ends.
    static_cast<void>(communicator_.release());
    static_cast<void>(queue_.release());
  }

 private:
  static std::string place_text() {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    const auto place = launcher_place();
    return place ? fmt::format("rank {} of {} on {}: ", place->rank, place->size, host) : fmt::format("on {}: ", host);
  }

  std::unique_ptr<CommQueue> queue_;
  std::unique_ptr<QueueCommunicator> communicator_;
  bool abandoned_ = false;
};

// One rank: the same queue and code paths, with nobody to talk to.
class SelfWorld final : public World {
 public:
  explicit SelfWorld(const ThreadWorldOptions& options) : world_(1, options) {}
  QueueCommunicator& communicator() override { return world_.communicator(0); }
  CommQueue& queue() override { return world_.rank(0).queue(); }
  void abandon(const std::string& reason) override { world_.abort(0, reason); }

 private:
  ThreadWorld world_;
};

}  // namespace

std::optional<LauncherPlace> launcher_place() {
  static constexpr const char* pairs[][2] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMIX_RANK", "SLURM_STEP_NUM_TASKS"}, {"PMI_RANK", "PMI_SIZE"}};
  for (const auto& pair : pairs) {
    const auto rank = number_in(pair[0]), size = number_in(pair[1]);
    if (rank && size) return LauncherPlace{*rank, *size};
  }
  return std::nullopt;
}

std::unique_ptr<World> make_mpi_world(const MpiWorldOptions& options) {
  MpiWorldOptions checked = options;
  checked.group = with_environment(options.group);
  check_links(checked.links.has_value(), checked.group);
  const auto place = launcher_place();
  if (place && place->size > 1) return std::make_unique<MpiWorld>(checked);
  ThreadWorldOptions alone;
  static_cast<WorldOptions&>(alone) = checked;
  return std::make_unique<SelfWorld>(alone);
}

}  // namespace syncline

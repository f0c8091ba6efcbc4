// SPDX-License-Identifier: Apache-2.0
// Conformance of the MPI world, run by mpirun -n 2 to 4: integration_mpi_comm CASE. Ends with 0 when every check held on this rank, 1 when
// one did not, 4 when the case is meant to end by an error and did (its text on standard error).
#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/comm/mpi/mpi_world.h"
#include "engine/metrics/clock.h"
#include "tests/integration/overlap/link_times.h"

namespace syncline {
namespace {

int failures = 0;
int my_rank = 0;
void check(bool good, const std::string& what) {
  if (good) return;
  ++failures;
  fmt::print(stderr, "rank {}: {}\n", my_rank, what);
}

float cell(int rank, std::int64_t i) { return static_cast<float>((rank + 1) * 1000 + (i * 7 + rank * 13) % 997); }
View filled(int rank, std::int64_t count) {
  View view = View::host(count);
  for (std::int64_t i = 0; i < count; ++i) view.data()[i] = cell(rank, i);
  return view;
}
float cell_sum(int size, std::int64_t i) {
  float sum = 0;
  for (int rank = 0; rank < size; ++rank) sum += cell(rank, i);
  return sum;
}
std::int64_t wrong_sums(const View& view, int size, float scale, std::int64_t offset = 0) {
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < view.count(); ++i) wrong += view.data()[i] != scale * cell_sum(size, offset + i);
  return wrong;
}

MpiWorldOptions quick() {
  MpiWorldOptions options;
  options.queue.limit_s = 20;
  options.queue.start_limit_s = 60;
  return options;
}

void matrix(Communicator& comm) {
  const int rank = comm.rank(), size = comm.size();
  for (const std::int64_t count : {0, 1, size - 1, size, size + 1, 7, 1024, 100003, 1000003}) {
    const std::string at = fmt::format(" of {} elements", count);
    View same = filled(rank, count);
    comm.allreduce(same, same, {.scale_before = 2}).wait();
    check(wrong_sums(same, size, 2) == 0, "allreduce in place" + at);
    const View in = filled(rank, count), out = View::host(count);
    comm.allreduce(in, out).wait();
    check(wrong_sums(out, size, 1) == 0, "allreduce" + at);
    const View sum = View::host(count);
    comm.reduce(in, sum, size - 1, {.scale_before = 2}).wait();
    check(rank == size - 1 ? wrong_sums(sum, size, 2) == 0 : count == 0 || sum.data()[count / 2] == 0, "reduce" + at);
    View cast = filled(rank, count);
    comm.broadcast(cast, size - 1).wait();
    bool good = true;
    for (std::int64_t i = 0; i < count; ++i) good = good && cast.data()[i] == cell(size - 1, i);
    check(good, "broadcast" + at);
    const Part mine = part_of(rank, size, count);
    const View part = View::host(mine.count);
    comm.reduce_scatter(in, part).wait();
    check(wrong_sums(part, size, 1, mine.offset) == 0, "reduce_scatter" + at);
    const View all = View::host(count);
    comm.allgather(part, all).wait();
    check(wrong_sums(all, size, 1) == 0, "allgather" + at);
    comm.barrier().wait();
  }
  std::vector<ByteBuffer> all, in, out;
  comm.allgather_bytes(ByteBuffer(static_cast<std::size_t>(rank * 1000), std::byte{7}), all).wait();
  for (int r = 0; r < size; ++r)
    check(all[static_cast<std::size_t>(r)] == ByteBuffer(static_cast<std::size_t>(r * 1000), std::byte{7}), "allgather_bytes");
  for (int r = 0; r < size; ++r) out.emplace_back(static_cast<std::size_t>(rank * 100 + r), static_cast<std::byte>(r));
  comm.alltoall_bytes(out, in).wait();
  for (int r = 0; r < size; ++r) {
    check(in[static_cast<std::size_t>(r)] == ByteBuffer(static_cast<std::size_t>(r * 100 + rank), static_cast<std::byte>(rank)),
          "alltoall_bytes");
  }
}

void run_matrix(World& world) { matrix(world.communicator()); }

void messages(World& world) {
  auto& comm = world.communicator();
  const int rank = comm.rank(), size = comm.size();
  const View in = View::host(70000), out = filled(rank, 70000);
  Work receive = comm.receive(in, (rank + size - 1) % size, 5);
  Work send = comm.send(out, (rank + 1) % size, 5);
  receive.wait();
  send.wait();
  check(in.data()[69999] == cell((rank + size - 1) % size, 69999) && receive.bytes() == 280000, "a message that travels in segments");
  if (rank == 0) {
    auto box = comm.mailbox(9, 8, 3);
    int seen = 0;
    for (int i = 0; i < 10 * (size - 1); ++i) {
      const Message message = box->wait(10);
      seen += message.data.data()[0] == static_cast<float>(message.source) ? 1 : 0;
    }
    check(seen == 10 * (size - 1), "mailbox");
  } else {
    const View view = View::host(8);
    view.data()[0] = static_cast<float>(rank);
    for (int i = 0; i < 10; ++i) comm.send(view, 0, 9).wait();
  }
  comm.barrier().wait();
  const View small = View::host(2);
  Work never = comm.receive(small, any_source, 77);
  never.cancel();
  check(never.done() && never.source() == -1, "a cancelled receive");
  Work odd = comm.receive(small, (rank + size - 1) % size, 6);
  comm.send(filled(rank, 3), (rank + 1) % size, 6).wait();
  bool said = false;
  try {
    odd.wait();
  } catch (const UsageError&) {
    said = true;
  }
  check(said, "a message longer than its view is an error");
}

void groups(World& world) {
  auto& comm = world.communicator();
  const auto control = comm.duplicate("control");
  const auto half = comm.split(comm.rank() % 2, -comm.rank(), "half");
  check(half->size() == (comm.size() + 1 - comm.rank() % 2) / 2, "the size of a part");
  matrix(*control);
  matrix(*half);
  // Two communicators, asked in different order on different ranks: one queue carries out both.
  View a = filled(comm.rank(), 5000), b = filled(comm.rank(), 5000);
  Work first = comm.rank() == 0 ? comm.allreduce(a, a) : control->allreduce(b, b);
  Work second = comm.rank() == 0 ? control->allreduce(b, b) : comm.allreduce(a, a);
  first.wait();
  second.wait();
  check(wrong_sums(a, comm.size(), 1) == 0 && wrong_sums(b, comm.size(), 1) == 0, "two communicators in different order");
}

void order(World& world) {
  auto& comm = world.communicator();
  for (int step = 0; step < 5; ++step) {
    View view = filled(comm.rank(), 40000);
    Work works[4];
    const int forwards[4] = {0, 1, 2, 3}, mixed[4] = {2, 0, 3, 1};
    for (int i = 0; i < 4; ++i) {
      const int k = (comm.rank() + step) % 2 == 0 ? forwards[i] : mixed[i];
      works[k] = comm.allreduce(view.part(k * 10000, 10000), view.part(k * 10000, 10000), {.order = k});
    }
    for (Work& work : works) work.wait();
    check(wrong_sums(view, comm.size(), 1) == 0, "order given by number");
  }
}

void bits(World& world) {
  auto& comm = world.communicator();
  std::vector<float> first;
  for (const std::int64_t bucket : {30000, 1000, 7}) {
    View view = View::host(30000);
    RandomStream random(3, "rough", static_cast<std::uint64_t>(comm.rank()));
    for (std::int64_t i = 0; i < view.count(); ++i) view.data()[i] = static_cast<float>(random.normal() * std::exp(4 * random.normal()));
    std::vector<Work> works;
    for (std::int64_t at = 0; at < view.count(); at += bucket) {
      const View part = view.part(at, std::min(bucket, view.count() - at));
      works.push_back(comm.allreduce(part, part));
    }
    for (Work& work : works) work.wait();
    if (first.empty()) first.assign(view.data(), view.data() + view.count());
    check(std::memcmp(first.data(), view.data(), first.size() * 4) == 0, "bits change with the bucket");
  }
}

// Every schedule of the registry, with its defaults.
void allreduces(World& world) {
  const int size = world.size();
  for (const ScheduleEntry& entry : allreduce_schedules()) {
    GroupOptions options;
    options.allreduce = entry.name;
    if (entry.needs_machines) {
      if (size < 3) continue;  // no two levels
      for (int rank = 0; rank < size; ++rank) options.machines.push_back(rank / 2);
    }
    const auto comm = QueueCommunicator::world(world.queue(), options, entry.name);
    for (const std::int64_t count : {0, 1, size - 1, size + 1, 1024, 100003, 1000003}) {
      const std::string at = fmt::format("{} of {} elements", entry.name, count);
      View same = filled(world.rank(), count);
      comm->allreduce(same, same, {.scale_before = 2}).wait();
      check(wrong_sums(same, size, 2) == 0, at + " in place");
      const View in = filled(world.rank(), count), out = View::host(count);
      comm->allreduce(in, out).wait();
      check(wrong_sums(out, size, 1) == 0, at);
    }
    if (entry.build == nullptr) continue;
    for (const WireFormat format : {WireFormat::fp16, WireFormat::bf16}) {
      const View view = View::host(100003);
      for (std::int64_t i = 0; i < view.count(); ++i) view.data()[i] = static_cast<float>((world.rank() + i) % 17);
      comm->allreduce_as(format, view, view).wait();
      std::int64_t wrong = 0;
      for (std::int64_t i = 0; i < view.count(); ++i) {
        std::int64_t sum = 0;
        for (int rank = 0; rank < size; ++rank) sum += (rank + i) % 17;
        wrong += view.data()[i] != static_cast<float>(sum);
      }
      check(wrong == 0, fmt::format("{} with elements of 16 bits", entry.name));
    }
  }
}

void shaped(World& world) {
  matrix(world.communicator());
  View view = View::host(500000);  // 2 MB at 20 MB/s: each rank sends and receives 2 (p-1)/p of it
  const double expected = 2.0 * (world.size() - 1) / world.size() * 2e6 / 20e6 + 2 * 1e-3;
  // The best of five, and of more where it does not hold yet: a busy machine, or ranks that start apart, can only make it longer.
  double took = 1e9, used = 1e9;
  View doubtful = View::host(1);  // how many ranks want another try
  for (int repeat = 0; repeat < 50; ++repeat) {
    doubtful.data()[0] = took < 1.1 * expected && used < 0.05 ? 0 : 1;
    world.communicator().allreduce(doubtful, doubtful).wait();
    if (repeat >= 5 && doubtful.data()[0] == 0) break;
    world.communicator().barrier().wait();
    const double start = monotonic_s(), cpu = world.queue().thread_cpu_s();
    world.communicator().allreduce(view, view).wait();
    const double this_time = monotonic_s() - start;
    check(this_time > 0.97 * expected, fmt::format("2 MB took only {:.1f} ms instead of {:.1f}", this_time * 1e3, expected * 1e3));
    took = std::min(took, this_time);
    used = std::min(used, (world.queue().thread_cpu_s() - cpu) / this_time);
  }
  check(took < 1.1 * expected, fmt::format("2 MB took {:.1f} ms instead of {:.1f}", took * 1e3, expected * 1e3));
  check(used < 0.05, fmt::format("the communication thread used {:.1f} % of a core", 100 * used));
}

// What is measured needs the machine for itself: tests/integration/CMakeLists.txt, label overlap.
void links(World& world, bool shared) {
  for (const std::string& wrong : test::wrong_links_at_best(world, shared)) check(world.rank() != 0, wrong);
}

void idle(World& world) {
  world.communicator().barrier().wait();
  double least = 1;
  for (int tries = 0; tries < 10 && least >= 0.003; ++tries) {
    usleep(20000);
    const double cpu = world.queue().thread_cpu_s();
    usleep(300000);
    least = std::min(least, world.queue().thread_cpu_s() - cpu);
  }
  check(least < 0.003, fmt::format("an idle communicator uses {:.2f} % of a core", least / 0.3 * 100));
}

// Rank 1 leaves one call out; every rank must end with an error that names both operations.
void mismatch(World& world) {
  auto& comm = world.communicator();
  const View view = View::host(1000);
  for (int k = 0; k < 5; ++k) {
    if (world.rank() == 1 && k == 2) continue;
    const std::string label = fmt::format("bucket {}", k);
    comm.allreduce(view, view, {.id = k, .label = label}).wait();
  }
  check(false, "the difference was not noticed");
}

void silence(World& world) {
  world.set_step(12);
  const View view = View::host(1000);
  if (world.rank() == 1) {
    usleep(30000000);
    _exit(0);  // it never asks; rank 0 must have given up long before, and the launcher ends this one then
  }
  world.communicator().allreduce(view, view, {.label = "bucket 3"}).wait();
  check(false, "the silence was not noticed");
}

struct Case {
  std::function<void(World&)> run;
  MpiWorldOptions options = quick();
};

std::map<std::string, Case> cases() {
  std::map<std::string, Case> all{{"matrix", {run_matrix}}, {"messages", {messages}},  {"groups", {groups}},        {"order", {order}},
                                  {"bits", {bits}},         {"library", {run_matrix}}, {"shaped", {shaped}},        {"idle", {idle}},
                                  {"mismatch", {mismatch}}, {"silence", {silence}},    {"allreduces", {allreduces}}};
  all["links"] = {[](World& world) { links(world, false); }};
  all["shared_links"] = {[](World& world) { links(world, true); }};
  all["topology"] = {run_matrix};
  all["links"].options.links = test::measured_links(false);
  all["shared_links"].options.links = test::measured_links(true);
  all["topology"].options.links = test::measured_links(true, 20);
  all["messages"].options.group.segment_bytes = 100000;
  all["library"].options.group.allreduce = "library";
  all["shaped"].options.links = LinkModel{{.bytes_per_s = 20e6, .latency_s = 1e-3}, {}};
  all["mismatch"].options.group.check = true;
  all["silence"].options.queue.limit_s = 1;
  return all;
}

}  // namespace
}  // namespace syncline

int main(int argc, char** argv) {
  using namespace syncline;
  process_cores();
  const auto all = cases();
  for (int i = 1; i < argc; ++i) {
    const auto found = all.find(argv[i]);
    if (found == all.end() || (argc > 2)) {
      fmt::print(
          stderr,
          "give one case: matrix allreduces messages groups order bits library shaped topology links shared_links idle mismatch silence\n");
      return 2;
    }
    try {
      const auto world = make_mpi_world(found->second.options);
      my_rank = world->rank();
      try {
        found->second.run(*world);
      } catch (const Error& error) {
        fmt::print(stderr, "rank {} ends: {}\n", my_rank, error.what());
        std::fflush(stderr);
        usleep(300000);  // the launcher ends the others as soon as one leaves; let them say theirs
        _exit(failures > 0 ? 1 : 4);
      }
    } catch (const Error& error) {
      fmt::print(stderr, "start: {}\n", error.what());
      _exit(4);
    }
  }
  return failures > 0 ? 1 : 0;
}

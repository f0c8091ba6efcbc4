// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi/shared_board.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "engine/base/error.h"

namespace syncline {

namespace {

struct Opening {
  char name[64] = {};
  std::uint64_t token = 0;
};  // broadcast by rank 0; an empty name: it could not

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

// The token at the end of the memory tells it from memory of the same name on another machine.
void* map(int descriptor, std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

std::shared_ptr<LinkBoard> open_shared_board(MpiTransport& transport, const LinkModel& model) {
  const std::size_t board_bytes = LinkBoard::shared_bytes(model, transport.size()), bytes = board_bytes + sizeof(std::uint64_t);
  Opening opening;
  void* memory = nullptr;
  int trouble = 0;
  if (transport.rank() == 0) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    opening.token = static_cast<std::uint64_t>(now.tv_nsec) ^ (static_cast<std::uint64_t>(getpid()) << 32);
    const std::string name = fmt::format("/syncline-links-{}-{:x}", getpid(), opening.token);
    const int descriptor = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) memory = map(descriptor, bytes);
    if (memory == nullptr) {
      trouble = errno;
    } else {
      std::memcpy(static_cast<std::byte*>(memory) + board_bytes, &opening.token, sizeof opening.token);
      name.copy(opening.name, sizeof opening.name - 1);
    }
  }
  const MPI_Comm comm = transport.communicator();
  check_mpi(MPI_Bcast(&opening, static_cast<int>(sizeof opening), MPI_BYTE, 0, comm), "MPI_Bcast");
  if (transport.rank() != 0 && opening.name[0] != 0) {
    const int descriptor = shm_open(opening.name, O_RDWR | O_CLOEXEC, 0);
    if (descriptor >= 0) memory = map(descriptor, bytes);
    std::uint64_t token = 0;
    if (memory != nullptr) std::memcpy(&token, static_cast<std::byte*>(memory) + board_bytes, sizeof token);
    if (token != opening.token) memory = nullptr;
  }
  int mine = memory != nullptr ? transport.size() : transport.rank(), lowest_without = 0;
  check_mpi(MPI_Allreduce(&mine, &lowest_without, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (transport.rank() == 0 && opening.name[0] != 0) shm_unlink(opening.name);
  if (lowest_without == 0) {
    throw TrainingError(fmt::format("rank 0 on {} cannot make {} bytes of shared memory for the emulated links{}; /dev/shm must have room",
                                    host_name(), bytes, trouble != 0 ? fmt::format(" ({})", std::strerror(trouble)) : std::string()));
  }
  if (lowest_without < transport.size()) {
    throw ConfigError(
        fmt::format("emulated links need all ranks on one machine, and rank {} does not share memory with rank 0; start all ranks on "
                    "one machine or set cluster.link.emulate = false",
                    lowest_without),
        {.file = "", .key = "cluster.link.emulate"});
  }
  auto board =
      LinkBoard::in_memory(model, transport.size(), memory, std::shared_ptr<void>(memory, [bytes](void* at) { munmap(at, bytes); }));
  board->all_offers().publish(transport.rank());
  check_mpi(MPI_Barrier(comm), "MPI_Barrier");
  int reads = board->all_offers().usable() ? 1 : 0, all_read = 0;
  check_mpi(MPI_Allreduce(&reads, &all_read, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (all_read != 0) board->let_receivers_read();
  return board;
}

}  // namespace syncline

// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/mpi/mpi_transport.h"

#include <fmt/core.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <numeric>
#include <string>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/metrics/clock.h"

namespace syncline {

namespace {

// How long a cancelled receive may take to settle. A peer that died half-way through a message never lets it.
constexpr double cancel_limit_s = 0.01;
constexpr std::int64_t library_piece = 1 << 30;  // elements of one MPI_Allreduce: its counts are int

// A message that asks before it is sent (rendezvous) waits for an answer that queues behind what the peer is sending us, on one connection:
// over TCP the two directions then take turns, and an exchange takes twice its time. Our chunks (256 KiB) therefore go without asking;
// receives are posted before. What the user has set stays.
void prefer_messages_without_questions() {
  constexpr const char* longest = "294912";  // bytes: a chunk with its headers
  for (const char* name : {"OMPI_MCA_btl_tcp_eager_limit", "OMPI_MCA_btl_tcp_max_send_size"}) ::setenv(name, longest, 0);
}

}  // namespace

void check_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw PeerLost(fmt::format("{} failed: {}", call, std::string(text, static_cast<std::size_t>(length))));
}

MpiTransport::MpiTransport() {
  int provided = 0;
  prefer_messages_without_questions();
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_FUNNELED) throw TrainingError("this MPI library allows no threads; it must be built with MPI_THREAD_FUNNELED");
  // The default ends the process inside the library; with this, duplicates inherit that calls return their errors.
  check_mpi(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  MPI_Comm world = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &world), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  contexts_.push_back(world);
  check_mpi(MPI_Comm_rank(world, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(world, &size_), "MPI_Comm_size");
}

int MpiTransport::make_context(int parent, std::span<const int> members, std::string_view key) {
  const MPI_Comm from = contexts_.at(static_cast<std::size_t>(parent));
  MPI_Group all = MPI_GROUP_NULL, chosen = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(from, &all), "MPI_Comm_group");
  check_mpi(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &chosen), "MPI_Group_incl");
  MPI_Comm made = MPI_COMM_NULL;
  // Collective over the members alone; the tag keeps two groups that are made at the same moment apart.
  check_mpi(MPI_Comm_create_group(from, chosen, static_cast<int>(stream_key(0, key) & 0x7fff), &made), "MPI_Comm_create_group");
  check_mpi(MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Group_free(&chosen), "MPI_Group_free");
  check_mpi(MPI_Group_free(&all), "MPI_Group_free");
  contexts_.push_back(made);
  return static_cast<int>(contexts_.size()) - 1;
}

int MpiTransport::message_bytes(std::int64_t bytes) const {
  if (bytes < 0 || bytes > INT_MAX) throw UsageError(fmt::format("internal error: one MPI message of {} bytes; split it", bytes));
  return static_cast<int>(bytes);
}

Transport::Handle MpiTransport::start(MPI_Request request) {
  if (free_.empty()) {
    free_.push_back(static_cast<Handle>(requests_.size()));
    requests_.emplace_back();
  }
  const Handle handle = free_.back();
  free_.pop_back();
  requests_[static_cast<std::size_t>(handle)] = {.open = true, .done = false, .completion = {}};
  active_.push_back(request);
  owners_.push_back(handle);
  return handle;
}

void MpiTransport::release(Handle handle) {
  requests_[static_cast<std::size_t>(handle)].open = false;
  free_.push_back(handle);
}

Transport::Handle MpiTransport::send(const void* data, std::int64_t bytes, int context, int peer, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, message_bytes(bytes), MPI_BYTE, peer, tag, contexts_[static_cast<std::size_t>(context)], &request),
            "MPI_Isend");
  return start(request);
}

Transport::Handle MpiTransport::receive(void* data, std::int64_t capacity, int context, int peer, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, message_bytes(capacity), MPI_BYTE, peer == any_source ? MPI_ANY_SOURCE : peer,
                      tag == any_tag ? MPI_ANY_TAG : tag, contexts_[static_cast<std::size_t>(context)], &request),
            "MPI_Irecv");
  return start(request);
}

bool MpiTransport::take(Handle handle, Completion& completion) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  if (!request.done) return false;
  completion = request.completion;
  release(handle);
  return true;
}

// Takes a finished request out of the dense arrays and notes what became of it.
void MpiTransport::settle(std::size_t position, int code, const MPI_Status& status) {
  Request& request = requests_[static_cast<std::size_t>(owners_[position])];
  active_[position] = active_.back();
  owners_[position] = owners_.back();
  active_.pop_back();
  owners_.pop_back();
  int kind = MPI_SUCCESS, bytes = 0;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &kind);
  request.completion.truncated = kind == MPI_ERR_TRUNCATE;
  if (code != MPI_SUCCESS && !request.completion.truncated) check_mpi(code, "a message");
  if (!request.completion.truncated) check_mpi(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  request.completion.source = status.MPI_SOURCE;
  request.completion.tag = status.MPI_TAG;
  request.completion.bytes = bytes;
  request.done = true;
}

bool MpiTransport::poll() {
  if (active_.empty()) return false;
  const int count = static_cast<int>(active_.size());
  indices_.resize(active_.size());
  statuses_.resize(active_.size());
  int finished = 0;
  const int code = MPI_Testsome(count, active_.data(), &finished, indices_.data(), statuses_.data());
  int kind = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &kind);
  if (code != MPI_SUCCESS && kind != MPI_ERR_IN_STATUS) check_mpi(code, "MPI_Testsome");
  if (finished <= 0) return false;  // none, or MPI_UNDEFINED
  // From the highest position down, since settling moves the last entry into the gap.
  const std::vector<int>& done = indices_;
  order_.resize(static_cast<std::size_t>(finished));
  std::iota(order_.begin(), order_.end(), 0);
  std::sort(order_.begin(), order_.end(),
            [&done](int a, int b) { return done[static_cast<std::size_t>(a)] > done[static_cast<std::size_t>(b)]; });
  for (const int i : order_) {
    const auto at = static_cast<std::size_t>(i);
    settle(static_cast<std::size_t>(done[at]), kind == MPI_ERR_IN_STATUS ? statuses_[at].MPI_ERROR : MPI_SUCCESS, statuses_[at]);
  }
  return true;
}

bool MpiTransport::cancel(Handle handle) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  const auto found = std::find(owners_.begin(), owners_.end(), handle);
  if (request.done || found == owners_.end()) return false;
  const auto position = static_cast<std::size_t>(found - owners_.begin());
  check_mpi(MPI_Cancel(&active_[position]), "MPI_Cancel");
  MPI_Status status{};
  int finished = 0, cancelled = 0;
  for (const double until = monotonic_s() + cancel_limit_s; finished == 0 && monotonic_s() < until;) {
    check_mpi(MPI_Test(&active_[position], &finished, &status), "MPI_Test");
  }
  if (finished == 0) return false;
  check_mpi(MPI_Test_cancelled(&status, &cancelled), "MPI_Test_cancelled");
  if (cancelled == 0) {
    settle(position, MPI_SUCCESS, status);
    return false;
  }
  active_[position] = active_.back();
  owners_[position] = owners_.back();
  active_.pop_back();
  owners_.pop_back();
  release(handle);
  return true;
}

bool MpiTransport::library_allreduce(const void* in, void* out, std::int64_t count, Op op, int context) {
  const MPI_Datatype type = op == Op::bit_and ? MPI_INT32_T : MPI_FLOAT;
  const MPI_Op operation = op == Op::sum ? MPI_SUM : op == Op::max ? MPI_MAX : MPI_BAND;
  for (std::int64_t begin = 0; begin < count; begin += library_piece) {
    const int piece = static_cast<int>(std::min(library_piece, count - begin));
    const auto* from = static_cast<const float*>(in) + begin;
    auto* into = static_cast<float*>(out) + begin;
    check_mpi(MPI_Allreduce(in == out ? MPI_IN_PLACE : static_cast<const void*>(from), into, piece, type, operation,
                            contexts_[static_cast<std::size_t>(context)]),
              "MPI_Allreduce");
  }
  return true;
}

void MpiTransport::close() {
  for (auto comm = contexts_.rbegin(); comm != contexts_.rend(); ++comm) check_mpi(MPI_Comm_free(&*comm), "MPI_Comm_free");
  contexts_.clear();
  check_mpi(MPI_Finalize(), "MPI_Finalize");
}

}  // namespace syncline

// SPDX-License-Identifier: Apache-2.0
#include "engine/comm/shaped.h"

#include <algorithm>
#include <ctime>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/random.h"
#include "engine/experiment/layer_profile.h"

namespace syncline {

namespace {

std::int64_t now_in_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// Messages whose bytes are under way are looked at at least this often; everything else announces itself by the bell.
constexpr double longest_pause_s = 2e-3;
constexpr std::int64_t longest_send_delay_ns = 200'000;

}  // namespace

void check_links(bool emulated, const GroupOptions& options) {
  if (!emulated || options.allreduce != "library") return;
  throw ConfigError(
      "an emulated link needs allreduce = \"direct\": the library's own allreduce moves its bytes without asking the link; set "
      "cluster.link.emulate = false to use it",
      {.file = "", .key = "strategy.allreduce"});
}

std::optional<LinkModel> emulated_links(const ClusterSpec& described) {
  if (!described.emulate_link) return std::nullopt;
  ClusterSpec cluster = described;
  scale_links(cluster);
  if (!cluster.nodes.empty()) return LinkModel{.card = {}, .topology = std::make_shared<const Topology>(cluster)};
  const LinkSpec& link = cluster.links.at(0);  // [cluster.link]
  return LinkModel{.card = {.bytes_per_s = link.bandwidth_bytes_per_s, .latency_s = link.latency_s}};
}

ShapedTransport::ShapedTransport(std::unique_ptr<Transport> inner, std::shared_ptr<LinkBoard> board)
    : inner_(std::move(inner)), board_(std::move(board)) {
  Context world;
  world.world.resize(static_cast<std::size_t>(inner_->size()));
  std::iota(world.world.begin(), world.world.end(), 0);
  world.rank = inner_->rank();
  contexts_.emplace(world_context, std::move(world));
}

int ShapedTransport::make_context(int parent, std::span<const int> members, std::string_view key) {
  const Context& from = contexts_.at(parent);
  Context made;
  made.name = stream_key(0, key);
  for (const int member : members) made.world.push_back(from.world[static_cast<std::size_t>(member)]);
  made.rank = static_cast<int>(std::find(made.world.begin(), made.world.end(), rank()) - made.world.begin());
  const int context = inner_->make_context(parent, members, key);
  contexts_[context] = std::move(made);
  return context;
}

Transport::Handle ShapedTransport::allot() {
  if (free_.empty()) {
    free_.push_back(static_cast<Handle>(requests_.size()));
    requests_.emplace_back();
  }
  const Handle handle = free_.back();
  free_.pop_back();
  Request& request = requests_[static_cast<std::size_t>(handle)];
  request.completion = {};
  request.body = -1;
  request.offer = Offers::none;
  request.asked = false;
  request.due_ns = 0;
  open_.push_back(handle);
  return handle;
}

void ShapedTransport::release(Handle handle) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  request.state = Request::free;
  request.overflow = {};
  open_.erase(std::find(open_.begin(), open_.end(), handle));
  free_.push_back(handle);
}

Transport::Handle ShapedTransport::send(const void* data, std::int64_t bytes, int context, int peer, int tag) {
  const Handle handle = allot();
  Request& request = requests_[static_cast<std::size_t>(handle)];
  const Context& group = contexts_.at(context);
  const int to = group.world[static_cast<std::size_t>(peer)];
  request.sending = true;
  request.state = Request::queued;
  request.data = const_cast<void*>(data);  // only read
  request.other = to;
  request.context = context;
  request.peer = peer;
  request.due_ns = request.wake_ns = LinkBoard::later;
  request.reserved = 0;
  request.what = {group.name, bytes, LinkBoard::later, group.rank, tag, 0, 0, 0};
  flows_[to].waiting.push_back(handle);
  announce_all();
  take_turns(to, now_in_ns());
  return handle;
}

// Gives the oldest messages to this rank their time, as far ahead as the link allows.
void ShapedTransport::take_turns(int to, std::int64_t now_ns) {
  Flow& flow = flows_[to];
  const std::int64_t turn = board_->turn_bytes(rank(), to);
  while (!flow.waiting.empty() && (turn == 0 || flow.taken_ns - now_ns < LinkBoard::most_ahead_ns)) {
    Request& request = requests_[static_cast<std::size_t>(flow.waiting.front())];
    LinkBoard::Announcement& what = request.what;
    const std::int64_t left = what.bytes - request.reserved, piece = turn == 0 ? left : std::min(left, turn);
    const LinkBoard::Reservation reserved = board_->reserve(rank(), to, piece, now_ns);
    flow.taken_ns = reserved.taken_ns;
    const bool first = request.reserved == 0;
    request.reserved += piece;
    if (first) start_body(request);
    if (piece < left) {
      if (first) tell(to, what);
      continue;
    }
    what.due_ns = reserved.due_ns;
    what.ends_earlier = first ? 0 : 1;
    request.due_ns = reserved.left_ns;
    // That a send has ended is noticed a little later: at the time when it arrives something else is often due as well, and every time that
    // the thread wakes up costs the compute on its core.
    request.wake_ns = std::min(reserved.due_ns, reserved.left_ns + longest_send_delay_ns);
    tell(to, what);
    flow.waiting.erase(flow.waiting.begin());
  }
}

void ShapedTransport::start_body(Request& request) {
  LinkBoard::Announcement& what = request.what;
  request.state = what.bytes > 0 ? Request::moving : Request::arrived;  // an empty message is its announcement
  if (what.bytes == 0) return;
  if (board_->offers() != nullptr) request.offer = board_->offers()->make(rank(), request.other);
  if (request.offer != Offers::none) {
    what.body = request.offer;
    what.address = reinterpret_cast<std::uintptr_t>(request.data);
  } else {
    what.body = next_body_tag_;
    request.body = inner_->send(request.data, what.bytes, request.context, request.peer, what.body);
    next_body_tag_ = (next_body_tag_ + 1) % 32768;
  }
}

void ShapedTransport::tell(int to, const LinkBoard::Announcement& what) {
  if (!unannounced_.empty() || !announce(to, what)) unannounced_.emplace_back(to, what);
}

bool ShapedTransport::announce(int to, const LinkBoard::Announcement& what) {
  if (!board_->announce(rank(), to, what)) return false;
  if (what.due_ns == LinkBoard::later || board_->sleeps_past(to, what.due_ns)) board_->bell(to).ring();
  return true;
}

void ShapedTransport::announce_all() {
  while (!unannounced_.empty() && announce(unannounced_.front().first, unannounced_.front().second)) unannounced_.pop_front();
}

bool ShapedTransport::matches(const Request& receive, const Unmatched& message) const {
  return contexts_.at(receive.context).name == message.what.context &&
         (receive.peer == any_source || receive.peer == message.what.source) && (receive.tag == any_tag || receive.tag == message.what.tag);
}

void ShapedTransport::match(Handle handle, const Unmatched& message) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  request.due_ns = request.wake_ns = message.what.due_ns;
  request.other = message.from;
  request.completion.source = message.what.source;
  request.completion.tag = message.what.tag;
  request.completion.bytes = std::min(message.what.bytes, request.capacity);
  request.completion.truncated = message.what.bytes > request.capacity;
  if (message.what.bytes == 0) {
    request.state = Request::arrived;
    return;
  }
  request.state = Request::moving;
  if (message.what.address != 0) {
    const bool read =
        board_->offers()->read(message.from, rank(), message.what.body, message.what.address, request.data, request.completion.bytes);
    if (read) request.state = Request::arrived;
    // A sender that withdrew has given up: its message never comes, and the limits or the launcher tell of it.
    if (read && board_->offers()->wanted(message.from)) board_->bell(message.from).ring();
    return;
  }
  void* into = request.data;
  if (request.completion.truncated) {
    request.overflow.resize(static_cast<std::size_t>(message.what.bytes));
    into = request.overflow.data();
  }
  request.body = inner_->receive(into, message.what.bytes, request.context, message.what.source, message.what.body);
  board_->bell(message.from).ring();  // the sender's transport may have to push
}

Transport::Handle ShapedTransport::receive(void* data, std::int64_t capacity, int context, int peer, int tag) {
  const Handle handle = allot();
  Request& request = requests_[static_cast<std::size_t>(handle)];
  request.sending = false;
  request.state = Request::posted;
  request.data = data;
  request.capacity = capacity;
  request.context = context;
  request.peer = peer;
  request.tag = tag;
  const auto found =
      std::find_if(unmatched_.begin(), unmatched_.end(), [&](const Unmatched& message) { return matches(request, message); });
  if (found == unmatched_.end()) {
    posted_.push_back(handle);
    return handle;
  }
  const Unmatched message = *found;
  unmatched_.erase(found);
  match(handle, message);
  return handle;
}

bool ShapedTransport::take(Handle handle, Completion& completion) {
  const Request& request = requests_[static_cast<std::size_t>(handle)];
  if (request.state != Request::arrived || !ready(request, now_in_ns())) return false;
  completion = request.completion;
  release(handle);
  return true;
}

bool ShapedTransport::cancel(Handle handle) {
  Request& request = requests_[static_cast<std::size_t>(handle)];
  if (request.state == Request::posted) {
    posted_.erase(std::find(posted_.begin(), posted_.end(), handle));
    release(handle);
    return true;
  }
  if (request.sending) {
    std::vector<Handle>& waiting = flows_[request.other].waiting;
    const auto found = std::find(waiting.begin(), waiting.end(), handle);
    if (found != waiting.end()) waiting.erase(found);
    if (request.state == Request::queued) {
      release(handle);
      return true;
    }
  }
  if (request.offer != Offers::none) board_->offers()->withdraw(rank(), request.other, request.offer);
  if (request.body >= 0) inner_->cancel(request.body);
  request.offer = Offers::none;
  request.body = -1;
  return false;
}

// The receiver has read most of them long before the link is done. Of those that are late their sender asks to be rung, and looks after
// that.
void ShapedTransport::look_at_offers(std::int64_t now_ns) {
  const auto late = [now_ns](const Request& request) { return request.offer != Offers::none && now_ns >= request.due_ns; };
  bool asked = false;
  for (const Handle handle : open_) {
    Request& request = requests_[static_cast<std::size_t>(handle)];
    if (!late(request)) continue;
    if (!asked) board_->offers()->want(rank());
    asked = request.asked = true;
    if (!board_->offers()->taken(rank(), request.other, request.offer)) continue;
    request.offer = Offers::none;
    request.state = Request::arrived;
  }
}

void ShapedTransport::hear(const Unmatched& message) {
  const auto found = std::find_if(posted_.begin(), posted_.end(),
                                  [&](Handle handle) { return matches(requests_[static_cast<std::size_t>(handle)], message); });
  if (found == posted_.end()) {
    unmatched_.push_back(message);
    return;
  }
  const Handle handle = *found;
  posted_.erase(found);
  match(handle, message);
}

// There is one message at most from a sender whose end is not known yet: its next one begins after that.
void ShapedTransport::hear_end(const Unmatched& message) {
  for (const Handle handle : open_) {
    Request& request = requests_[static_cast<std::size_t>(handle)];
    const bool under_way = request.state == Request::moving || request.state == Request::arrived;
    if (request.sending || !under_way || request.other != message.from || request.due_ns != LinkBoard::later) continue;
    request.due_ns = request.wake_ns = message.what.due_ns;
    return;
  }
  for (Unmatched& each : unmatched_) {
    if (each.from == message.from && each.what.due_ns == LinkBoard::later) each.what.due_ns = message.what.due_ns;
  }
}

bool ShapedTransport::poll() {
  announce_all();
  LinkBoard::Announcement what;
  for (int from = 0; from < size(); ++from) {
    while (from != rank() && board_->next(from, rank(), what)) {
      if (what.ends_earlier != 0) {
        hear_end({what, from});
      } else {
        hear({what, from});
      }
    }
  }
  inner_->poll();
  const std::int64_t now = now_in_ns();
  for (const auto& [to, flow] : flows_) {
    if (!flow.waiting.empty()) take_turns(to, now);
  }
  if (board_->offers() != nullptr) look_at_offers(now);
  bool any = false;
  Completion completion;
  for (const Handle handle : open_) {
    Request& request = requests_[static_cast<std::size_t>(handle)];
    if (request.body >= 0 && inner_->take(request.body, completion)) {
      request.body = -1;
      request.state = Request::arrived;
      if (!request.sending) board_->bell(request.other).ring();  // its send is over too
    }
    any = any || ready(request, now);
  }
  return any;
}

double ShapedTransport::due_s() const {
  std::int64_t due = INT64_MAX;
  for (const Handle handle : open_) {
    const Request& request = requests_[static_cast<std::size_t>(handle)];
    if (request.state == Request::arrived || (request.offer != Offers::none && !request.asked)) due = std::min(due, request.wake_ns);
  }
  for (const auto& [to, flow] : flows_) {
    if (!flow.waiting.empty()) due = std::min(due, flow.taken_ns - LinkBoard::most_ahead_ns + 1);
  }
  // Whoever announces a message after this line rings, unless it is due later.
  board_->sleeps_until(rank(), due);
  if (!board_->nothing_before(rank(), due)) return 0;
  return due == INT64_MAX ? inner_->due_s() : std::min(inner_->due_s(), static_cast<double>(due) * 1e-9);
}

double ShapedTransport::longest_sleep_s() const {
  const double inner = inner_->longest_sleep_s();
  if (inner > longest_pause_s && inner < 1) return inner;
  const bool waiting =
      std::any_of(open_.begin(), open_.end(), [this](Handle handle) { return requests_[static_cast<std::size_t>(handle)].body >= 0; });
  if (inner >= 1) return inner;  // the transport underneath rings by itself
  return waiting || !unannounced_.empty() ? longest_pause_s : forever_s;
}

}  // namespace syncline

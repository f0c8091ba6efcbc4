// SPDX-License-Identifier: Apache-2.0
// Laanait et al. 2019 / Romero et al. 2022: from the second step on an all-reduce (bitwise and) of a few words says which buckets are ready
// on all ranks. Bit 3 + c stands for tensor c of the response cache, whose numbers are the same everywhere. The status bits are stored the
// other way round, 1 for "nothing special", so that the and says whether any rank has something:
//   bit 0: nobody wants to stop; bit 1: nobody has a tensor that is not in the cache; bit 2: nobody holds an entry that has changed.
#include <fmt/core.h>

#include <algorithm>

#include "engine/base/error.h"
#include "engine/comm/orchestrations/entries.h"
#include "engine/comm/orchestrations/report_table.h"
#include "engine/comm/orchestrations/response_cache.h"

namespace syncline {

namespace {

constexpr std::uint64_t nobody_stops = 1, nobody_has_unknown = 2, nobody_has_changed = 4;
constexpr int first_tensor = 3;

void set_bit(std::vector<std::uint64_t>& words, int bit) { words[static_cast<std::size_t>(bit) / 64] |= std::uint64_t{1} << (bit % 64); }
bool has_bit(const std::vector<std::uint64_t>& words, int bit) {
  return (words[static_cast<std::size_t>(bit) / 64] >> (bit % 64) & 1) != 0;
}

class Bitvector final : public ReleasePolicy {
 public:
  explicit Bitvector(const ReleaseSetup& setup) : ReleasePolicy(setup), cache_(setup.cache_capacity), table_(setup.ranks) {}
  std::int64_t known() const override { return cache_.size(); }
  std::uint64_t state_hash() const override { return cache_.hash(); }

  Round begin(double now_s) override {
    look(now_s);
    words.assign(static_cast<std::size_t>(bit_words(cache_.size())), 0);
    words[0] = (stop_asked_ ? 0 : nobody_stops) | (unknown_ ? 0 : nobody_has_unknown) | (changed_.empty() ? nobody_has_changed : 0);
    for (const int id : ready_) set_bit(words, first_tensor + id);
    at_ = At::combined;
    return Round::bits_and;
  }

  Round next(double now_s) override {
    if (at_ == At::combined) {
      status_ = words[0];
      take_common();
      if ((status_ & nobody_has_changed) == 0) {
        std::fill(words.begin(), words.end(), 0);
        for (const int id : changed_) set_bit(words, first_tensor + id);
        at_ = At::changed;
        return Round::bits_or;
      }
    } else if (at_ == At::changed) {
      erase_changed();
    } else {
      take_reply();
      return over();
    }
    if ((status_ & nobody_has_unknown) != 0) return over();
    tell(now_s);
    at_ = At::told;
    ++slow_paths_;
    return Round::to_root;
  }

  void answer(std::span<const ByteBuffer> reports, double now_s) override {
    Reply all;
    bool stalled = false;
    std::vector<std::vector<char>> ready_on(static_cast<std::size_t>(cache_.size()), std::vector<char>(reports.size()));
    std::vector<char> late(ready_on.size());
    for (std::size_t rank = 0; rank < reports.size(); ++rank) {
      const Report report_of = read_report(reports[rank]);
      stalled = stalled || (report_of.flags & Report::stalled) != 0;
      table_.take(static_cast<int>(rank), report_of, now_s);
      for (const std::uint32_t each : report_of.waiting) {
        const std::uint32_t id = each & ~Report::too_long;
        if (id >= ready_on.size()) continue;
        ready_on[id][rank] = 1;
        if (id != each) late[id] = 1;
      }
    }
    all.error = table_.error();
    table_.answer(all);
    if (stalled) {
      all.stalled = table_.missing(now_s - setup_.stall_warning_s / 2);  // a report comes later than what it is about
      for (std::size_t id = 0; id < ready_on.size(); ++id) {
        const bool everywhere = std::find(ready_on[id].begin(), ready_on[id].end(), char{0}) == ready_on[id].end();
        if (late[id] == 0 || everywhere) continue;
        all.stalled += (all.stalled.empty() ? "" : "; ") + readiness_text(cache_.entry(static_cast<int>(id)).name, ready_on[id]);
      }
    }
    write(all, reply);
  }

 private:
  enum class At : std::uint8_t { combined, changed, told };

  void look(double now_s) {
    ready_.clear();
    changed_.clear();
    // Complete ones that found no room in the last reply ask for another one.
    unknown_ = table_.left();
    stalled_here_ = false;
    for (const Pending& each : pending_) {
      stalled_here_ = stalled_here_ || now_s - std::max(each.request.asked_s, warned_s_) >= setup_.stall_warning_s;
      if (each.told) continue;
      int id = -1;
      switch (cache_.find(each.request.name, each.request.count, each.request.op, id)) {
        case ResponseCache::Found::hit:
          ready_.push_back(id);
          break;
        case ResponseCache::Found::invalid:
          changed_.push_back(id);
          unknown_ = true;
          break;
        case ResponseCache::Found::miss:
          unknown_ = true;
      }
    }
    if (stalled_here_) warned_s_ = now_s;
    unknown_ = unknown_ || stalled_here_;  // the way to rank 0, which can say who keeps whom waiting
  }

  // Released at once, in ascending order of their numbers; what is left of the ready ones waits for the next cycle.
  void take_common() {
    names_.clear();
    for (int id = 0; id < cache_.size(); ++id) {
      if (!has_bit(words, first_tensor + id)) continue;
      names_.push_back(cache_.entry(id).name);
      cache_.touch(id);
    }
    release(names_);
  }

  void erase_changed() {
    erased_.clear();
    for (int id = 0; id < cache_.size(); ++id)
      if (has_bit(words, first_tensor + id)) erased_.push_back(id);
    cache_.erase(erased_);
    ++erasures_;
  }

  void tell(double now_s) {
    ReportWriter writer(report, stalled_here_ ? Report::stalled : 0);
    waiting_.clear();
    bool room = true;
    for (Pending& each : pending_) {
      int id = -1;
      if (each.told) continue;
      if (cache_.find(each.request.name, each.request.count, each.request.op, id) == ResponseCache::Found::hit) {
        const bool late = now_s - each.request.asked_s >= setup_.stall_warning_s;
        waiting_.push_back(static_cast<std::uint32_t>(id) | (late ? Report::too_long : 0));
        continue;
      }
      room = room && writer.add({each.request.name, each.request.count, each.request.op});
      each.told = room;
    }
    writer.close(waiting_);
    requests_told = writer.requests();
  }

  void take_reply() {
    const Reply all = read_reply(reply);
    if (!all.error.empty()) throw TrainingError(all.error);
    names_.clear();
    for (const Told& told : all.released) names_.push_back(told.name);
    release(names_);
    bool full = false;
    for (const Told& told : all.released) full = cache_.insert(told.name, told.count, told.op) || full;
    if (full && !thrash_told_) {
      thrash_told_ = true;
      if (setup_.rank == 0)
        warnings_.push_back(
            fmt::format("strategy.orchestration_options.cache_capacity = {} has no room for all buckets of a step, so they push each other "
                        "out and every step asks rank 0; a larger cache would be right",
                        setup_.cache_capacity));
    }
    note_stall(all.stalled);
  }

  Round over() {
    stopped_ = stopped_ || (status_ & nobody_stops) == 0;
    return Round::over;
  }

  ResponseCache cache_;
  ReportTable table_;  // rank 0's
  At at_ = At::combined;
  std::uint64_t status_ = 0;
  std::vector<int> ready_, changed_, erased_;
  std::vector<std::uint32_t> waiting_;
  std::vector<std::string_view> names_;
  bool unknown_ = false, stalled_here_ = false, thrash_told_ = false;
  double warned_s_ = -1e300;
};

constexpr Parameter parameters[] = {cycle_time_key,
                                    control_message_cost_key,
                                    stall_warning_key,
                                    separate_groups_key,
                                    fusion_threshold_key,
                                    {.key = "cache_capacity",
                                     .symbol = "n_max",
                                     .help = "Tensors that are remembered from earlier steps and need one bit each; 0 remembers none.",
                                     .kind = Parameter::integer,
                                     .initial = std::int64_t{1024},
                                     .least = 0,
                                     .most = 1e6,
                                     .advanced = true,
                                     .section = "Parameters"}};

}  // namespace

constexpr OrchestrationEntry bitvector_entry = {
    .name = "bitvector",
    .title = "Bit vector",
    .paper = "bitvector-allreduce",
    .summary = "Ranks combine a few words of bits to find what is ready on all of them: right for any order, and cheap with many ranks.",
    .parameters = parameters,
    .make = [](const ReleaseSetup& setup) -> std::unique_ptr<ReleasePolicy> { return std::make_unique<Bitvector>(setup); },
    .cycle_cost_s = [](const ControlCost& cost, std::int64_t tensors, double) { return bits_cost_s(cost, tensors); }};

}  // namespace syncline

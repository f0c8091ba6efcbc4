// SPDX-License-Identifier: Apache-2.0
// Ranks of a release policy without any world between them: every round is done in memory, so a thousand steps take a moment.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/comm/orchestrations/policy.h"

namespace syncline::test {

class Negotiation {
 public:
  Negotiation(std::string_view name, int ranks, ReleaseSetup setup = {}) {
    for (int rank = 0; rank < ranks; ++rank) {
      setup.rank = rank;
      setup.ranks = ranks;
      policies_.push_back(orchestration(name).make(setup));
    }
    order_.resize(static_cast<std::size_t>(ranks));
    warnings_.resize(static_cast<std::size_t>(ranks));
    handles_.resize(static_cast<std::size_t>(ranks));
  }
  ReleasePolicy& at(int rank) { return *policies_[static_cast<std::size_t>(rank)]; }
  int ranks() const { return static_cast<int>(policies_.size()); }
  void submit(int rank, const std::string& name, std::int64_t count = 1) {
    auto& handles = handles_[static_cast<std::size_t>(rank)];
    handles.push_back(name);
    const auto [kept, is_new] = names_.try_emplace(name, name);
    at(rank).submit(
        {.name = kept->second, .count = count, .op = Op::sum, .handle = static_cast<int>(handles.size()) - 1, .asked_s = now_s});
  }
  // One cycle of all ranks; returns the kinds of its rounds.
  std::vector<Round> cycle() {
    std::vector<Round> rounds;
    first_words.clear();
    for (auto& policy : policies_) {
      rounds.resize(1);
      rounds[0] = policy->begin(now_s);
      first_words.push_back(policy->words);
    }
    for (;;) {
      exchange(rounds.back());
      if (rounds.size() == 1) combined = policies_.front()->words;
      Round next = Round::over;
      for (std::size_t rank = 0; rank < policies_.size(); ++rank) {
        const Round mine = policies_[rank]->next(now_s);
        if (rank > 0 && mine != next) throw UsageError("the ranks go on differently");
        next = mine;
      }
      if (next == Round::over) break;
      rounds.push_back(next);
    }
    for (std::size_t rank = 0; rank < policies_.size(); ++rank) {
      std::vector<Released> released;
      policies_[rank]->take_released(released);
      for (const Released& each : released) {
        if (each.begins) order_[rank].emplace_back();
        order_[rank].back().push_back(handles_[rank][static_cast<std::size_t>(each.handle)]);
      }
      for (auto& warning : policies_[rank]->take_warnings()) warnings_[rank].push_back(warning);
    }
    return rounds;
  }
  // The messages of a rank so far, each with the names in it.
  const std::vector<std::vector<std::string>>& order(int rank) const { return order_[static_cast<std::size_t>(rank)]; }
  const std::vector<std::string>& warnings(int rank) const { return warnings_[static_cast<std::size_t>(rank)]; }
  bool alike() const {
    return std::all_of(order_.begin(), order_.end(), [this](const auto& each) { return each == order_.front(); }) &&
           std::all_of(policies_.begin(), policies_.end(), [this](const auto& each) {
             return each->state_hash() == policies_.front()->state_hash() && each->sequence_hash() == policies_.front()->sequence_hash();
           });
  }

  double now_s = 0;
  std::vector<std::vector<std::uint64_t>> first_words;  // of each rank, in the last cycle
  std::vector<std::uint64_t> combined;                  // the result of the first round of the last cycle

 private:
  void exchange(Round round) {
    if (round == Round::to_root) {
      std::vector<ByteBuffer> reports;
      for (auto& policy : policies_) reports.push_back(policy->report);
      policies_.front()->answer(reports, now_s);
      for (auto& policy : policies_) policy->reply = policies_.front()->reply;
      return;
    }
    std::vector<std::uint64_t> words = policies_.front()->words;
    for (auto& policy : policies_)
      for (std::size_t k = 0; k < words.size(); ++k)
        words[k] = round == Round::bits_and ? words[k] & policy->words.at(k) : words[k] | policy->words.at(k);
    for (auto& policy : policies_) policy->words = words;
  }
  std::vector<std::unique_ptr<ReleasePolicy>> policies_;
  std::map<std::string, std::string> names_;
  std::vector<std::vector<std::vector<std::string>>> order_;
  std::vector<std::vector<std::string>> warnings_, handles_;
};

}  // namespace syncline::test

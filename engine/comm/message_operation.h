// SPDX-License-Identifier: Apache-2.0
// Point to point: send, receive, and a mailbox's receives posted ahead.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/comm/group.h"
#include "engine/comm/ranks_text.h"

namespace syncline {

// A message longer than segment_bytes travels as full segments and a shorter last one (which may be empty), so that the receiver, who
// knows only how much it can take, sees where it ends.
class SendOperation final : public GroupOperation {
 public:
  void prepare(const View&, int peer, int tag);
  void start(Transport&) override {}
  void abandon(Transport&) override;
  bool cancelled(Transport&) override { return handle_ < 0 && sent_ == 0 && !ended_; }
  std::string waiting_for() const override { return ranks_text(std::span(&peer_, 1)); }

 protected:
  Progress step(Transport&) override;

 private:
  View view_;
  int peer_ = 0, message_tag_ = 0;
  std::int64_t sent_ = 0;
  bool ended_ = false;  // the last segment was handed over
  Transport::Handle handle_ = -1;
};

class ReceiveOperation final : public GroupOperation {
 public:
  void prepare(const View&, int peer, int tag);
  void start(Transport&) override;
  void abandon(Transport&) override;
  bool cancelled(Transport&) override;
  std::string waiting_for() const override { return peer_ == any_source ? "any rank" : ranks_text(std::span(&peer_, 1)); }

 protected:
  Progress step(Transport&) override;

 private:
  void post(Transport&, int peer, int tag);
  View view_;
  int peer_ = 0, message_tag_ = 0;
  std::int64_t received_ = 0;
  Transport::Handle handle_ = -1;
};

// Keeps `depth` receives open until its mailbox goes.
class MailboxOperation final : public GroupOperation {
 public:
  void prepare(int tag, std::int64_t count, int depth);
  void start(Transport&) override;
  void abandon(Transport&) override;
  bool cancelled(Transport&) override;
  bool endless() const override { return true; }

  // The owner's thread.
  std::optional<Message> take();          // also gives the buffer of the message before back
  bool wait_for_arrival(double until_s);  // false: nothing until then

 protected:
  Progress step(Transport&) override;

 private:
  struct Slot {
    View buffer;
    Transport::Handle handle = -1;
  };
  struct Arrival {
    int slot, source, tag;
    std::int64_t count;
  };
  void post(Transport&, int slot);
  int message_tag_ = 0, lent_ = -1;
  std::vector<Slot> slots_;
  std::vector<int> posted_;  // slots with an open receive, in the order of posting, which is that of arrival
  std::mutex mutex_;
  std::deque<Arrival> arrived_;
  std::vector<int> returned_;  // slots to post again
  Doorbell arrival_bell_;
};

}  // namespace syncline

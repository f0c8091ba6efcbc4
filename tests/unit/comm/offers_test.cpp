// SPDX-License-Identifier: Apache-2.0
// Bytes read out of another process's memory.
#include "engine/comm/offers.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "engine/base/error.h"

namespace syncline {
namespace {

// In memory that a forked child shares, as the board of a job does.
class OffersTest : public testing::Test {
 protected:
  OffersTest()
      : memory_(mmap(nullptr, Offers::shared_bytes(2), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)), offers_(memory_, 2) {
    offers_.publish(0);
    offers_.publish(1);
  }
  ~OffersTest() override { munmap(memory_, Offers::shared_bytes(2)); }

  static std::uint64_t address(const void* data) { return reinterpret_cast<std::uintptr_t>(data); }

  void* memory_;
  Offers offers_;
};

TEST_F(OffersTest, WhatIsOfferedIsReadOnceAndItsNumberIsFreeAgain) {
  ASSERT_TRUE(offers_.usable());
  const std::string text = "gradient";
  const int offer = offers_.make(0, 1);
  ASSERT_NE(offer, Offers::none);
  EXPECT_FALSE(offers_.taken(0, 1, offer));
  std::string got(text.size(), ' ');
  EXPECT_TRUE(offers_.read(0, 1, offer, address(text.data()), got.data(), static_cast<std::int64_t>(got.size())));
  EXPECT_EQ(got, text);
  EXPECT_TRUE(offers_.taken(0, 1, offer));
  EXPECT_FALSE(offers_.read(0, 1, offer, address(text.data()), got.data(), 1)) << "it is over";
}

TEST_F(OffersTest, NobodyReadsWhatWasWithdrawn) {
  const std::string text = "gradient";
  const int offer = offers_.make(0, 1);
  offers_.withdraw(0, 1, offer);
  std::string got(text.size(), ' ');
  EXPECT_FALSE(offers_.read(0, 1, offer, address(text.data()), got.data(), static_cast<std::int64_t>(got.size())));
  EXPECT_EQ(got, std::string(text.size(), ' '));
}

TEST_F(OffersTest, ManyAreOpenAtATimeAndThenNoMore) {
  int made = 0;
  while (offers_.make(0, 1) != Offers::none) ++made;
  EXPECT_EQ(made, 256);
  EXPECT_NE(offers_.make(1, 0), Offers::none) << "the other direction has its own";
  char byte = 7, got = 0;
  EXPECT_TRUE(offers_.read(0, 1, 100, address(&byte), &got, 1));
  EXPECT_EQ(offers_.make(0, 1), Offers::none) << "read, but its sender has not noticed yet";
  EXPECT_TRUE(offers_.taken(0, 1, 100));
  EXPECT_EQ(offers_.make(0, 1), 100);
}

TEST_F(OffersTest, MemoryThatIsGoneIsALostPeer) {
  const int offer = offers_.make(0, 1);
  char got = 0;
  try {
    offers_.read(0, 1, offer, 16, &got, 1);
    FAIL();
  } catch (const PeerLost& error) {
    EXPECT_STREQ(error.what(), "rank 0 cannot be reached any more: reading its memory failed (Bad address)");
  }
}

TEST_F(OffersTest, WhoWaitsIsTold) {
  EXPECT_FALSE(offers_.wanted(0));
  offers_.want(0);
  EXPECT_FALSE(offers_.wanted(1));
  EXPECT_TRUE(offers_.wanted(0));
  EXPECT_FALSE(offers_.wanted(0)) << "once";
}

TEST_F(OffersTest, AnotherProcessIsRead) {
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready), 0);
  ASSERT_EQ(pipe(done), 0);
  const pid_t child = fork();
  if (child == 0) {
    static const char text[] = "of the child";
    Offers mine(memory_, 2);
    mine.publish(1);
    struct {
      int offer;
      std::uint64_t at;
    } told{mine.make(1, 0), address(text)};
    char wait = 0;
    const bool good = write(ready[1], &told, sizeof told) == sizeof told && read(done[0], &wait, 1) == 1;
    _exit(good && mine.taken(1, 0, told.offer) ? 0 : 1);
  }
  struct {
    int offer;
    std::uint64_t at;
  } told{};
  ASSERT_EQ(read(ready[0], &told, sizeof told), static_cast<ssize_t>(sizeof told));
  EXPECT_TRUE(offers_.usable());
  char got[13] = {};
  EXPECT_TRUE(offers_.read(1, 0, told.offer, told.at, got, sizeof got));
  EXPECT_STREQ(got, "of the child");
  ASSERT_EQ(write(done[1], "x", 1), 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace syncline

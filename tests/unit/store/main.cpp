// SPDX-License-Identifier: Apache-2.0
// The test program is also the engine that writer_kill_test.cpp starts and kills.
#include <gtest/gtest.h>

#include <cstring>

int kill_test_child(int argc, char** argv);  // writer_kill_test.cpp

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--write-until-killed") == 0) return kill_test_child(argc, argv);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

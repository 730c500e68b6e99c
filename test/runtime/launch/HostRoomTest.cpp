// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One process; what several bring together is tried with real ones (test/cluster).
#include "runtime/launch/HostRoom.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

constexpr int64_t kTooMuch = int64_t{1} << 60;

TEST(HostRoom, whatFitsIsAccepted) {
  JobProcess alone;
  EXPECT_GT(freeMemory(), 0);
  EXPECT_LT(freeMemory(), kTooMuch);
  EXPECT_TRUE(checkHostRoom(alone, {.memoryBytes = 4096, .scratchBytes = 4096, .scratchFolder = "."}).isOk());
}

TEST(HostRoom, tooLittleMemoryNamesHostAndBothSizes) {
  JobProcess alone;
  const Status refused =
      checkHostRoom(alone, {.memoryBytes = kTooMuch, .scratchBytes = 0, .scratchFolder = "."});
  EXPECT_EQ(refused.code(), ExitCode::CannotFit);
  EXPECT_EQ(refused.message().find("host " + hostName() + " has "), 0U) << refused.message();
  EXPECT_NE(refused.message().find(" of memory left, but this job needs 1024 PiB there, for 1 process"),
            std::string::npos)
      << refused.message();
}

TEST(HostRoom, tooLittleDiskNamesHostAndBothSizes) {
  JobProcess alone;
  const Status refused =
      checkHostRoom(alone, {.memoryBytes = 0, .scratchBytes = kTooMuch, .scratchFolder = "."});
  EXPECT_EQ(refused.code(), ExitCode::CannotFit);
  EXPECT_NE(refused.message().find("of the disk that scratch files go to left"), std::string::npos)
      << refused.message();
}

} // namespace
} // namespace windlass

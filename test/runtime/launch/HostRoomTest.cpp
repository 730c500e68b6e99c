// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/HostRoom.h"

#include "test/support/JobOfThreads.h"
#include <array>
#include <filesystem>
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

/// The results for two processes of this host with the need `each`.
std::array<Status, 2> togetherOnOneHost(const HostNeed &each) {
  std::array<Status, 2> told;
  test::asJob(told.size(),
              [&](size_t process, JobProcess &job) { told[process] = checkHostRoom(job, each); });
  return told;
}

TEST(HostRoom, whatEachOfTwoProcessesHasRoomForBothMayNot) {
  const int64_t most = freeMemory() / 4 * 3;
  JobProcess alone;
  EXPECT_TRUE(checkHostRoom(alone, {.memoryBytes = most, .scratchBytes = 0, .scratchFolder = "."}).isOk());
  for (const Status &told :
       togetherOnOneHost({.memoryBytes = most, .scratchBytes = 0, .scratchFolder = "."})) {
    EXPECT_EQ(told.code(), ExitCode::CannotFit);
    EXPECT_NE(told.message().find("host " + hostName()), std::string::npos) << told.message();
    EXPECT_NE(told.message().find("there, for 2 processes"), std::string::npos) << told.message();
  }
}

TEST(HostRoom, twoProcessesShareADisk) {
  const auto most = static_cast<int64_t>(std::filesystem::space(".").available / 4 * 3);
  JobProcess alone;
  EXPECT_TRUE(checkHostRoom(alone, {.memoryBytes = 0, .scratchBytes = most, .scratchFolder = "."}).isOk());
  for (const Status &told :
       togetherOnOneHost({.memoryBytes = 0, .scratchBytes = most, .scratchFolder = "."})) {
    EXPECT_EQ(told.code(), ExitCode::CannotFit);
    EXPECT_NE(told.message().find("of the disk that scratch files go to left"), std::string::npos)
        << told.message();
    EXPECT_NE(told.message().find("there, for 2 processes"), std::string::npos) << told.message();
  }
}

} // namespace
} // namespace windlass

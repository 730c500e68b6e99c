// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads in place of processes, each with its place in a job.
#include "runtime/launch/HostRoom.h"

#include <array>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <thread>

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
  Socket listening = Socket::listenAt({"127.0.0.1", 0}).take();
  const std::string port = std::to_string(listening.local().port);
  listening = Socket();
  std::array<Status, 2> told;
  std::array<std::unique_ptr<JobProcess>, 2> jobs; // no job leaves before the other one has its result
  std::vector<std::jthread> processes;
  for (size_t process = 0; process < told.size(); ++process)
    processes.emplace_back([&, process] {
      const std::map<std::string, std::string> variables = {
          {"RANK", std::to_string(process)}, {"WORLD_SIZE", "2"},   {"LOCAL_RANK", std::to_string(process)},
          {"MASTER_ADDR", "127.0.0.1"},      {"MASTER_PORT", port}, {"WINDLASS_JOB_TOKEN", "secret"}};
      const Environment environment = [&](const char *name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      };
      Result<std::unique_ptr<JobProcess>> job = JobProcess::start({.version = "1"}, environment);
      if (!(told[process] = job.status()))
        return;
      jobs[process] = job.take();
      told[process] = checkHostRoom(*jobs[process], each);
    });
  processes.clear();
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JobOfThreads.h - threads in place of the processes of a job ===========//
//
// Duty: runs a test as several processes of one host that a launcher started: each is a thread with its own
// place in the job, and speaks with the others over the loopback interface.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <thread>
#include <vector>

namespace windlass::test {

/// Calls `body` once for each process, with the process's view of the job. No process leaves the job before
/// all have returned.
inline void asJob(size_t processes, const std::function<void(size_t process, JobProcess &job)> &body) {
  Socket listening = Socket::listenAt({"127.0.0.1", 0}).take();
  const std::string port = std::to_string(listening.local().port);
  listening = Socket();
  std::vector<std::jthread> threads;
  for (size_t process = 0; process < processes; ++process)
    threads.emplace_back([&, process] {
      const std::string place = std::to_string(process);
      const std::map<std::string, std::string> variables = {
          {"RANK", place},       {"WORLD_SIZE", std::to_string(processes)},
          {"LOCAL_RANK", place}, {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", port}, {"WINDLASS_JOB_TOKEN", "secret"}};
      const Environment environment = [&](const char *name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      };
      Result<std::unique_ptr<JobProcess>> job = JobProcess::start({.version = "1"}, environment);
      ASSERT_TRUE(job.isOk()) << job.status().message();
      body(process, **job);
      EXPECT_EQ((*job)->end(Status::ok()), 0); // waits for all others
    });
}

} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Workforce.h - threads that work together, again and again =============//
//
// Duty: keeps a fixed set of named threads; `runAll` lets each do its work once
// and returns when all are done. Between runs they sleep.
// Ownership: joins its threads. Threads: one caller.
// Errors: RunFailed when the system gives no thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace windlass {

class Workforce {
public:
  ~Workforce();
  /// `name` is what a debugger shows.
  Status hire(const std::string &name, std::function<void()> work);
  /// Calls `meanwhile` about once a second until all are done.
  void runAll(const std::function<void()> &meanwhile);
  /// Lets `runAll` call it now, or as soon as it is called. Any thread.
  void hurry();

private:
  void serve(const std::function<void()> &work);

  std::mutex mutex;
  std::condition_variable runPosted, runDone;
  uint64_t posted = 0;
  size_t working = 0;
  bool isHurried = false, closing = false;
  std::vector<std::thread> threads;
};

} // namespace windlass

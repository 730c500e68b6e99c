// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/executor/Workforce.h"
#include <chrono>
#include <pthread.h>
#include <system_error>

namespace windlass {

Workforce::~Workforce() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  runPosted.notify_all();
  for (std::thread &thread : threads)
    thread.join();
}

Status Workforce::hire(const std::string &name, std::function<void()> work) {
  constexpr size_t kLongestName = 15; // of a thread, by the kernel
  try {
    threads.emplace_back([this, work = std::move(work)] { serve(work); });
  } catch (const std::system_error &error) {
    return Status::runFailed("thread '" + name + "' cannot be started: " + error.what());
  }
  pthread_setname_np(threads.back().native_handle(), name.substr(0, kLongestName).c_str());
  return Status::ok();
}

void Workforce::runAll(const std::function<void()> &meanwhile) {
  std::unique_lock lock(mutex);
  working = threads.size();
  ++posted;
  runPosted.notify_all();
  const auto isToLook = [this] { return working == 0 || isHurried; };
  for (;;) {
    runDone.wait_for(lock, std::chrono::seconds(1), isToLook);
    if (working == 0)
      return;
    isHurried = false;
    lock.unlock();
    meanwhile();
    lock.lock();
  }
}

void Workforce::hurry() {
  {
    std::lock_guard lock(mutex);
    isHurried = true;
  }
  runDone.notify_one();
}

void Workforce::serve(const std::function<void()> &work) {
  uint64_t seen = 0;
  std::unique_lock lock(mutex);
  for (;;) {
    runPosted.wait(lock, [&] { return posted != seen || closing; });
    if (closing)
      return;
    seen = posted;
    lock.unlock();
    work();
    lock.lock();
    if (--working == 0)
      runDone.notify_one();
  }
}

} // namespace windlass

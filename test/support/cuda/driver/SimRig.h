// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SimRig.h - a small program on the simulated driver ====================//
//
// Duty: the beginning of tests of the simulated driver: a device in its context, pinned memory, and a kernel
// that doubles numbers. The calls of the rig must succeed, unless its driver makes a mistake; a test checks
// its own calls and launch().
// Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/cuda/driver/SimDriver.h"
#include <array>
#include <gtest/gtest.h>

namespace windlass::test {

/// Doubles as many numbers as the launch has blocks, from the first operand to the second.
inline SimHostCode::Function doubling() {
  return {2, [](SimOperands &operands) {
            const uint64_t bytes = operands.blocks() * sizeof(float);
            const auto *from = reinterpret_cast<const float *>(operands.read(operands[0], bytes));
            auto *to = reinterpret_cast<float *>(operands.write(operands[1], bytes));
            for (unsigned i = 0; from && to && i < operands.blocks(); ++i)
              to[i] = 2 * from[i];
          }};
}

inline SimOptions rigOptions(SimPolicy policy, uint64_t seed) {
  SimOptions options;
  options.policy = policy;
  options.seed = seed;
  options.loader = SimHostCode::loader({{"twice", doubling()}});
  return options;
}

class SimRig {
public:
  static constexpr unsigned kNumbers = 16;
  static constexpr size_t kBytes = kNumbers * sizeof(float);

  explicit SimRig(SimOptions options) : sim(std::move(options)), driver(SimDriver::table()) { open(); }
  /// With a driver that makes a mistake, calls may fail.
  SimRig(SimOptions options, const cuda::Driver &driver)
      : sim(std::move(options)), driver(driver), mayFail(true) {
    open();
  }

  static void expect(cuda::CuResult result) { EXPECT_EQ(result, cuda::CuResult::Success); }
  cuda::CuStream stream() {
    cuda::CuStream made = nullptr;
    note(driver.createStream(&made, cuda::kNonBlockingStream));
    return made;
  }
  cuda::CuEvent event() {
    cuda::CuEvent made = nullptr;
    note(driver.createEvent(&made, cuda::kUntimedEvent));
    return made;
  }
  cuda::CuAddress allocate(size_t bytes = kBytes) {
    cuda::CuAddress address = 0;
    note(driver.allocate(&address, bytes));
    return address;
  }
  void pin(void *host, size_t bytes) { note(driver.registerHost(host, bytes, cuda::kPortableHost)); }
  cuda::CuResult launch(cuda::CuAddress from, cuda::CuAddress to, cuda::CuStream stream) {
    void *parameters[] = {&from, &to};
    return driver.launch(twice, kNumbers, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr);
  }

  SimDriver sim;
  cuda::Driver driver;
  cuda::CuContext context = nullptr;
  cuda::CuModule module = nullptr;
  cuda::CuFunction twice = nullptr;

private:
  bool mayFail = false;

  void note(cuda::CuResult result) const { EXPECT_TRUE(mayFail || result == cuda::CuResult::Success); }
  void open() {
    note(driver.init(0));
    note(driver.retainContext(&context, 0));
    note(driver.setContext(context));
    note(driver.loadModule(&module, ".entry twice(", 0, nullptr, nullptr));
    note(driver.function(&twice, module, "twice"));
  }
};

} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device that computes another bit than a host, in any operation and any pattern, runs no plan.
#include "runtime/kernels/cuda/DeviceProbe.h"
#include "test/support/cuda/driver/SimDriver.h"
#include "test/support/cuda/plans/CudaBuiltins.h"
#include <bit>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

const cuda::DeviceFacts kDevice{.name = "A GPU", .driverRelease = 12040};

TEST(DeviceProbe, findsEveryBitOfEveryOperation) {
  const std::vector<ProbePattern> patterns = probePatterns();
  const std::vector<uint64_t> right = probeResults(patterns);
  ASSERT_EQ(std::ssize(right), kProbeOperations * kProbePatterns);
  EXPECT_TRUE(compareProbe(kDevice, patterns, right));
  for (int64_t operation = 0; operation < kProbeOperations; ++operation)
    for (int64_t pattern : {int64_t{0}, operation * 97 + 5, kProbePatterns - 1}) {
      std::vector<uint64_t> wrong = right;
      wrong[operation * kProbePatterns + pattern] ^= 1u << (operation % 20); // turns no NaN into another NaN
      const Status status = compareProbe(kDevice, patterns, wrong);
      const bool isNan = std::isnan(
          std::bit_cast<float>(static_cast<uint32_t>(wrong[operation * kProbePatterns + pattern])));
      if (!isNan)
        EXPECT_EQ(status.code(), ExitCode::CannotFit) << operation << " " << pattern;
    }
}

TEST(DeviceProbe, saysWhichOperationAndPattern) {
  const std::vector<ProbePattern> patterns = probePatterns();
  std::vector<uint64_t> found = probeResults(patterns);
  found[kProbePatterns + 6] ^= 1;
  const std::string message = compareProbe(kDevice, patterns, found).message();
  EXPECT_EQ(
      message.find("a cuda plan here needs a GPU that computes as a host does, but 'A GPU' with its driver "
                   "for CUDA 12.4 gets f32 fma(a, b, c) wrong: of pattern 6, a 0x"),
      0u)
      << message;
}

/// An assembler that fuses packed products and sums, against the text.
TEST(DeviceProbe, findsSumsThatAreFused) {
  const std::vector<ProbePattern> patterns = probePatterns();
  std::vector<uint64_t> found = probeResults(patterns);
  const auto fused = static_cast<int64_t>(ProbeOperation::Fused32);
  std::copy_n(found.begin() + fused * kProbePatterns, kProbePatterns,
              found.begin() + static_cast<int64_t>(ProbeOperation::MultiplyAdd32) * kProbePatterns);
  EXPECT_NE(compareProbe(kDevice, patterns, found).message().find("f32 a * b + c, rounded twice"),
            std::string::npos);
}

/// Flags for speed turn numbers below 2^-126 into zeros.
TEST(DeviceProbe, findsNumbersThatAreFlushed) {
  const std::vector<ProbePattern> patterns = probePatterns();
  for (ProbeOperation operation : {ProbeOperation::MultiplyAdd32, ProbeOperation::Fused32,
                                   ProbeOperation::Quotient32, ProbeOperation::Narrow32}) {
    std::vector<uint64_t> found = probeResults(patterns);
    for (int64_t pattern = 0; pattern < kProbePatterns; ++pattern) {
      uint64_t &word = found[static_cast<int64_t>(operation) * kProbePatterns + pattern];
      if ((word & 0x7F800000) == 0)
        word &= 0x80000000;
    }
    EXPECT_FALSE(compareProbe(kDevice, patterns, found)) << static_cast<int>(operation);
  }
}

TEST(DeviceProbe, runsOnADeviceBeforeAnythingElse) {
  for (bool isWrong : {false, true}) {
    SimHostCode::Functions functions;
    addBuiltins(functions);
    if (isWrong)
      functions[kProbe].run = [right = functions[kProbe].run](SimOperands &operands) {
        right(operands);
        std::byte *results =
            operands.write(operands[1], kProbeOperations * kProbePatterns * sizeof(uint64_t));
        results[8 * (2 * kProbePatterns + 17)] ^= std::byte{1};
      };
    SimOptions options;
    options.policy = SimPolicy::Lazy;
    options.loader = SimHostCode::loader(functions);
    SimDriver sim(std::move(options));
    {
      auto context = cuda::Context::create(SimDriver::table()).take();
      cuda::CuModule module = nullptr;
      cuda::CuFunction function = nullptr;
      const std::string image = builtinEntries();
      ASSERT_TRUE(context->call<&cuda::Driver::loadModule>(&module, static_cast<const void *>(image.c_str()),
                                                           0u, static_cast<cuda::JitOption *>(nullptr),
                                                           static_cast<void **>(nullptr)));
      ASSERT_TRUE(context->call<&cuda::Driver::function>(&function, module, kProbe));
      const Status status = probeDevice(context, function);
      EXPECT_EQ(status.isOk(), !isWrong);
      if (isWrong) {
        EXPECT_NE(status.message().find("gets f32 a / b wrong: of pattern 17, "), std::string::npos)
            << status.message();
      }
      context->driver().unloadModule(module);
    }
    EXPECT_TRUE(sim.violations().empty());
    EXPECT_EQ(sim.leftovers(), "");
  }
}

} // namespace

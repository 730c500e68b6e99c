// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs every kernel that a test of generated code calls as PTX, too, on the same operands, in three
// schedules. Its bits are those of the shared object.

#include "test/compiler/codegen/device/DeviceRunner.h"

namespace windlass::codegen::test {
namespace {

constexpr uint64_t kSchedules = 3;

class DeviceWitness final : public KernelWitness {
public:
  explicit DeviceWitness(std::unique_ptr<DeviceProgram> program) : program(std::move(program)) {}

  std::function<void()> watch(const char *kernel, const std::vector<void *> &args, int64_t begin,
                              int64_t end) override {
    DeviceCall call{kernel, args, begin, end};
    OperandBytes before = program->bytesOf(call);
    return [this, call = std::move(call), before = std::move(before)] {
      for (uint64_t seed = 0; seed < kSchedules; ++seed)
        ASSERT_EQ(program->differs(call, before, seed), "")
            << call.kernel << " [" << call.begin << ", " << call.end << "), schedule " << seed << "\n"
            << program->ptx();
    };
  }

private:
  std::unique_ptr<DeviceProgram> program;
};

} // namespace

std::unique_ptr<KernelWitness> makeWitness(const std::string &mlir) {
  std::string refusal;
  auto program = DeviceProgram::compile(mlir, refusal);
  EXPECT_NE(program, nullptr) << refusal << mlir;
  return program ? std::make_unique<DeviceWitness>(std::move(program)) : nullptr;
}

} // namespace windlass::codegen::test

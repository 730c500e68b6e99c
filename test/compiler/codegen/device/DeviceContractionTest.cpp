// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product is rounded before it is added, also in the instructions of a device: the assembler must not fuse
// multiplication and addition.

#include "test/compiler/codegen/device/DeviceCases.h"
#include "test/compiler/codegen/device/DeviceRunner.h"
#include "test/support/ptx/PtxAssembler.h"

#include <regex>

using namespace windlass::codegen::test;

namespace {

/// Computes x * y + z.
const char *const kProductAndSum = R"(
#id = affine_map<(d0) -> (d0)>
func.func @add_product(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %z: tensor<4096xf32>) -> tensor<4096xf32> {
  %r = graph.map ins(%x, %y, %z : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) maps [#id, #id, #id]
      -> tensor<4096xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    graph.yield %s : f32
  }
  return %r : tensor<4096xf32>
}
)";

/// The number of fused multiply-add instructions.
ptrdiff_t countFused(const std::string &instructions) {
  static const std::regex fused("\\bFFMA2?\\b");
  return std::distance(std::sregex_iterator(instructions.begin(), instructions.end(), fused), {});
}

class DeviceContraction : public testing::TestWithParam<const char *> {};

TEST_P(DeviceContraction, isOfNoProductAndSum) {
  auto assembler = windlass::ptx::PtxAssembler::find();
  if (!assembler)
    GTEST_SKIP() << assembler.status().message();
  for (const std::string &mlir :
       {std::string(kProductAndSum), sumOf({64, 512}, {1}), sumOf({512, 64}, {0})}) {
    std::string refusal;
    const auto program = DeviceProgram::compile(mlir, refusal);
    ASSERT_TRUE(program) << refusal;
    auto shown = assembler->disassemble(program->ptx(), GetParam());
    if (!shown && shown.status().code() == windlass::ExitCode::CannotFit)
      GTEST_SKIP() << shown.status().message();
    ASSERT_TRUE(shown) << shown.status().message();
    EXPECT_NE(shown->find("FADD"), std::string::npos) << *shown;
    EXPECT_NE(shown->find("FMUL"), std::string::npos) << *shown;
    EXPECT_EQ(countFused(*shown), 0) << *shown;

    const std::regex rounded("\\b(mul|add)\\.rn\\.f32");
    auto loose = assembler->disassemble(std::regex_replace(program->ptx(), rounded, "$1.f32"), GetParam());
    ASSERT_TRUE(loose) << loose.status().message();
    EXPECT_GT(countFused(*loose), 0) << "what is looked for is seen where nothing forbids it";
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceContraction, testing::Values("sm_80", "sm_90", "sm_100", "sm_120"));

} // namespace

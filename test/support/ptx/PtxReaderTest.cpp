// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of PTX that are read, and the exact errors of others.

#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

using namespace windlass;
using namespace windlass::ptx;

namespace {

std::string refusal(const std::string &body) {
  Result<Module> module = load(textOf(body, 2));
  return module.isOk() ? "" : module.status().message();
}

TEST(PtxReader, readsKernelsWithTheirParametersRegistersAndMemory) {
  Result<Module> module = load(R"(
// written by hand
.version 8.0
.target sm_80
.address_size 64
.shared .align 16 .b8 all[20];
.visible .global .align 4 .b8 table[6] = {1, 2, 255};
.visible .entry first(
	.param .u64 .ptr .global .align 64 first_param_0,
	.param .u32 first_param_1,
	.param .u64 first_param_2
)
.reqntid 96, 1, 1
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<3>;
	.reg .b64 	%rd<2>;
	.shared .align 8 .b8 own[12];
	ld.param.b32 	%r1, [first_param_1];  // a comment
$L__BB0_1:
	setp.eq.b32 	%p1, %r1, -1;
	@!%p1 bra 	$L__BB0_1;
	mov.b64 	%rd1, own;
	mov.b32 	%r2, 0x7632U;
	ret;
}
.visible .entry second()
.reqntid 1
.minnctapersm 4
{
	ret;
}
)");
  ASSERT_TRUE(module.isOk()) << module.status().message();
  ASSERT_EQ(module->kernels.size(), 2u);
  const Kernel &first = *module->find("first");
  EXPECT_EQ(first.threads, 96u);
  EXPECT_EQ(first.parameterBytes, 24u);
  ASSERT_EQ(first.parameters.size(), 3u);
  EXPECT_EQ(first.parameters[1].offset, 8u);
  EXPECT_EQ(first.parameters[2].offset, 16u);
  EXPECT_EQ(first.sharedBytes, 24u + 12u);
  ASSERT_EQ(first.body.size(), 6u);
  EXPECT_EQ(first.slots[first.body[4].sources[0]].value, 0x7632u);
  EXPECT_EQ(first.body[2].target, 1u);
  EXPECT_TRUE(first.body[2].guardNegated);
  EXPECT_EQ(first.slots[first.body[3].sources[0]].value, 24u);
  EXPECT_EQ(first.slots[first.body[1].sources[1]].value, UINT64_MAX); // -1, cut to its width where it is used
  EXPECT_EQ(module->find("second")->sharedBytes, 20u);
  ASSERT_EQ(module->variables.size(), 1u);
  EXPECT_EQ(module->variables[0].image, (std::vector<uint8_t>{1, 2, 255, 0, 0, 0}));
  EXPECT_EQ(module->find("third"), nullptr);
}

TEST(PtxReader, opcodesAreKnownByTheirWholeText) {
  EXPECT_EQ(refusal("add.rn.f32 %r1, %r2, %r3;\n"), "");
  for (const char *opcode :
       {"add.f32",   "add.rz.f32",       "add.rn.ftz.f32",  "add.rn.f32x2",        "add.rn",
        "add",       "fma.f32",          "sqrt.approx.f32", "div.full.f32",        "ld.global.nc.b32",
        "ld.b32",    "ld.local.b32",     "st.local.b32",    "atom.global.add.u32", "red.global.add.f32",
        "membar.gl", "bar.red.popc.u32", "cvt.sat.f32.f32", "add.rn.f32.sat",      "tex.1d"})
    EXPECT_NE(refusal(std::string(opcode) + " %r1, %r2, %r3;\n")
                  .find("'" + std::string(opcode) + "' is not a known opcode"),
              std::string::npos)
        << opcode;
}

TEST(PtxReader, operandsMustHaveTheWidthsOfTheOpcode) {
  EXPECT_EQ(refusal("add.s64 %d1, %d2, %r3;\n"), "PTX line 14: '%r3' has 32 bits, not 64");
  EXPECT_EQ(refusal("add.s32 %r1, %r2, %r99;\n"), "PTX line 14: '%r99' is no operand of 32 bits");
  EXPECT_EQ(refusal("add.s32 %r1, %r2;\n"), "PTX line 14: expected ',', found ';'");
  EXPECT_EQ(refusal("add.s32 %r1, %r2, %r3, %r4;\n"), "PTX line 14: expected ';', found ','");
  EXPECT_EQ(refusal("add.s32 5, %r2, %r3;\n"), "PTX line 14: a result that is no register");
  EXPECT_EQ(refusal("mov.b64 %d1, {%h1, %h2};\n"), "PTX line 14: parts that are not of the register's width");
  EXPECT_EQ(refusal("ld.global.b32 %h1, [%d1];\n"), "PTX line 14: '%h1' has 16 bits, not 32");
  EXPECT_EQ(refusal("ld.global.b16 %r1, [%d1];\ncvt.u32.u64 %r2, %d1;\nmov.b64 {%r1, %r2}, %d4;\n"), "");
  EXPECT_EQ(refusal("ld.param.b64 %d1, [c];\n"), "PTX line 14: no parameter 'c'");
  EXPECT_EQ(refusal("bra nowhere;\n"), "PTX line 16: kernel 'k' has no label 'nowhere'");
  EXPECT_EQ(refusal("bar.sync 1;\n"), "PTX line 14: expected '0', found '1'");
}

TEST(PtxReader, aTextThatEndsEarlyIsRefusedWhereverItIsCut) {
  const std::string whole =
      textOf("ld.param.b64 %d1, [a];\nld.global.v2.b32 {%r1, %r2}, [%d1+8];\n@%p1 bra there;\nthere:\n", 2);
  ASSERT_TRUE(load(whole).isOk());
  for (size_t size = 0; size + 2 < whole.size(); ++size)
    EXPECT_FALSE(load(std::string_view(whole).substr(0, size)).isOk() &&
                 whole.substr(0, size).find(".entry") != std::string::npos)
        << size;
}

} // namespace

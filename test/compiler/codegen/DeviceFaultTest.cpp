// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code with one mistake each: the machine of the tests, or the audit, says its name in at most eight
// schedules.

#include "compiler/codegen/AuditPtx.h"
#include "test/compiler/codegen/DeviceMaps.h"
#include "test/compiler/codegen/DeviceRunner.h"
#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

#include <regex>
#include <set>

using namespace windlass;
using namespace windlass::codegen;
using namespace windlass::codegen::test;

namespace {

constexpr uint64_t kSeeds = 8;

/// A change of the first place that a pattern finds; the test fails where it finds none.
std::string mutated(const std::string &text, const std::string &pattern, const std::string &replacement) {
  const std::regex expression(pattern);
  EXPECT_TRUE(std::regex_search(text, expression)) << pattern;
  return std::regex_replace(text, expression, replacement, std::regex_constants::format_first_only);
}

/// What a mistake may be called: up to the colon of the message; "bits" where only the results tell.
std::set<std::string> namesOf(const std::function<std::string(uint64_t seed)> &run) {
  std::set<std::string> names;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string said = run(seed);
    const std::string name = said.substr(0, said.find(':'));
    names.insert(said.empty() ? "nothing" : name.starts_with("operand") ? "bits" : name);
  }
  return names;
}

using Names = std::set<std::string>;

class MapFault : public testing::Test {
protected:
  void SetUp() override {
    kernels = DeviceKernels::compile(adamw());
    ASSERT_TRUE(kernels);
    sound = kernels->ptx();
  }

  /// Of 2051 elements three are left for the last thread.
  Names namesOf(const std::string &pattern, const std::string &replacement,
                const DeviceRun &how = {.end = 2051}) {
    EXPECT_EQ(kernels->replace(mutated(sound, pattern, replacement)), "");
    return ::namesOf([&](uint64_t seed) {
      DeviceRun run = how;
      run.seed = seed, run.elements = 2051;
      return kernels->differs("adamw", run);
    });
  }

  std::unique_ptr<DeviceKernels> kernels;
  std::string sound;
};

TEST_F(MapFault, theSoundTextHasNone) { EXPECT_EQ(namesOf("ret;", "ret;"), Names{"nothing"}); }

TEST_F(MapFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 4;", "$1, 3;"), Names{"out of bounds"});
  // A range that begins between two strips is done singly, and so by two threads.
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 4;", "$1, 5;", {.begin = 1, .end = 2051}),
            Names{"race in block"});
  EXPECT_EQ(namesOf("(sub.s64 \t(%rd\\d+), %rd\\d+, %rd\\d+;)", "$1\nadd.s64 $2, $2, 1;"),
            Names{"out of bounds"});
  EXPECT_EQ(namesOf("(sub.s64 \t(%rd\\d+), %rd\\d+, %rd\\d+;)", "$1\nadd.s64 $2, $2, -1;"), Names{"bits"});
}

TEST_F(MapFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 1024;", "$1, 2048;"), Names{"bits"});
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 1024;", "$1, 0;"), Names{"race between blocks"});
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 4;", "$1, 0;", {.end = 2048}), Names{"race in block"});
  EXPECT_EQ(namesOf("(shl.b64 \t%rd\\d+, %rd\\d+), 2;\n(\tadd.s64[^\n]*\n\tld.global.v4)", "$1, 3;\n$2"),
            Names{"out of bounds"});
}

TEST_F(MapFault, aVectorThatIsMovedByFour) {
  EXPECT_EQ(namesOf("(ld.global.v4.b32 \t\\{[^}]*\\}, \\[%rd\\d+)\\]", "$1+4]"), Names{"misaligned"});
  EXPECT_EQ(namesOf("(st.global.v4.b32 \t\\[%rd\\d+)\\]", "$1+4]"), Names{"misaligned"});
  // By 16 it is where the next thread reads.
  EXPECT_EQ(namesOf("(st.global.v4.b32 \t\\[%rd\\d+)\\]", "$1+16]", {.end = 2051, .inPlace = {{0, 0}}}),
            Names{"race in block"});
}

TEST_F(MapFault, aRoundingThatIsNotSaid) {
  const std::string dropped = mutated(sound, "mul\\.rn\\.f32", "mul.f32");
  EXPECT_NE(kernels->replace(dropped).find("'mul.f32' is not a known opcode"), std::string::npos);
  EXPECT_NE(auditPtx(dropped).message().find("'mul.f32' does not say .rn"), std::string::npos);
  EXPECT_TRUE(auditPtx(sound).isOk());
}

/// The sum of 512 numbers of a row for each block of 128 threads: quads hold 16 lanes, the sums of quads pass
/// through shared memory, and one thread adds them.
const std::string kRowSum = R"(.shared .align 4 .b8 part[128];
mov.u32 %r1, %tid.x;
mov.u32 %r2, %ctaid.x;
ld.param.b64 %d1, [a];
ld.param.b64 %d2, [b];
mul.wide.u32 %d3, %r2, 2048;
mul.wide.u32 %d4, %r1, 16;
add.s64 %d1, %d1, %d3;
add.s64 %d1, %d1, %d4;
ld.global.v4.b32 {%r4, %r5, %r6, %r7}, [%d1];
shfl.sync.bfly.b32 %r8, %r4, 2, 31, -1;
shfl.sync.bfly.b32 %r9, %r5, 2, 31, -1;
shfl.sync.bfly.b32 %r10, %r6, 2, 31, -1;
shfl.sync.bfly.b32 %r11, %r7, 2, 31, -1;
add.rn.f32 %r4, %r4, %r8;
add.rn.f32 %r5, %r5, %r9;
add.rn.f32 %r6, %r6, %r10;
add.rn.f32 %r7, %r7, %r11;
shfl.sync.bfly.b32 %r8, %r4, 1, 31, -1;
shfl.sync.bfly.b32 %r9, %r5, 1, 31, -1;
shfl.sync.bfly.b32 %r10, %r6, 1, 31, -1;
shfl.sync.bfly.b32 %r11, %r7, 1, 31, -1;
add.rn.f32 %r4, %r4, %r8;
add.rn.f32 %r5, %r5, %r9;
add.rn.f32 %r6, %r6, %r10;
add.rn.f32 %r7, %r7, %r11;
add.rn.f32 %r4, %r4, %r6;
add.rn.f32 %r5, %r5, %r7;
add.rn.f32 %r4, %r4, %r5;
mov.b64 %d5, part;
and.b32 %r12, %r1, 3;
setp.ne.b32 %p1, %r12, 0;
mul.wide.u32 %d6, %r1, 1;
add.s64 %d6, %d6, %d5;
@!%p1 st.shared.b32 [%d6], %r4;
bar.sync 0;
setp.ne.b32 %p2, %r1, 0;
@%p2 bra done;
mov.b32 %r13, 0f00000000;
mov.b32 %r14, 0;
next:
ld.shared.b32 %r15, [%d5];
add.rn.f32 %r13, %r13, %r15;
add.s64 %d5, %d5, 4;
add.s32 %r14, %r14, 1;
setp.lt.s32 %p3, %r14, 32;
@%p3 bra next;
mul.wide.u32 %d7, %r2, 4;
add.s64 %d7, %d7, %d2;
st.global.b32 [%d7], %r13;
done:
)";

class RowFault : public testing::Test {
protected:
  static constexpr int kRows = 24, kColumns = 512, kQuads = 32;

  /// The same sums in C++: lanes by halves, quads in order.
  static float sumOf(const float *row) {
    float total = 0;
    for (int quad = 0; quad < kQuads; ++quad) {
      float lanes[16];
      std::copy_n(row + 16 * quad, 16, lanes);
      for (int half = 8; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane)
          lanes[lane] += lanes[lane + half];
      total += lanes[0];
    }
    return total;
  }

  /// What is wrong with a text; empty if nothing.
  static std::string run(const std::string &body, uint64_t seed) {
    Result<ptx::Module> module = ptx::load(ptx::textOf(body, 2, 128));
    if (!module.isOk())
      return module.status().message();
    std::vector<float> x(kRows * kColumns);
    std::mt19937 random(1);
    for (float &value : x)
      value = std::uniform_real_distribution<float>(-1, 1)(random);
    ptx::Allocations memory;
    const uint64_t a = memory.place("a", x.data(), x.size() * 4), b = memory.allocate("b", kRows * 4);
    const auto parameters = ptx::parametersOf({a, b});
    auto done = ptx::launch({.kernel = &module->kernels.at(0),
                             .blocks = kRows,
                             .parameters = parameters,
                             .variables = {},
                             .seed = seed,
                             .stepLimit = 1 << 16},
                            memory);
    if (!done.isOk())
      return done.status().message();
    for (int row = 0; row < kRows; ++row) {
      float sum = 0;
      memory.read(b + 4 * row, &sum, 4);
      if (sum != sumOf(&x[row * kColumns]))
        return "operand 1: another sum";
    }
    return "";
  }

  static Names namesOf(const std::string &pattern, const std::string &replacement) {
    const std::string text = mutated(kRowSum, pattern, replacement);
    return ::namesOf([&](uint64_t seed) { return run(text, seed); });
  }
};

TEST_F(RowFault, theSoundTextHasNone) { EXPECT_EQ(namesOf("done:", "done:"), Names{"nothing"}); }

TEST_F(RowFault, aBarrierThatIsDropped) {
  // One thread takes the sums: those that nobody has made yet, or those that others made without an order.
  const Names names = namesOf("bar.sync 0;\n", "");
  EXPECT_FALSE(names.contains("nothing") || names.contains("bits"));
  EXPECT_TRUE(names.contains("race in block") || names.contains("unwritten memory"));
}

TEST_F(RowFault, aShuffleOfAnotherDistance) {
  EXPECT_EQ(namesOf("%r4, 2, 31", "%r4, 3, 31"), Names{"bits"});
  EXPECT_EQ(namesOf("%r4, 1, 31", "%r4, 2, 31"), Names{"bits"});
  EXPECT_EQ(namesOf("%r4, 2, 31, -1", "%r4, 2, 31, 65535"), Names{"shuffle"});
}

TEST_F(RowFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("%r14, 32;", "%r14, 33;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("%r14, 32;", "%r14, 31;"), Names{"bits"});
}

TEST_F(RowFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("%r2, 2048;", "%r2, 4096;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("%r1, 16;", "%r1, 8;"), Names{"misaligned"});
  EXPECT_EQ(namesOf("%r2, 4;", "%r2, 0;"), Names{"race between blocks"});
}

TEST_F(RowFault, aLoadThatIsMovedByFour) { EXPECT_EQ(namesOf("\\[%d1\\]", "[%d1+4]"), Names{"misaligned"}); }

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device code with one mistake each: within eight schedules, the test machine or the audit reports the
// mistake by name.

#include "compiler/codegen/ptx/AuditPtx.h"
#include "test/compiler/codegen/device/DeviceCases.h"
#include "test/compiler/codegen/device/DeviceRunner.h"
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

/// Changes the first match of a pattern. Fails the test if the pattern has no match.
std::string mutated(const std::string &text, const std::string &pattern, const std::string &replacement) {
  const std::regex expression(pattern);
  EXPECT_TRUE(std::regex_search(text, expression)) << pattern;
  return std::regex_replace(text, expression, replacement, std::regex_constants::format_first_only);
}

using Names = std::set<std::string>;

/// The names of a mistake: the messages up to their colon, or "bits" if only the results differ.
Names namesOf(const std::function<std::string(uint64_t seed)> &run) {
  Names names;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const std::string said = run(seed);
    const std::string name = said.substr(0, said.find(':'));
    names.insert(said.empty() ? "nothing" : name.starts_with("operand") ? "bits" : name);
  }
  return names;
}

/// Expects that a missing wait is found in every schedule, and not only by the results.
void expectUnordered(const Names &names) {
  EXPECT_FALSE(names.contains("nothing") || names.contains("bits"));
  EXPECT_TRUE(names.contains("race in block") || names.contains("unwritten memory"));
}

/// Mistakes in the text of one generated kernel.
class GeneratedFault : public testing::Test {
protected:
  void make(const std::string &mlir, const std::string &name, const DeviceRun &run,
            Launches launches = Launches::One) {
    kernels = DeviceKernels::compile(mlir, launches);
    ASSERT_TRUE(kernels);
    sound = kernels->ptx(), kernel = name, usual = run;
    usual.isTame = true;
  }

  Names namesOf(const std::string &pattern, const std::string &replacement) {
    return namesOf(pattern, replacement, usual);
  }
  Names namesOf(const std::string &pattern, const std::string &replacement, DeviceRun run) {
    EXPECT_EQ(kernels->replace(mutated(sound, pattern, replacement)), "");
    return ::namesOf([&](uint64_t seed) {
      run.seed = seed;
      return kernels->differs(kernel, run);
    });
  }

  /// As namesOf(), but changes every match of the pattern.
  Names namesOfEvery(const std::string &pattern, const std::string &replacement) {
    EXPECT_EQ(kernels->replace(std::regex_replace(sound, std::regex(pattern), replacement)), "");
    return ::namesOf([&](uint64_t seed) {
      usual.seed = seed;
      return kernels->differs(kernel, usual);
    });
  }

  void expectSound() { EXPECT_EQ(namesOf("ret;", "ret;"), Names{"nothing"}); }

  /// Expects an error if the address of an access to four elements is not a multiple of 16 bytes.
  void expectVectorsAreBound() {
    EXPECT_EQ(namesOf("(ld.global.v4.b32 \t\\{[^}]*\\}, \\[%rd\\d+)\\]", "$1+4]"), Names{"misaligned"});
    EXPECT_EQ(namesOf("(st.global.v4.b32 \t\\[%rd\\d+)\\]", "$1+4]"), Names{"misaligned"});
  }

  /// Neither the reader nor the audit accepts an operation without a rounding mode.
  void expectRoundingIsAsked(const std::string &operation) {
    const std::string dropped = mutated(sound, operation + "\\.rn", operation);
    EXPECT_NE(kernels->replace(dropped).find("is not a known opcode"), std::string::npos);
    EXPECT_NE(auditPtx(dropped).message().find("does not say .rn"), std::string::npos);
    EXPECT_TRUE(auditPtx(sound).isOk());
  }

  std::unique_ptr<DeviceKernels> kernels;
  std::string sound, kernel;
  DeviceRun usual;
};

class MapFault : public GeneratedFault {
protected:
  /// There are 2051 elements, of which the last thread has three.
  void SetUp() override { make(adamw(), "adamw", {.end = 2051, .elements = 2051}); }
};

TEST_F(MapFault, theSoundTextHasNone) { expectSound(); }

TEST_F(MapFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 4;", "$1, 3;"), Names{"out of bounds"});
  // A range that begins inside a strip runs element by element. Here two threads run the same element.
  EXPECT_EQ(
      namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 4;", "$1, 5;", {.begin = 1, .end = 2051, .elements = 2051}),
      Names{"race in block"});
  EXPECT_EQ(namesOf("(sub.s64 \t(%rd\\d+), %rd\\d+, %rd\\d+;)", "$1\nadd.s64 $2, $2, 1;"),
            Names{"out of bounds"});
  EXPECT_EQ(namesOf("(sub.s64 \t(%rd\\d+), %rd\\d+, %rd\\d+;)", "$1\nadd.s64 $2, $2, -1;"), Names{"bits"});
}

TEST_F(MapFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 1024;", "$1, 2048;"), Names{"bits"});
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 1024;", "$1, 0;"), Names{"race between blocks"});
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 4;", "$1, 0;", {.end = 2048, .elements = 2051}),
            Names{"race in block"});
  EXPECT_EQ(namesOf("(shl.b64 \t%rd\\d+, %rd\\d+), 2;\n(\tadd.s64[^\n]*\n\tld.global.v4)", "$1, 3;\n$2"),
            Names{"out of bounds"});
}

TEST_F(MapFault, aVectorThatIsMovedByFour) {
  expectVectorsAreBound();
  // An offset of 16 bytes reaches the elements that the next thread reads.
  EXPECT_EQ(namesOf("(st.global.v4.b32 \t\\[%rd\\d+)\\]", "$1+16]",
                    {.end = 2051, .elements = 2051, .inPlace = {{0, 0}}}),
            Names{"race in block"});
}

TEST_F(MapFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("mul"); }

/// Four threads run a row of 96 elements.
class QuadFault : public GeneratedFault {
protected:
  void SetUp() override { make(layerNorm(37, 96), "norm", {.end = 37}); }
};

TEST_F(QuadFault, theSoundTextHasNone) { expectSound(); }

TEST_F(QuadFault, aShuffleOfAnotherDistance) {
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 2,", "$1, 1,"), Names{"bits"});
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 1,", "$1, 2,"), Names{"bits"});
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 2,", "$1, 4,"), Names{"bits"});
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+, 2, 31), -1", "$1, 65535"), Names{"shuffle"});
}

TEST_F(QuadFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 80;", "$1, 64;"), Names{"bits"});
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 80;", "$1, 81;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("(or.b64 \t%rd\\d+, %rd\\d+), 24;", "$1, 16;"), Names{"bits"});
  // A store behind a row hits the row of other threads.
  const Names behind = namesOf("(or.b64 \t%rd\\d+, %rd\\d+), 24;", "$1, 28;");
  EXPECT_FALSE(behind.contains("nothing") || behind.contains("bits"));
  EXPECT_EQ(namesOf("setp.ge.s64", "setp.gt.s64", {.end = 36, .isTame = true}), Names{"bits"});
}

TEST_F(QuadFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.lo.s64 \t%rd\\d+, %rd\\d+), 96;", "$1, 48;"), Names{"bits"});
  EXPECT_EQ(namesOf("(mul.lo.s64 \t%rd\\d+, %rd\\d+), 96;", "$1, 192;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 32;", "$1, 0;"), Names{"race between blocks"});
  EXPECT_EQ(namesOf("(and.b64 \t%rd\\d+, %rd\\d+), 3;", "$1, 1;"), Names{"race in block"});
}

TEST_F(QuadFault, aVectorThatIsMovedByFour) { expectVectorsAreBound(); }

TEST_F(QuadFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("add"); }

/// Sums lie in the buffer of the numbers that all four threads of a row read.
class OverlaidFault : public GeneratedFault {
protected:
  void SetUp() override { make(scaledRows(40, 35), "scaled", {.end = 40, .inPlace = {{0, 0}, {1, 1}}}); }
};

TEST_F(OverlaidFault, theSoundTextHasNone) { expectSound(); }

TEST_F(OverlaidFault, aBarrierThatIsDropped) {
  EXPECT_EQ(namesOf("bar.sync \t0;\n", ""), Names{"race in block"});
}

/// A row of 70 blocks. Two lists of their sums pass through the shared memory of one block of threads.
class LongRowFault : public GeneratedFault {
protected:
  void SetUp() override { make(sumOf({70 * 4096 + 5}, {0}), "sum", {.end = 1}); }

  /// The barrier before the sums are read, and the one before the next list is written.
  static constexpr const char *kBeforeReading = "bar.sync \t0;\n(\tsub)",
                              *kBeforeWriting = "bar.sync \t0;\n(\tadd)";
};

TEST_F(LongRowFault, theSoundTextHasNone) { expectSound(); }

TEST_F(LongRowFault, aBarrierThatIsDropped) {
  for (const char *barrier : {kBeforeReading, kBeforeWriting}) {
    SCOPED_TRACE(barrier);
    expectUnordered(namesOf(barrier, "$1"));
  }
}

TEST_F(LongRowFault, aShuffleOfAnotherDistance) {
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 2,", "$1, 1,"), Names{"bits"});
}

TEST_F(LongRowFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("(ld.global.v4.b32 [^\n]*\n(.*\n)*?\tadd.s64 \t%rd\\d+, %rd\\d+), 128;", "$1, 256;"),
            Names{"bits"});
  EXPECT_EQ(namesOf("(setp.ne.b64 \t%p\\d+, %rd\\d+), 70;", "$1, 71;"), Names{"bits"});
}

TEST_F(LongRowFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(shl.b64 \t%rd\\d+, %rd\\d+), 14;", "$1, 15;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("(ld.shared.v4.b32 [^\n]*\n(.*\n)*?\tadd.s64 \t%rd\\d+, %rd\\d+), 32;", "$1, 64;"),
            Names{"out of bounds"});
}

/// A row of 71 blocks, whose sums lie in memory between two launches.
class PhaseFault : public GeneratedFault {
protected:
  void SetUp() override {
    make(sumOf({70 * 4096 + 5}, {0}, "f32", "f64"), "sum", {.end = 1}, Launches::AsPlanned);
    ASSERT_EQ(kernels->phases(kernel).size(), 2u);
  }
};

TEST_F(PhaseFault, theSoundTextHasNone) { expectSound(); }

TEST_F(PhaseFault, aPieceThatNobodyMakes) {
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 71;", "$1, 70;"), Names{"unwritten memory"});
}

TEST_F(PhaseFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 71;", "$1, 72;"), Names{"out of bounds"});
  // The bound of the last sums of pieces is one too high, and then one too low.
  EXPECT_EQ(namesOf("(min.u64 \t%rd\\d+, %rd\\d+), 7;", "$1, 8;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("(min.u64 \t%rd\\d+, %rd\\d+), 7;", "$1, 6;"), Names{"bits"});
}

TEST_F(PhaseFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 16;", "$1, 0;"), Names{"race between blocks"});
  const std::string second = "(ld.global.v2.b64 [^\n]*\n(.*\n)*?\tadd.s64 \t%rd\\d+, %rd\\d+), 512;";
  EXPECT_EQ(namesOf(second, "$1, 1024;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf(second, "$1, 256;"), Names{"bits"});
}

TEST_F(PhaseFault, aBarrierThatIsDropped) { expectUnordered(namesOf("bar.sync \t0;\n", "")); }

TEST_F(PhaseFault, aShuffleOfAnotherDistance) {
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 2,", "$1, 1,"), Names{"bits"});
}

TEST_F(PhaseFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("add"); }

/// Two channels of 17 blocks of 64 rows, with two sums each. The sums lie in memory between two launches.
class ChannelFault : public GeneratedFault {
protected:
  void SetUp() override {
    make(pairsOf({17, 2, 64, 5}, {0, 2, 3}), "pairs", {.end = 2}, Launches::AsPlanned);
    ASSERT_EQ(kernels->phases(kernel).size(), 2u);
  }
};

TEST_F(ChannelFault, theSoundTextHasNone) { expectSound(); }

TEST_F(ChannelFault, aBarrierThatIsDropped) { expectUnordered(namesOf("bar.sync \t0;\n", "")); }

TEST_F(ChannelFault, aShuffleOfAnotherDistance) {
  EXPECT_EQ(namesOf("(shfl.sync.bfly.b32 \t%r\\d+, %r\\d+), 2,", "$1, 1,"), Names{"bits"});
}

TEST_F(ChannelFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("add"); }

/// 40 columns of 18 blocks of rows, with two sums each.
class ColumnFault : public GeneratedFault {
protected:
  void SetUp() override { make(columnPairs(1100, 40, "f32"), "pairs", {.end = 40}); }
};

TEST_F(ColumnFault, theSoundTextHasNone) { expectSound(); }

TEST_F(ColumnFault, aBarrierThatIsDropped) { expectUnordered(namesOf("bar.sync \t0;\n", "")); }

TEST_F(ColumnFault, aBoundThatIsOffByOne) {
  // The number of rows in the added blocks is one block too high, and then one block too low.
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 1036;", "$1, 1100;"), Names{"unwritten memory"});
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 1036;", "$1, 972;"), Names{"bits"});
  EXPECT_EQ(namesOf("(selp.b64 \t%rd\\d+), 1100,", "$1, 1024,"), Names{"unwritten memory"});
  EXPECT_EQ(namesOf("setp.lt.s64", "setp.le.s64"), Names{"out of bounds"});
}

TEST_F(ColumnFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 160;", "$1, 320;"), Names{"out of bounds"});
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 160;", "$1, 80;"), Names{"bits"});
  EXPECT_EQ(namesOf("(add.s64 \t%rd\\d+, %rd\\d+), 128;", "$1, 64;"), Names{"unwritten memory"});
}

TEST_F(ColumnFault, aLoadThatIsMovedByFour) {
  EXPECT_EQ(namesOf("(BB0_\\d+:\n\tld.global.b32 \t%r\\d+, \\[%rd\\d+)\\]", "$1+4]"), Names{"out of bounds"});
}

TEST_F(ColumnFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("mul"); }

/// A gradient of a table of 600 rows: each block of threads has a band of three rows.
class BandFault : public GeneratedFault {
protected:
  void SetUp() override { make(embeddingGradient(33, "f32", 600), "gradient", {.end = 33}); }
};

TEST_F(BandFault, theSoundTextHasNone) { expectSound(); }

TEST_F(BandFault, aBoundThatIsOffByOne) {
  EXPECT_EQ(namesOfEvery("(setp.gt.u64 \t%p\\d+, %rd\\d+), 2;", "$1, 3;"),
            (Names{"race between blocks", "unwritten memory"}));
  EXPECT_EQ(namesOfEvery("(setp.gt.u64 \t%p\\d+, %rd\\d+), 2;", "$1, 1;"), Names{"bits"});
  EXPECT_EQ(namesOf("setp.le.s64", "setp.lt.s64"), (Names{"out of bounds", "race in block"}));
}

TEST_F(BandFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.lo.s32 \t%r\\d+, %r\\d+), 3;", "$1, 2;"), Names{"race between blocks"});
  EXPECT_EQ(namesOf("(mad.lo.s64 \t%rd\\d+, %rd\\d+), 1056,", "$1, 528,"), Names{"bits"});
}

TEST_F(BandFault, aRoundingThatIsNotSaid) { expectRoundingIsAsked("add"); }

/// Each block of threads has 8 x 19 elements.
class PadFault : public GeneratedFault {
protected:
  void SetUp() override { make(pads("f32"), "pad", {.end = 4}); }
};

TEST_F(PadFault, theSoundTextHasNone) { expectSound(); }

TEST_F(PadFault, aBoundThatIsOffByOne) {
  const Names names = namesOf("(setp.gt.u32 \t%p\\d+, %r\\d+), 151;", "$1, 152;");
  EXPECT_FALSE(names.contains("nothing") || names.contains("bits"));
  EXPECT_EQ(namesOf("(setp.gt.u32 \t%p\\d+, %r\\d+), 151;", "$1, 150;"), Names{"bits"});
  EXPECT_EQ(namesOf("(setp.lt.u64 \t%p\\d+, %rd\\d+), 17;", "$1, 16;"), Names{"bits"});
}

TEST_F(PadFault, aStrideThatIsWrong) {
  EXPECT_EQ(namesOf("(mul.wide.u32 \t%rd\\d+, %r\\d+), 76;", "$1, 72;"), Names{"race in block"});
  EXPECT_EQ(namesOf("(mad.lo.s64 \t%rd\\d+, %rd\\d+), 608,", "$1, 0,"), Names{"race between blocks"});
}

/// Each block of 128 threads sums a row of 512 numbers. Quads hold 16 lanes, the sums of quads pass through
/// shared memory, and one thread adds them.
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

  /// The same sums in C++: lanes by halves, and quads in order.
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

  /// Returns the error of a text; empty if there is none.
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
  // One thread reads the sums, which are not written yet, or are written by other threads without an order.
  expectUnordered(namesOf("bar.sync 0;\n", ""));
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

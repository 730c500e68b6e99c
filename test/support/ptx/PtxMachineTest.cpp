// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which threads go on, and every check that finds undefined behaviour of device code.

#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

#include <numeric>

using namespace windlass;
using namespace windlass::ptx;

namespace {

/// %r1 has the thread's number in the block, %r2 its number in the grid. %d1 and %d2 have the addresses of
/// its 4 bytes of a and b.
const std::string kBegin = R"(
mov.u32 %r1, %tid.x;
mov.u32 %r3, %ctaid.x;
mov.u32 %r4, %ntid.x;
mad.lo.s32 %r2, %r3, %r4, %r1;
mul.wide.u32 %d3, %r2, 4;
ld.param.b64 %d4, [a];
ld.param.b64 %d5, [b];
add.s64 %d1, %d4, %d3;
add.s64 %d2, %d5, %d3;
)";

/// A kernel on a, with the numbers 100, 101, ..., and b, with as many words that are not written.
class OneKernel {
public:
  OneKernel(const std::string &body, int threads = 32, uint32_t blocks = 1)
      : count(threads * blocks), blocks(blocks) {
    Result<Module> read = load(textOf(kBegin + body, 2, threads));
    EXPECT_TRUE(read.isOk()) << read.status().message();
    if (read.isOk())
      module = read.take();
    std::vector<uint32_t> input(count);
    std::iota(input.begin(), input.end(), 100);
    a = memory.place("a", input.data(), input.size() * 4);
    b = memory.allocate("b", count * 4);
  }

  Status run(uint64_t seed = 0, uint64_t stepLimit = 1 << 20) {
    const auto parameters = parametersOf({a, b});
    Result<std::vector<Touched>> done = launch({.kernel = &module.kernels.at(0),
                                                .blocks = blocks,
                                                .parameters = parameters,
                                                .variables = {},
                                                .seed = seed,
                                                .stepLimit = stepLimit},
                                               memory);
    if (done.isOk())
      touched = *done;
    return done.status();
  }
  uint32_t result(uint32_t number) const {
    uint32_t value = 0;
    memory.read(b + number * 4, &value, 4);
    return value;
  }
  /// The name of the fault if it is the same in all of eight schedules; else empty.
  std::string fault() {
    std::string name;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Status status = run(seed);
      const std::string found =
          status.isOk() ? "none" : status.message().substr(0, status.message().find(':'));
      if (seed > 0 && found != name)
        return "";
      name = found;
      said = status.message();
    }
    return name;
  }

  Module module;
  Allocations memory;
  uint32_t count, blocks;
  uint64_t a, b;
  std::vector<Touched> touched;
  std::string said;
};

TEST(PtxMachine, everyThreadOfEveryBlockRunsOnce) {
  OneKernel kernel("ld.global.b32 %r5, [%d1];\nadd.s32 %r5, %r5, %r3;\nst.global.b32 [%d2], %r5;\n", 48, 3);
  ASSERT_TRUE(kernel.run().isOk());
  for (uint32_t number = 0; number < 144; ++number)
    ASSERT_EQ(kernel.result(number), 100 + number + number / 48);
  EXPECT_EQ(kernel.touched,
            (std::vector<Touched>{{kernel.a, 576, true, false}, {kernel.b, 576, false, true}}));
}

TEST(PtxMachine, lanesThatPartMeetAgainInAnyOrder) {
  // Odd lanes repeat the loop as often as their number, even lanes take the other branch.
  const std::string body = R"(
and.b32 %r6, %r1, 1;
setp.eq.b32 %p1, %r6, 0;
mov.u32 %r7, %r1;
mov.b32 %r8, 0;
@%p1 bra even;
again:
add.s32 %r8, %r8, %r7;
add.s32 %r7, %r7, -1;
setp.gt.s32 %p2, %r7, 0;
@%p2 bra again;
bra.uni both;
even:
add.s32 %r8, %r1, 1000;
both:
st.global.b32 [%d2], %r8;
)";
  for (uint64_t seed = 0; seed < 8; ++seed) {
    OneKernel kernel(body, 80, 2);
    ASSERT_TRUE(kernel.run(seed).isOk());
    for (uint32_t number = 0; number < 160; ++number) {
      const uint32_t lane = number % 80;
      ASSERT_EQ(kernel.result(number), lane % 2 ? lane * (lane + 1) / 2 : lane + 1000) << seed;
    }
  }
}

TEST(PtxMachine, guardedInstructionsRunInSomeLanesOnly) {
  OneKernel kernel(
      "setp.lt.u32 %p1, %r1, 7;\nmov.b32 %r5, 1;\n@%p1 mov.b32 %r5, 2;\n@!%p1 add.s32 %r5, %r5, 5;\n"
      "st.global.b32 [%d2], %r5;\nsetp.gt.u32 %p2, %r1, 20;\n@%p2 ret;\nst.global.b32 [%d2], %r1;\n");
  ASSERT_TRUE(kernel.run().isOk());
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(kernel.result(lane), lane <= 20 ? lane : 6u);
}

TEST(PtxMachine, registersArePackedAndTakenApart) {
  OneKernel kernel(
      "ld.global.b32 %r5, [%d1];\nmov.b64 %d6, {%r5, %r1};\nshr.u64 %d6, %d6, 16;\nmov.b64 {%r6, %r7}, %d6;\n"
      "mov.b32 {%h1, %h2}, %r6;\nmov.b32 %r8, {%h2, %h1};\nst.global.b32 [%d2], %r8;\n");
  ASSERT_TRUE(kernel.run().isOk());
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(kernel.result(lane), lane);
}

TEST(PtxMachine, partsWithoutANameAreDropped) {
  OneKernel kernel("shl.b32 %r5, %r1, 16;\nmov.b32 {_, %h1}, %r5;\ncvt.u32.u16 %r6, %h1;\n"
                   "st.global.b32 [%d2], %r6;\n");
  ASSERT_TRUE(kernel.run().isOk());
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(kernel.result(lane), lane);
}

TEST(PtxMachine, aSignFillsARegisterThatIsWider) {
  for (const char *type : {"s8", "s16", "s32"}) {
    OneKernel kernel("mov.b32 %r5, -2;\nst.global.b32 [%d2], %r5;\nld.global." + std::string(type) +
                     " %d6, [%d2];\nmov.b64 {_, %r6}, %d6;\nst.global.b32 [%d2], %r6;\n");
    ASSERT_TRUE(kernel.run().isOk()) << kernel.run().message();
    for (uint32_t lane = 0; lane < 32; ++lane)
      ASSERT_EQ(kernel.result(lane), ~0u) << type;
  }
}

TEST(PtxMachine, memoryIsReadAndWrittenInEveryWidthAndNumber) {
  for (const char *space : {"global", "shared"})
    for (int elements : {1, 2, 4})
      for (int bits : {8, 16, 32, 64}) {
        const int bytes = elements * bits / 8;
        if (bytes > 16)
          continue;
        const std::string vector = elements == 1 ? "" : ".v" + std::to_string(elements);
        std::string values;
        for (int element = 0; element < elements; ++element)
          values += (element ? ", %" : "%") +
                    std::string(bits == 64   ? "d"
                                : bits == 32 ? "r"
                                             : "h") +
                    std::to_string(10 + element);
        if (elements > 1)
          values = "{" + values + "}";
        const std::string type = vector + ".b" + std::to_string(bits), size = std::to_string(bytes);
        std::string body = "mul.wide.u32 %d6, %r1, " + size +
                           ";\nadd.s64 %d7, %d4, %d6;\nadd.s64 %d8, %d5, %d6;\n"
                           "ld.global" +
                           type + " " + values + ", [%d7];\n";
        if (std::string(space) == "shared")
          body = ".shared .align 16 .b8 part[512];\n" + body +
                 "mov.b64 %d9, part;\nadd.s64 %d9, %d9, %d6;\nst.shared" + type + " [%d9], " + values +
                 ";\nld.shared" + type + " " + values + ", [%d9+0];\n";
        OneKernel kernel(body + "st.global" + type + " [%d8], " + values + ";\n", 32, 4);
        kernel.blocks = 1;
        ASSERT_TRUE(kernel.run().isOk()) << type << kernel.run().message();
        ASSERT_EQ(kernel.touched, (std::vector<Touched>{{kernel.a, uint64_t(bytes) * 32, true, false},
                                                        {kernel.b, uint64_t(bytes) * 32, false, true}}));
        for (int number = 0; number < bytes * 8; ++number)
          ASSERT_EQ(kernel.result(number), uint32_t(100 + number)) << type;
      }
}

TEST(PtxMachine, lanesExchangeValues) {
  OneKernel butterfly(
      "ld.global.b32 %r5, [%d1];\nshfl.sync.bfly.b32 %r6, %r5, 5, 31, -1;\nst.global.b32 [%d2], %r6;\n", 64);
  ASSERT_EQ(butterfly.fault(), "none");
  for (uint32_t number = 0; number < 64; ++number)
    ASSERT_EQ(butterfly.result(number), 100 + (number ^ 5));
  // The third lane in each segment of 8 lanes. A lane whose source lies behind its segment keeps its own
  // value.
  OneKernel index("ld.global.b32 %r5, [%d1];\nshfl.sync.idx.b32 %r6|%p1, %r5, 2, 6175, -1;\n"
                  "shfl.sync.bfly.b32 %r7|%p2, %r5, 16, 15, -1;\nselp.b32 %r8, 1, 0, %p2;\nadd.s32 %r6, %r6, "
                  "%r8;\nst.global.b32 [%d2], %r6;\n");
  ASSERT_EQ(index.fault(), "none");
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(index.result(lane), 100 + (lane & 24) + 2 + (lane >= 16 ? 1 : 0)) << lane;
}

TEST(PtxMachine, aShuffleWaitsForLanesThatTookAnotherWay) {
  const std::string body = R"(
setp.lt.u32 %p1, %r1, 9;
mov.b32 %r5, 7;
@%p1 bra first;
mov.b32 %r5, 8;
first:
shfl.sync.bfly.b32 %r6, %r5, 31, 31, -1;
st.global.b32 [%d2], %r6;
)";
  OneKernel kernel(body);
  ASSERT_EQ(kernel.fault(), "none");
  for (uint32_t lane = 0; lane < 32; ++lane)
    ASSERT_EQ(kernel.result(lane), 31 - lane < 9 ? 7u : 8u);
}

/// Each thread stores to shared memory, and loads the value of the thread at the same distance from the end
/// of its block.
std::string reversed(const std::string &between) {
  return ".shared .align 4 .b8 part[512];\nld.global.b32 %r5, [%d1];\nmov.b64 %d6, part;\nmul.wide.u32 %d7, "
         "%r1, 4;\n"
         "add.s64 %d8, %d6, %d7;\nst.shared.b32 [%d8], %r5;\n" +
         between + "sub.s64 %d9, %d6, %d7;\nld.shared.b32 %r6, [%d9+508];\nst.global.b32 [%d2], %r6;\n";
}

TEST(PtxMachine, aBarrierOrdersTheThreadsOfABlock) {
  OneKernel kernel(reversed("bar.sync 0;\n"), 128, 2);
  ASSERT_EQ(kernel.fault(), "none");
  for (uint32_t number = 0; number < 256; ++number)
    ASSERT_EQ(kernel.result(number), 100 + number / 128 * 128 + 127 - number % 128);
}

TEST(PtxMachine, aMissingBarrierIsARaceOrUnwrittenMemory) {
  OneKernel kernel(reversed(""), 128);
  std::set<std::string> found;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Status status = kernel.run(seed);
    ASSERT_FALSE(status.isOk());
    found.insert(status.message().substr(0, status.message().find(':')));
  }
  EXPECT_TRUE(found == std::set<std::string>({"unwritten memory"}) ||
              found == (std::set<std::string>{"race in block", "unwritten memory"}));
}

TEST(PtxMachine, racesAreFoundInEverySchedule) {
  // Each thread reads its own word and its neighbour's, and then writes its own, without and with a barrier.
  auto body = [](const std::string &between) {
    return "add.s64 %d6, %d4, 4;\nld.global.b32 %r5, [%d1];\nsetp.eq.b32 %p1, %r1, 63;\n@!%p1 ld.global.b32 "
           "%r5, [%d1+4];\n" +
           between + "st.global.b32 [%d1], %r5;\n";
  };
  EXPECT_EQ(OneKernel(body(""), 64).fault(), "race in block");
  EXPECT_EQ(OneKernel(body("bar.sync 0;\n"), 64).fault(), "none");
  EXPECT_EQ(OneKernel("st.global.b32 [%d5], %r1;\n").fault(), "race in block");
  EXPECT_EQ(OneKernel("setp.eq.b32 %p1, %r1, 0;\n@%p1 st.global.b32 [%d5], %r3;\n", 32, 2).fault(),
            "race between blocks");
  EXPECT_EQ(OneKernel("mul.wide.u32 %d6, %r1, 4;\nadd.s64 %d6, %d6, %d4;\nld.global.b32 %r5, "
                      "[%d6];\nst.global.b32 [%d1], %r5;\n",
                      32, 2)
                .fault(),
            "race between blocks");
  // The bytes of one word are distinguished.
  EXPECT_EQ(
      OneKernel(
          "cvt.u64.u32 %d6, %r2;\nadd.s64 %d7, %d5, %d6;\ncvt.u16.u32 %h1, %r1;\nst.global.b8 [%d7], %h1;\n",
          32, 2)
          .fault(),
      "none");
}

TEST(PtxMachine, anAddressMustBeInARegionAndAligned) {
  OneKernel behind("st.global.b32 [%d2+4], %r1;\n", 32, 2);
  EXPECT_EQ(behind.fault(), "out of bounds");
  EXPECT_NE(behind.said.find("4 bytes written where no memory is by thread 31"), std::string::npos)
      << behind.said;
  EXPECT_NE(behind.said.find("block 1"), std::string::npos) << behind.said;
  EXPECT_EQ(OneKernel("ld.global.b32 %r5, [%d1+-4];\n").fault(), "out of bounds");
  EXPECT_EQ(OneKernel("ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d4+8];\n").fault(), "misaligned");
  EXPECT_EQ(OneKernel("ld.global.v4.b32 {%r5, %r6, %r7, %r8}, [%d4+16];\n").fault(), "none");
  EXPECT_EQ(
      OneKernel(".shared .align 4 .b8 part[64];\nmov.b64 %d6, part;\nst.shared.b32 [%d6+64], %r1;\n").fault(),
      "out of bounds");
}

TEST(PtxMachine, memoryAndRegistersMustHaveBeenWritten) {
  EXPECT_EQ(OneKernel("ld.global.b32 %r5, [%d2];\n").fault(), "unwritten memory");
  EXPECT_EQ(OneKernel("st.global.b32 [%d2], %r1;\nld.global.b32 %r5, [%d2];\n").fault(), "none");
  EXPECT_EQ(
      OneKernel(".shared .align 4 .b8 part[64];\nmov.b64 %d6, part;\nld.shared.b32 %r5, [%d6];\n").fault(),
      "unwritten memory");
  OneKernel half("setp.lt.u32 %p1, %r1, 5;\n@%p1 mov.b32 %r9, 1;\nst.global.b32 [%d2], %r9;\n");
  EXPECT_EQ(half.fault(), "unwritten register");
  EXPECT_NE(half.said.find("'%r9' used by thread 5 at line"), std::string::npos) << half.said;
  EXPECT_EQ(OneKernel("add.s32 %r5, %r6, 1;\n").fault(), "unwritten register");
  EXPECT_EQ(OneKernel("@%p9 bra there;\nthere:\n").fault(), "unwritten register");
  EXPECT_EQ(OneKernel("st.global.b32 [%d9], %r1;\n").fault(), "unwritten register");
}

TEST(PtxMachine, whatNeverMeetsIsFound) {
  EXPECT_EQ(OneKernel("setp.lt.u32 %p1, %r1, 40;\n@%p1 bra there;\nbar.sync 0;\nthere:\n", 64).fault(),
            "barrier");
  EXPECT_EQ(
      OneKernel(
          "setp.lt.u32 %p1, %r1, 40;\n@%p1 bra there;\nbar.sync 0;\nbra both;\nthere:\nbar.sync 0;\nboth:\n",
          64)
          .fault(),
      "barrier");
  EXPECT_EQ(OneKernel("setp.lt.u32 %p1, %r1, 40;\n@%p1 bar.sync 0;\n", 64).fault(), "barrier");
  EXPECT_EQ(OneKernel("setp.lt.u32 %p1, %r1, 4;\n@%p1 bra there;\nshfl.sync.bfly.b32 %r5, %r1, 1, 31, "
                      "-1;\nthere:\nbar.sync 0;\n")
                .fault(),
            "shuffle");
  EXPECT_EQ(
      OneKernel("setp.lt.u32 %p1, %r1, 4;\n@%p1 ret;\nshfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\n").fault(),
      "shuffle");
  EXPECT_EQ(OneKernel("shfl.sync.bfly.b32 %r5, %r1, 1, 31, 255;\n").fault(), "shuffle");
  EXPECT_EQ(OneKernel("shfl.sync.bfly.b32 %r5, %r1, 1, 31, -1;\n", 31).fault(), "shuffle");
  EXPECT_EQ(OneKernel("setp.lt.u32 %p1, %r1, 4;\n@%p1 bra.uni there;\nthere:\n").fault(), "shuffle");
  OneKernel endless("there:\nbra there;\n");
  EXPECT_EQ(endless.run(0, 1000).message(), "endless: more than 1000 steps, in kernel 'k', block 0");
}

TEST(PtxMachine, integersWithoutAQuotientAreFound) {
  EXPECT_EQ(OneKernel("div.u32 %r5, %r2, %r1;\n").fault(), "quotient");
  EXPECT_EQ(OneKernel("mov.b32 %r5, -1;\nrem.s32 %r6, -2147483648, %r5;\n").fault(), "quotient");
  EXPECT_EQ(OneKernel("add.s32 %r5, %r1, 1;\nrem.u32 %r6, %r2, %r5;\n").fault(), "none");
}

TEST(PtxMachine, aLaunchMustBeTheKernels) {
  OneKernel kernel("");
  const auto parameters = parametersOf({kernel.a});
  const Kernel &k = kernel.module.kernels.at(0);
  EXPECT_EQ(launch({.kernel = &k, .blocks = 1, .parameters = parameters, .variables = {}}, kernel.memory)
                .status()
                .message(),
            "kernel 'k' takes 16 bytes of parameters, not 8");
  kernel.blocks = 0;
  EXPECT_EQ(kernel.run().message(), "kernel 'k' in 0 blocks");
}

TEST(PtxMachine, variablesOfTheModuleLieWhereTheyWerePut) {
  std::string text = textOf(
      kBegin +
          "mov.b64 %d6, table;\nand.b32 %r5, %r1, 1;\nmul.wide.u32 %d7, %r5, 4;\nadd.s64 %d6, %d6, %d7;\n"
          "ld.global.b32 %r6, [%d6];\nst.global.b32 [%d2], %r6;\n",
      2);
  text.insert(text.find(".visible"), ".global .align 4 .b8 table[8] = {5, 0, 0, 0, 0, 1};\n");
  Result<Module> module = load(text);
  ASSERT_TRUE(module.isOk()) << module.status().message();
  Allocations memory;
  const std::vector<uint64_t> variables = {memory.place("table", module->variables[0].image.data(), 8)};
  const std::vector<uint32_t> zeros(32);
  const uint64_t b = memory.allocate("b", 128);
  const auto parameters = parametersOf({b, b});
  const Launch request{
      .kernel = &module->kernels[0], .blocks = 1, .parameters = parameters, .variables = variables};
  ASSERT_TRUE(launch(request, memory).isOk());
  uint32_t values[2];
  memory.read(b, values, 8);
  EXPECT_EQ(values[0], 5u);
  EXPECT_EQ(values[1], 256u);
  EXPECT_TRUE(memory.isWhole(b));
}

} // namespace

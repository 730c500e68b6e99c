// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes the PTX of kernels: the bits are those of the shared object, in every schedule and for every
// division of the range.

#include "test/compiler/codegen/device/DeviceCases.h"
#include "test/compiler/codegen/device/DeviceRunner.h"
#include "test/support/ptx/PtxAssembler.h"

#include <regex>

using namespace windlass::codegen;
using namespace windlass::codegen::test;

namespace {

constexpr uint64_t kSchedules = 3;

/// Runs a kernel over a range as device code and as host code, in every schedule.
void expectEqualBits(const DeviceKernels &kernels, const std::string &name, DeviceRun run) {
  for (run.isTame = false;; run.isTame = true) {
    for (run.seed = 0; run.seed < kSchedules; ++run.seed)
      ASSERT_EQ(kernels.differs(name, run), "") << name << " [" << run.begin << ", " << run.end << ") of "
                                                << run.elements << ", schedule " << run.seed;
    if (run.isTame)
      return;
  }
}

/// Runs the whole range, parts of it, and in place. Returns the number of launches of the kernels.
size_t expectEqualBits(const DeviceCase &one, Launches launches = Launches::AsPlanned) {
  SCOPED_TRACE(one.name);
  auto kernels = DeviceKernels::compile(one.mlir, launches);
  if (!kernels)
    return 0; // compile() has failed the test
  for (const std::string &kernel : one.kernels) {
    expectEqualBits(*kernels, kernel, {.begin = 0, .end = one.extent});
    if (!one.inPlace.empty())
      expectEqualBits(*kernels, kernel, {.begin = 0, .end = one.extent, .inPlace = one.inPlace});
    const int64_t third = one.extent / 3;
    if (third > 0) {
      expectEqualBits(*kernels, kernel, {.begin = third, .end = one.extent - third});
      expectEqualBits(*kernels, kernel, {.begin = one.extent - 1, .end = one.extent});
      expectEqualBits(*kernels, kernel, {.begin = third, .end = third});
    }
  }
  return kernels->entryPoints();
}

TEST(DeviceKernel, everyMapHasTheBitsOfTheSharedObject) {
  for (const DeviceCase &one : deviceMaps())
    expectEqualBits(one);
}

TEST(DeviceKernel, everySumHasTheBitsOfTheSharedObject) {
  int inPhases = 0;
  for (const DeviceCase &one : deviceSums())
    if (expectEqualBits(one) > one.kernels.size()) {
      ++inPhases;
      expectEqualBits(one, Launches::One); // also in one launch
    }
  EXPECT_GE(inPhases, 8);
}

TEST(DeviceKernel, everyMoveHasTheBitsOfTheSharedObject) {
  for (const DeviceCase &one : deviceMoves())
    expectEqualBits(one);
}

TEST(DeviceKernel, aMapOnOneDimensionRunsOnAnyLengthAndAnyCut) {
  auto kernels = DeviceKernels::compile(adamw());
  ASSERT_TRUE(kernels);
  const std::map<int, int> inPlace = {{0, 0}, {1, 2}, {2, 3}};
  for (int64_t length : {1, 3, 4, 5, 63, 1024, 1025, 4099}) // the type has 1000
    expectEqualBits(*kernels, "adamw", {.begin = 0, .end = length, .elements = length, .inPlace = inPlace});
  for (auto [begin, end] :
       {std::pair<int64_t, int64_t>{64, 128}, {128, 3000}, {1, 2}, {7, 2100}, {5, 5}, {4096, 4099}})
    expectEqualBits(*kernels, "adamw", {.begin = begin, .end = end, .elements = 4099, .inPlace = inPlace});
}

int64_t count(const std::string &text, const std::string &what) {
  int64_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(DeviceKernel, aThreadMovesSixteenBytesAtOnceWhereElementsAllowIt) {
  auto flat = DeviceKernels::compile(adamw());
  ASSERT_TRUE(flat);
  EXPECT_EQ(count(flat->ptx(), "ld.global.v4.b32"), 4);
  EXPECT_EQ(count(flat->ptx(), "st.global.v4.b32"), 3);
  EXPECT_EQ(flat->phases("adamw"),
            (std::vector<DeviceGrid>{{.perBlock = 1024, .across = 1, .threads = 256}}));
  auto rows = DeviceKernels::compile(biasGelu(7, 1032, "bf16"));
  ASSERT_TRUE(rows);
  EXPECT_EQ(count(rows->ptx(), "ld.global.v4.b32"), 2);
  EXPECT_EQ(count(rows->ptx(), "st.global.v4.b32"), 1);
  EXPECT_EQ(rows->phases("gelu"), (std::vector<DeviceGrid>{{.perBlock = 1, .across = 1, .threads = 256}}));
  // Rows do not begin at multiples of 16 bytes: a thread has one element, and neighbouring threads have
  // neighbouring elements.
  auto odd = DeviceKernels::compile(biasGelu(7, 17));
  ASSERT_TRUE(odd);
  EXPECT_EQ(count(odd->ptx(), ".v4."), 0);
  EXPECT_EQ(odd->phases("gelu"), (std::vector<DeviceGrid>{{.perBlock = 15, .across = 1, .threads = 256}}));
}

/// Whether a text has `count` consecutive lines with this instruction.
bool hasRun(const std::string &text, const std::string &name, int count) {
  return std::regex_search(text,
                           std::regex("([^\n]*\\b" + name + "[^\n]*\n){" + std::to_string(count) + "}"));
}

TEST(DeviceKernel, loadsOfSeveralStepsOfALoopAreUnderWayAtOnce) {
  auto row = DeviceKernels::compile(sumOf({4, 4096}, {1})),
       column = DeviceKernels::compile(sumOf({64, 32}, {0}));
  ASSERT_TRUE(row && column);
  EXPECT_TRUE(hasRun(row->ptx(), "ld.global.v4.b32", 8)) << row->ptx();
  EXPECT_TRUE(hasRun(column->ptx(), "ld.global.b32", 16)) << column->ptx();
  auto assembler = windlass::ptx::PtxAssembler::find();
  if (!assembler)
    GTEST_SKIP() << assembler.status().message();
  auto assembled = assembler->disassemble(row->ptx(), "sm_90");
  if (!assembled && assembled.status().code() == windlass::ExitCode::CannotFit)
    GTEST_SKIP() << assembled.status().message();
  ASSERT_TRUE(assembled) << assembled.status().message();
  EXPECT_TRUE(hasRun(*assembled, "LDG", 8)) << *assembled;
}

TEST(DeviceKernel, whatDoesNotMatterBehindABoundIsNotLoaded) {
  std::map<std::string, std::string> texts;
  for (const DeviceCase &one : deviceMaps())
    if (one.name.ends_with("behind a bound")) {
      auto kernels = DeviceKernels::compile(one.mlir);
      ASSERT_TRUE(kernels);
      texts[one.name] = kernels->ptx();
    }
  // Threads without a strip branch, and so do threads behind the bound.
  const std::string &constant = texts["behind a bound"], &part = texts["partly behind a bound"];
  EXPECT_EQ(count(constant.substr(0, constant.find("ld.global.v4")), " bra "), 2) << constant;
  // Only the second operand is on one of two paths.
  EXPECT_EQ(count(part, "ld.global.v4"), 3) << part;
}

TEST(DeviceKernel, anEqualModuleGivesEqualText) {
  auto first = DeviceKernels::compile(biasGelu(7, 96)), second = DeviceKernels::compile(biasGelu(7, 96));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->ptx(), second->ptx());
}

TEST(DeviceKernel, whatNoDeviceCodeIsMadeOfIsRefusedByName) {
  EXPECT_NE(refusedByDevice(biasGelu(7, 0))
                .find("kernel 'gelu': no device code is made of tensors without elements"),
            std::string::npos);
  std::string named = adamw();
  named.replace(named.find("@adamw"), 6, "@\"a.b\"");
  EXPECT_NE(refusedByDevice(named).find("kernel 'a.b' has a name that no device code can have"),
            std::string::npos);
}

/// The kernels of all cases in one module, each with the number of its case in its name. The start of an
/// assembler takes longer than a kernel.
std::string together(const std::vector<DeviceCase> &cases) {
  std::string all;
  for (size_t number = 0; number < cases.size(); ++number) {
    const std::string &name = cases[number].name;
    if (name.starts_with("gelu of") && name != "gelu of 17" && name != "gelu of 4100")
      continue; // the others differ only in numbers
    const std::string mark = "$1_" + std::to_string(number);
    all += std::regex_replace(std::regex_replace(cases[number].mlir, std::regex("(func.func @\\w+)"), mark),
                              std::regex("(#(?!graph\\.)[a-z]\\w*)"), mark);
  }
  return all;
}

/// Assembles the kernels for every device that the assembler knows, and checks their registers and memory.
void expectRoom(const windlass::ptx::PtxAssembler &assembler, const std::vector<DeviceCase> &cases) {
  std::string refusal;
  const auto program = DeviceProgram::compile(together(cases), refusal);
  ASSERT_TRUE(program) << refusal;
  for (const char *device : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"}) {
    if (!assembler.knows(device))
      continue;
    auto assembled = assembler.assemble(program->ptx(), device);
    ASSERT_TRUE(assembled.isOk()) << device << ": " << assembled.status().message();
    ASSERT_EQ(assembled->size(), program->entryPoints());
    for (const windlass::ptx::Assembled &kernel : *assembled) {
      EXPECT_LE(kernel.registers, 128) << device << " " << kernel.kernel;
      EXPECT_EQ(kernel.stackBytes, 0) << device << " " << kernel.kernel;
      EXPECT_EQ(kernel.spillBytes, 0) << device << " " << kernel.kernel;
      EXPECT_LE(kernel.sharedBytes, 48 * 1024) << device << " " << kernel.kernel;
    }
  }
}

TEST(DeviceKernel, theAssemblerFindsRoomForEveryKernel) {
  auto assembler = windlass::ptx::PtxAssembler::find();
  if (!assembler.isOk())
    GTEST_SKIP() << assembler.status().message();
  expectRoom(*assembler, deviceMaps());
  expectRoom(*assembler, deviceSums());
  expectRoom(*assembler, deviceMoves());
}

} // namespace

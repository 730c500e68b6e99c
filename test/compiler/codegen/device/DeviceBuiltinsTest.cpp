// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device functions that are not lowered from graph ops: reference products, ordered sums and the probe. The
// machine of the tests executes them, and their bits are those of the host.
#include "runtime/base/DeviceBuiltins.h"
#include "compiler/codegen/DeviceCode.h"
#include "runtime/kernels/Matmul.h"
#include "runtime/kernels/ReferenceMatmul.h"
#include "runtime/kernels/cuda/DeviceProbe.h"
#include "runtime/plan/Enums.h"
#include "runtime/transport/OrderedSum.h"
#include "test/support/ptx/PtxAssembler.h"
#include "test/support/ptx/PtxMachine.h"
#include "test/support/ptx/PtxReader.h"
#include "test/support/ptx/PtxText.h"

#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace windlass;
using namespace windlass::codegen;
using plan::ElementType;
using plan::MatmulSpec;

namespace {

using Bytes = std::vector<std::byte>;

DeviceCode generate(const std::string &text, Builtins builtins) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, graph::GraphDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  FailureOr<DeviceCode> code = generateDeviceCode(llvm::to_vector(module->getOps<func::FuncOp>()), builtins);
  EXPECT_TRUE(succeeded(code)) << text;
  return succeeded(code) ? *code : DeviceCode();
}

/// Bytes that give moderate numbers in every element type.
Bytes drawn(int64_t bytes, uint64_t seed) {
  std::mt19937_64 random(seed);
  Bytes made(static_cast<size_t>(bytes));
  for (std::byte &each : made)
    each = static_cast<std::byte>(random() & 0x3F);
  return made;
}

/// A launch of a function of the code. Its operands lie in the machine's memory.
class Launch {
public:
  explicit Launch(const std::string &ptx) : module(ptx::load(ptx).take()) {}

  uint64_t place(const Bytes &bytes) { return memory.place("operand", bytes.data(), bytes.size()); }
  uint64_t reserve(int64_t bytes) { return memory.allocate("result", static_cast<uint64_t>(bytes)); }
  Bytes read(uint64_t address, int64_t bytes) const {
    Bytes out(static_cast<size_t>(bytes));
    memory.read(address, reinterpret_cast<uint8_t *>(out.data()), out.size());
    return out;
  }
  /// Returns the error of the machine; empty if there is none.
  std::string run(const std::string &name, int64_t blocks, const std::vector<uint64_t> &parameters,
                  uint64_t seed) {
    const auto bytes = ptx::parametersOf(parameters);
    const auto done = ptx::launch({.kernel = module.find(name),
                                   .blocks = static_cast<uint32_t>(blocks),
                                   .parameters = bytes,
                                   .variables = {},
                                   .seed = seed},
                                  memory);
    return done.isOk() ? "" : done.status().message();
  }

private:
  ptx::Module module;
  ptx::Allocations memory;
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

std::string tensor(int64_t batch, int64_t rows, int64_t columns, ElementType type) {
  return "tensor<" + (batch > 1 ? std::to_string(batch) + "x" : "") + std::to_string(rows) + "x" +
         std::to_string(columns) + "x" + std::string(plan::textOf(type)) + ">";
}

/// The kernel as graph ops.
std::string kernelText(const MatmulSpec &spec) {
  const std::string a = spec.transposeA ? tensor(spec.batch, spec.k, spec.m, spec.a)
                                        : tensor(spec.batch, spec.m, spec.k, spec.a),
                    b = spec.transposeB ? tensor(spec.batch, spec.n, spec.k, spec.b)
                                        : tensor(spec.batch, spec.k, spec.n, spec.b),
                    c = tensor(spec.batch, spec.m, spec.n, spec.c);
  return "func.func @product(%a: " + a + ", %b: " + b + (spec.accumulate ? ", %onto: " + c : "") + ") -> " +
         c + " {\n  %r = graph.matmul %a" + (spec.transposeA ? " transposed" : "") + ", %b" +
         (spec.transposeB ? " transposed" : "") + (spec.accumulate ? " onto (%onto : " + c + ")" : "") +
         " : " + a + ", " + b + " -> " + c + "\n  return %r : " + c + "\n}\n";
}

int64_t bytesOf(const MatmulSpec &spec, size_t operand) {
  const int64_t elements[] = {spec.m * spec.k, spec.k * spec.n, spec.m * spec.n};
  const ElementType types[] = {spec.a, spec.b, spec.c};
  return spec.batch * elements[operand] * plan::bytesOf(types[operand]);
}

/// Products with long and short rows, of one matrix and of several.
std::vector<MatmulSpec> specs() {
  std::vector<MatmulSpec> all;
  for (const auto &[batch, m, n, k] : {std::tuple(1, 3, 300, 17), {1, 40, 9, 5}, {3, 6, 50, 4}, {5, 2, 3, 1}})
    for (const auto &[in, out] : {std::pair(ElementType::F32, ElementType::F32),
                                  {ElementType::BF16, ElementType::F32},
                                  {ElementType::BF16, ElementType::BF16},
                                  {ElementType::F16, ElementType::F16}})
      for (int flags = 0; flags < 8; flags += 3)
        all.push_back({batch, m, n, k, (flags & 1) != 0, (flags & 2) != 0, in, in, out, (flags & 4) != 0});
  return all;
}

TEST(DeviceBuiltins, productsHaveTheBitsOfTheReference) {
  uint64_t seed = 0;
  for (const MatmulSpec &spec : specs()) {
    SCOPED_TRACE(describe(spec));
    const DeviceCode code = generate(kernelText(spec), Builtins::None);
    ASSERT_EQ(code.phases.size(), 1u);
    ASSERT_EQ(code.phases[0].size(), 1u);
    const int64_t extent = spec.batch > 1 ? spec.batch : spec.m;
    for (const auto &[begin, end] : {std::pair(int64_t{0}, extent), {extent / 2, extent}, {1, extent - 1}}) {
      if (begin >= end)
        continue;
      Launch launch(code.ptx);
      Bytes operands[3];
      std::vector<uint64_t> parameters;
      for (size_t i = 0; i < 3; ++i) {
        operands[i] = drawn(bytesOf(spec, i), i + 1);
        parameters.push_back(launch.place(operands[i]));
      }
      parameters.push_back(0); // no scratch
      parameters.push_back(static_cast<uint64_t>(begin)), parameters.push_back(static_cast<uint64_t>(end));
      EXPECT_EQ(launch.run("product", code.phases[0][0].blocks(end - begin), parameters, seed++ % 3), "");
      const int64_t rows = spec.batch * spec.m / extent;
      referenceRows(spec, operands[0].data(), operands[1].data(), operands[2].data(), begin * rows,
                    end * rows);
      ASSERT_EQ(launch.read(parameters[2], bytesOf(spec, 2)), operands[2]) << begin << " to " << end;
    }
  }
}

//===----------------------------------------------------------------------===//
// Functions of every plan
//===----------------------------------------------------------------------===//

/// The code of any kernel: the builtins are part of it.
const DeviceCode &plain() {
  static const DeviceCode code = generate(kernelText({.batch = 1, .m = 2, .n = 2, .k = 2}), Builtins::All);
  return code;
}

TEST(DeviceBuiltins, sumsHaveTheBitsOfEveryTransport) {
  for (const auto &[type, elementBytes] : {std::pair(ElementType::F32, int64_t{4}),
                                           {ElementType::F64, 8},
                                           {ElementType::BF16, 2},
                                           {ElementType::F16, 2}})
    for (const int64_t count : {1, 2, 3, 16})
      for (const int64_t elements : {int64_t{1}, kSumElements, kSumElements * 2 + 77}) {
        SCOPED_TRACE(std::string(plan::textOf(type)) + " " + std::to_string(count));
        Launch launch(plain().ptx);
        const int64_t bytes = elements * elementBytes;
        std::vector<uint64_t> parameters = {launch.reserve(bytes), static_cast<uint64_t>(elements),
                                            static_cast<uint64_t>(count)};
        std::vector<Bytes> sources;
        std::vector<const std::byte *> near;
        for (int64_t source = 0; source < count; ++source)
          parameters.push_back(
              launch.place(sources.emplace_back(drawn(bytes, static_cast<uint64_t>(source)))));
        for (const Bytes &each : sources)
          near.push_back(each.data());
        parameters.resize(3 + kMostSummed); // the other parameters are null
        EXPECT_EQ(launch.run(kOrderedSumPrefix + std::string(plan::textOf(type)),
                             (elements + kSumElements - 1) / kSumElements, parameters,
                             static_cast<uint64_t>(count)),
                  "");
        Bytes expected(static_cast<size_t>(bytes));
        sumInOrder(type, near, expected.data(), bytes);
        ASSERT_EQ(launch.read(parameters[0], bytes), expected);
      }
}

TEST(DeviceBuiltins, theProbeFindsThatTheMachineComputesAsAHost) {
  const std::vector<ProbePattern> patterns = probePatterns();
  const auto *first = reinterpret_cast<const std::byte *>(patterns.data());
  constexpr int64_t kBytes = kProbeOperations * kProbePatterns * 8;
  for (uint64_t seed : {0, 1, 2}) {
    Launch launch(plain().ptx);
    const std::vector<uint64_t> parameters = {
        launch.place({first, first + patterns.size() * sizeof(ProbePattern)}), launch.reserve(kBytes)};
    EXPECT_EQ(launch.run(kProbe, kProbePatterns / kProbeThreads, parameters, seed), "");
    const Bytes bytes = launch.read(parameters[1], kBytes);
    std::vector<uint64_t> found(bytes.size() / 8);
    std::memcpy(found.data(), bytes.data(), bytes.size());
    const Status status = compareProbe({}, patterns, found);
    EXPECT_TRUE(status) << status.message();
  }
}

/// Seeds the mistakes of an assembler that the probe must find.
TEST(DeviceBuiltins, theProbeFindsCodeThatRoundsOtherwise) {
  const std::vector<ProbePattern> patterns = probePatterns();
  const auto *first = reinterpret_cast<const std::byte *>(patterns.data());
  const std::string &right = plain().ptx;
  const size_t probe = right.find(kProbe);
  ASSERT_NE(probe, std::string::npos);
  for (const auto &[from, to] : {std::pair("div.rn.f32", "mul.rn.f32"),
                                 {"add.rn.f32", "sub.rn.f32"},
                                 {"mul.rn.f64", "add.rn.f64"},
                                 {"sqrt.rn.f64", "abs.f64"},
                                 {"bfly.b32", "idx.b32"}}) {
    const size_t at = right.find(from, probe);
    ASSERT_NE(at, std::string::npos) << from;
    std::string wrong = right;
    wrong.replace(at, std::strlen(from), to);
    Launch launch(wrong);
    constexpr int64_t kBytes = kProbeOperations * kProbePatterns * 8;
    const std::vector<uint64_t> parameters = {
        launch.place({first, first + patterns.size() * sizeof(ProbePattern)}), launch.reserve(kBytes)};
    EXPECT_EQ(launch.run(kProbe, kProbePatterns / kProbeThreads, parameters, 0), "") << from;
    const Bytes bytes = launch.read(parameters[1], kBytes);
    std::vector<uint64_t> found(bytes.size() / 8);
    std::memcpy(found.data(), bytes.data(), bytes.size());
    EXPECT_EQ(compareProbe({}, patterns, found).code(), ExitCode::CannotFit) << from;
  }
}

TEST(DeviceBuiltins, theAssemblerFindsRoomForThem) {
  auto assembler = ptx::PtxAssembler::find();
  if (!assembler.isOk())
    GTEST_SKIP() << assembler.status().message();
  for (const char *device : {"sm_80", "sm_90", "sm_100"}) {
    if (!assembler->knows(device))
      continue;
    auto assembled = assembler->assemble(plain().ptx, device);
    ASSERT_TRUE(assembled.isOk()) << device << ": " << assembled.status().message();
    ASSERT_EQ(assembled->size(), 6u) << "a product, four sums, the probe";
    for (const ptx::Assembled &each : *assembled) {
      EXPECT_EQ(each.spillBytes + each.stackBytes, 0) << device << " " << each.kernel;
      EXPECT_LE(each.registers, 128) << device << " " << each.kernel;
    }
  }
}

} // namespace

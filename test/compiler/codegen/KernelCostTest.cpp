// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compares the predicted operations of kernels with the operations in their generated loops.
#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/codegen/lowering/LowerKernel.h"
#include "compiler/codegen/vectors/Vectorize.h"
#include "dialects/Graph/IR/kernels/GraphBodyCost.h"
#include "dialects/Graph/IR/kernels/GraphKernelCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <regex>

using namespace mlir;
using namespace windlass;
using namespace windlass::codegen;

namespace {

/// The weight of an instruction, in operations on 16 lanes of 32 bits: twice as many bits weigh two, fewer
/// bits still weigh one.
double weightOf(Operation &op) {
  if (isa<vector::FromElementsOp>(op))
    return graph::kLaneLoadOperations;
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op.getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp>(op))
    return 0;
  int64_t bits = 0;
  for (Type type : llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    if (auto vector = dyn_cast<VectorType>(type)) {
      Type element = vector.getElementType();
      bits = std::max<int64_t>(bits, vector.getNumElements() *
                                         (element.isIndex() ? 64 : element.getIntOrFloatBitWidth()));
    }
  auto index = dyn_cast<arith::IndexCastOp>(op);
  if (bits == 0 || (index && getElementTypeOrSelf(index.getResult()).isInteger(64)))
    return 0;
  bool isSlow = isa<arith::DivFOp, math::SqrtOp>(op);
  return (isSlow ? graph::kDivisionOperations : 1) * std::max(1.0, static_cast<double>(bits) / (16 * 32));
}

/// Operations per element in the loops over vectors. Such a loop has the number of lanes as its step.
double operationsIn(func::FuncOp function) {
  double sum = 0;
  function.walk([&](scf::ForOp loop) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (step != kLanes)
      return;
    for (Operation &op : *loop.getBody())
      sum += weightOf(op);
  });
  return sum;
}

struct Counted {
  double said = 0, generated = 0; ///< operations per element
};

class KernelCost : public testing::Test {
protected:
  KernelCost() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                        graph::GraphDialect, linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
                        scf::SCFDialect, vector::VectorDialect>();
  }

  /// Counts the operations of a kernel over `elements` elements.
  Counted count(const std::string &text, double elements) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return ADD_FAILURE() << "cannot parse " << text, Counted();
    func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
    Counted counted;
    counted.said = graph::describeKernel(kernel)->flops / elements;
    OwningOpRef<ModuleOp> lowered = ModuleOp::create(kernel.getLoc());
    FailureOr<func::FuncOp> function = lowerKernel(kernel, *lowered);
    EXPECT_TRUE(succeeded(function));
    vectorizeGenerics(*function);
    EXPECT_TRUE(succeeded(approximateMath(*function)));
    PassManager passes(&context);
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createLoopInvariantCodeMotionPass());
    passes.addPass(createCSEPass());
    EXPECT_TRUE(succeeded(passes.run(*lowered)));
    counted.generated = operationsIn(*function);
    return counted;
  }

  MLIRContext context;
};

/// A map of one scalar operation on equal inputs of 64 elements.
std::string mapOf(const std::string &expression, int operands, const std::string &from,
                  const std::string &to) {
  std::string in = "tensor<64x" + from + ">", out = "tensor<64x" + to + ">";
  std::string arguments, names, types, maps, scalars;
  for (int i = 0; i < operands; ++i) {
    std::string comma = i ? ", " : "", number = std::to_string(i);
    arguments += comma + "%x" + number + ": " + in;
    names += comma + "%x" + number;
    types += comma + in;
    maps += comma + "affine_map<(d0) -> (d0)>";
    scalars += comma + "%a" + number + ": " + from;
  }
  return "func.func @k(" + arguments + ") -> " + out + " {\n %r = graph.map ins(" + names + " : " + types +
         ") maps [" + maps + "] -> " + out + " {\n ^bb0(" + scalars + "):\n" + expression +
         "\n graph.yield %y : " + to + "\n }\n return %r : " + out + "\n}\n";
}

struct ScalarCase {
  std::string expression;
  int operands = 1;
  std::string from = "f32", to = "f32";
};

std::vector<ScalarCase> scalarCases() {
  std::vector<ScalarCase> cases;
  for (const char *name :
       {"exp", "log", "log1p", "tanh", "erf", "sin", "cos", "sqrt", "rsqrt", "absf", "floor", "ceil"})
    cases.push_back({"%y = math." + std::string(name) + " %a0 : f32"});
  cases.push_back({"%y = math.sqrt %a0 : f64", 1, "f64", "f64"});
  cases.push_back({"%y = math.powf %a0, %a1 : f32", 2});
  cases.push_back({"%y = math.fma %a0, %a1, %a2 : f32", 3});
  cases.push_back({"%y = arith.negf %a0 : f32"});
  for (const char *name : {"addf", "subf", "mulf", "divf", "maximumf", "minimumf"})
    for (const char *type : {"f32", "f64", "bf16", "f16"})
      cases.push_back({"%y = arith." + std::string(name) + " %a0, %a1 : " + type, 2, type, type});
  for (const char *name : {"addi", "subi", "muli", "andi", "ori", "xori"})
    for (const char *type : {"i32", "i64"})
      cases.push_back({"%y = arith." + std::string(name) + " %a0, %a1 : " + type, 2, type, type});
  cases.push_back({"%c = arith.cmpf olt, %a0, %a1 : f32 %y = arith.select %c, %a0, %a2 : f32", 3});
  cases.push_back(
      {"%c = arith.cmpi slt, %a0, %a1 : i32 %y = arith.select %c, %a0, %a1 : i32", 2, "i32", "i32"});
  cases.push_back({"%y = arith.extf %a0 : f32 to f64", 1, "f32", "f64"});
  cases.push_back({"%y = arith.truncf %a0 : f64 to f32", 1, "f64", "f32"});
  cases.push_back({"%y = arith.extf %a0 : bf16 to f32", 1, "bf16", "f32"});
  cases.push_back({"%y = arith.truncf %a0 : f32 to bf16", 1, "f32", "bf16"});
  cases.push_back({"%y = arith.extf %a0 : f16 to f32", 1, "f16", "f32"});
  cases.push_back({"%y = arith.truncf %a0 : f32 to f16", 1, "f32", "f16"});
  cases.push_back({"%y = arith.sitofp %a0 : i32 to f32", 1, "i32", "f32"});
  cases.push_back({"%y = arith.fptosi %a0 : f32 to i32", 1, "f32", "i32"});
  return cases;
}

TEST_F(KernelCost, ofEveryScalarOperationIsWhatItIsExpandedInto) {
  for (const ScalarCase &each : scalarCases()) {
    Counted counted = count(mapOf(each.expression, each.operands, each.from, each.to), 64);
    EXPECT_EQ(counted.said, counted.generated) << each.expression;
  }
}

/// A map without inputs, which computes from the indices of its loops.
std::string mapOfIndices(const std::string &expression, const std::string &type) {
  return "func.func @k() -> tensor<8x64x" + type + "> {\n %r = graph.map ins() maps [] -> tensor<8x64x" +
         type +
         "> {\n %row = graph.index 0 : index\n %column = graph.index 1 : index\n %key = arith.constant 7 : "
         "i32\n" +
         expression + "\n graph.yield %y : " + type + "\n }\n return %r : tensor<8x64x" + type + ">\n}\n";
}

TEST_F(KernelCost, ofWhatIsMadeOfIndicesIsCountedToo) {
  for (const ScalarCase &each :
       std::vector<ScalarCase>{{"%y = graph.random %key, %key [%row, %column] : f32"},
                               {"%y = graph.random %key, %key [%column, %row] : f32"},
                               {"%y = arith.index_cast %column : index to i32", 0, "", "i32"},
                               {"%y = arith.index_cast %column : index to i64", 0, "", "i64"},
                               {"%c = arith.cmpi sle, %column, %row : index %a = arith.constant 1.0 : f32 %b "
                                "= arith.constant 2.0 : f32 "
                                "%y = arith.select %c, %a, %b : f32"}}) {
    Counted counted = count(mapOfIndices(each.expression, each.to), 8 * 64);
    EXPECT_EQ(counted.said, counted.generated) << each.expression;
  }
}

TEST_F(KernelCost, ofWhatIsEqualInARowIsNothing) {
  Counted counted = count(R"(
func.func @k(%x: tensor<8x64xf32>, %s: tensor<8xf32>, %one: tensor<f32>) -> tensor<8x64xf32> {
  %r = graph.map ins(%x, %s, %one : tensor<8x64xf32>, tensor<8xf32>, tensor<f32>)
      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> ()>]
      -> tensor<8x64xf32> {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = math.exp %b : f32
    %e = arith.divf %d, %c : f32
    %y = arith.mulf %a, %e : f32
    graph.yield %y : f32
  }
  return %r : tensor<8x64xf32>
})",
                          8 * 64);
  EXPECT_EQ(counted.generated, 1);
  EXPECT_EQ(counted.said, 1);
}

TEST_F(KernelCost, ofLoadsAcrossMemoryIsThatOfEveryLane) {
  Counted counted = count(R"(
func.func @k(%x: tensor<64x8xf32>) -> tensor<8x64xf32> {
  %r = graph.map ins(%x : tensor<64x8xf32>) maps [affine_map<(d0, d1) -> (d1, d0)>] -> tensor<8x64xf32> {
  ^bb0(%a: f32):
    graph.yield %a : f32
  }
  return %r : tensor<8x64xf32>
})",
                          8 * 64);
  EXPECT_EQ(counted.generated, graph::kLaneLoadOperations);
  EXPECT_EQ(counted.said, counted.generated);
}

/// An op on rows. X has 8 rows of 64 columns, C a value per column, R a value per row, L a label per row.
struct RowCase {
  std::string arguments, op, results;
};
std::vector<RowCase> rowCases() {
  std::vector<RowCase> cases;
  for (const char *x : {"X", "B"}) {
    const std::string in = x;
    cases.push_back(
        {"%x: " + in + ", %s: C, %b: C",
         "%0:3 = graph.layer_norm %x, %s, %b epsilon(1.0e-5) : " + in + ", C, C -> " + in + ", R, R",
         in + ", R, R"});
    cases.push_back(
        {"%g: " + in + ", %x: " + in + ", %s: C, %m: R, %d: R",
         "%0 = graph.layer_norm_grad %g, %x, %s, %m, %d : " + in + ", " + in + ", C, R, R -> " + in, in});
    for (const char *kind : {"", " causal", " causal window(9)", " window(9)"})
      for (const char *scale : {"", " {scale = 0.5}"})
        cases.push_back(
            {"%x: " + in,
             "%0:2 = graph.softmax %x" + std::string(kind) + scale + " : " + in + " -> " + in + ", R",
             in + ", R"});
  }
  cases.push_back({"%x: X, %s: C", "%0:2 = graph.rms_norm %x, %s epsilon(1.0e-5) : X, C -> X, R", "X, R"});
  cases.push_back(
      {"%g: X, %x: X, %s: C, %d: R", "%0 = graph.rms_norm_grad %g, %x, %s, %d : X, X, C, R -> X", "X"});
  cases.push_back({"%x: X, %m: X", "%0:2 = graph.softmax %x mask(%m : X) : X -> X, R", "X, R"});
  for (const char *smoothing : {"", " {smoothing = 0.1}"}) {
    cases.push_back({"%x: X, %l: L",
                     "%0:2 = graph.cross_entropy %x, %l" + std::string(smoothing) + " : X, L -> R, R",
                     "R, R"});
    cases.push_back(
        {"%g: R, %x: X, %l: L, %s: R",
         "%0 = graph.cross_entropy_grad %g, %x, %l, %s" + std::string(smoothing) + " : R, X, L, R -> X",
         "X"});
  }
  return cases;
}

std::string rowKernel(const RowCase &each) {
  size_t count = std::count(each.results.begin(), each.results.end(), ',') + 1;
  std::string returned;
  for (size_t i = 0; i < count; ++i)
    returned += (i ? ", %0" : "%0") + (count > 1 ? "#" + std::to_string(i) : "");
  return "!X = tensor<8x64xf32>\n!B = tensor<8x64xbf16>\n!C = tensor<64xf32>\n!R = tensor<8xf32>\n!L = "
         "tensor<8xi64>\n"
         "func.func @k(" +
         std::regex_replace(each.arguments + ") -> (" + each.results + ") {\n " + each.op + "\n return " +
                                returned + " : " + each.results + "\n}\n",
                            std::regex("\\b([XBCRL])\\b"), "!$1");
}

TEST_F(KernelCost, ofRowOpsIsThatOfWhatTheyDecomposeInto) {
  for (const RowCase &each : rowCases()) {
    Counted counted = count(rowKernel(each), 8 * 64);
    EXPECT_EQ(counted.said, counted.generated) << each.op;
  }
}

} // namespace

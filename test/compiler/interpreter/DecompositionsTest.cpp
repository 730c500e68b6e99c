// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every decomposition is compared with the op's own evaluation.

#include "test/compiler/interpreter/TestModule.h"

using namespace mlir;

namespace windlass::interpreter {
namespace {

/// An op on arguments of these shapes. All of its results are returned. `FLOAT` stands for the element type
/// of tensors that a precision may narrow.
struct Case {
  std::string name;
  std::string arguments, op, results;
  int count = 1;
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

std::string moduleText(const Case &tested, const std::string &element) {
  std::string values = "%out#0";
  for (int i = 1; i < tested.count; ++i)
    values += ", %out#" + std::to_string(i);
  std::string text = "func.func @f(" + tested.arguments + ") -> (" + tested.results +
                     ") {\n%out:" + std::to_string(tested.count) + " = " + tested.op + "\nreturn " + values +
                     " : " + tested.results + "\n}";
  return replaced(text, "FLOAT", element);
}

/// Replaces ops by their decompositions until none is left.
void decomposeAll(func::FuncOp function) {
  while (true) {
    graph::DecomposableOpInterface coarse;
    function.walk([&](graph::DecomposableOpInterface op) { coarse = op; });
    if (!coarse)
      return;
    OpBuilder builder(coarse);
    coarse->replaceAllUsesWith(coarse.decompose(builder));
    coarse->erase();
  }
}

class Decompositions : public testing::TestWithParam<Case> {
protected:
  /// Evaluates the op and its decomposition on the same numbers.
  std::pair<Tensors, Tensors> both(const std::string &element, Options options, double magnitude) {
    TestModule test(moduleText(GetParam(), element));
    if (!test.module) {
      ADD_FAILURE() << "the case does not parse";
      return {};
    }
    std::mt19937 random(11);
    Tensors arguments = randomArguments(test.function("f"), random, -magnitude, magnitude, 5);
    Tensors direct = Interpreter(*test.module, options).call("f", arguments).take();
    decomposeAll(test.function("f"));
    EXPECT_TRUE(test.verifies());
    return {direct, Interpreter(*test.module, options).call("f", arguments).take()};
  }

  void expectAgreement(const std::string &element, Options options, double magnitude, double tolerance) {
    auto [direct, decomposed] = both(element, options, magnitude);
    for (auto [expected, found] : llvm::zip_equal(direct, decomposed))
      expectNear(found, expected, tolerance);
  }
};

TEST_P(Decompositions, AgreeInF64) { expectAgreement("f32", {}, 1, 1e-12); }

TEST_P(Decompositions, AgreeInF64OnNarrowTypes) { expectAgreement("bf16", {}, 1, 1e-12); }

TEST_P(Decompositions, AgreeRoundedToF32) {
  Options rounded;
  rounded.roundToTypes = true;
  expectAgreement("f32", rounded, 1, 1e-5);
}

TEST_P(Decompositions, AgreeRoundedToBf16) {
  Options rounded;
  rounded.roundToTypes = true;
  expectAgreement("bf16", rounded, 1, 0.02);
}

/// Gradients of learned masks of attention.
std::vector<Case> maskCases() {
  return {
      {"attention_grad_of_mask",
       "%g: tensor<6x16xFLOAT>, %o: tensor<6x16xFLOAT>, %l: tensor<2x4x3xf32>, %q: tensor<6x16xFLOAT>, "
       "%k: tensor<10x8xFLOAT>, %v: tensor<10x8xFLOAT>, %m: tensor<1x4x3x5xFLOAT>",
       "graph.attention_grad %g, %o, %l of %q, %k, %v mask(%m : tensor<1x4x3x5xFLOAT>) batch(2) heads(4) "
       "kv_heads(2) causal window(2) scale(0.3) : tensor<6x16xFLOAT>, tensor<6x16xFLOAT>, "
       "tensor<2x4x3xf32> of tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT> -> "
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT>, tensor<1x4x3x5xFLOAT>",
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT>, tensor<1x4x3x5xFLOAT>", 4},
      {"attention_grad_of_whole_mask_dropout",
       "%g: tensor<6x8xFLOAT>, %o: tensor<6x8xFLOAT>, %l: tensor<2x2x3xf32>, %x: tensor<6x24xFLOAT>, "
       "%m: tensor<2x2x3x3xFLOAT>, %r: tensor<2x2xi32>, %b: tensor<i32>",
       "graph.attention_grad %g, %o, %l of %x mask(%m : tensor<2x2x3x3xFLOAT>) batch(2) heads(2) "
       "dropout(0.25) random(%r, %b : tensor<2x2xi32>, tensor<i32>) : tensor<6x8xFLOAT>, tensor<6x8xFLOAT>, "
       "tensor<2x2x3xf32> of tensor<6x24xFLOAT> -> tensor<6x24xFLOAT>, tensor<2x2x3x3xFLOAT>",
       "tensor<6x24xFLOAT>, tensor<2x2x3x3xFLOAT>", 2},
      {"softmax_from_base", "%x: tensor<2x4x5xFLOAT>, %m: tensor<1x4x5xf32>, %b: tensor<1x4xf32>",
       "graph.softmax %x mask(%m : tensor<1x4x5xf32>) base(%b : tensor<1x4xf32>) : tensor<2x4x5xFLOAT> -> "
       "tensor<2x4x5xFLOAT>, tensor<2x4xf32>",
       "tensor<2x4x5xFLOAT>, tensor<2x4xf32>", 2}};
}

std::vector<Case> otherCases() {
  return {
      {"layer_norm", "%x: tensor<2x3x5xFLOAT>, %s: tensor<5xFLOAT>, %b: tensor<5xFLOAT>",
       "graph.layer_norm %x, %s, %b epsilon(1.0e-5) : tensor<2x3x5xFLOAT>, tensor<5xFLOAT>, tensor<5xFLOAT> "
       "-> "
       "tensor<2x3x5xFLOAT>, tensor<2x3xf32>, tensor<2x3xf32>",
       "tensor<2x3x5xFLOAT>, tensor<2x3xf32>, tensor<2x3xf32>", 3},
      {"layer_norm_grad",
       "%g: tensor<4x5xFLOAT>, %x: tensor<4x5xFLOAT>, %s: tensor<5xFLOAT>, %m: tensor<4xf32>, %d: "
       "tensor<4xf32>",
       "graph.layer_norm_grad %g, %x, %s, %m, %d : tensor<4x5xFLOAT>, tensor<4x5xFLOAT>, tensor<5xFLOAT>, "
       "tensor<4xf32>, tensor<4xf32> -> tensor<4x5xFLOAT>",
       "tensor<4x5xFLOAT>"},
      {"batch_norm_in_training",
       "%x: tensor<4x3x2xFLOAT>, %s: tensor<3xFLOAT>, %b: tensor<3xFLOAT>, %m: tensor<3xf32>, %h: "
       "tensor<f32>",
       "graph.batch_norm %x, %s, %b running(%m, %m) epsilon(1.5) momentum(0.1) training(%h : tensor<f32>) : "
       "tensor<4x3x2xFLOAT>, tensor<3xFLOAT>, tensor<3xFLOAT>, tensor<3xf32>, tensor<3xf32> -> "
       "tensor<4x3x2xFLOAT>, tensor<3xf32>, tensor<3xf32>",
       "tensor<4x3x2xFLOAT>, tensor<3xf32>, tensor<3xf32>", 3},
      {"batch_norm_in_evaluation",
       "%x: tensor<4x3x2xFLOAT>, %s: tensor<3xFLOAT>, %b: tensor<3xFLOAT>, %m: tensor<3xf32>",
       "graph.batch_norm %x, %s, %b running(%m, %m) epsilon(1.5) momentum(0.1) : tensor<4x3x2xFLOAT>, "
       "tensor<3xFLOAT>, tensor<3xFLOAT>, tensor<3xf32>, tensor<3xf32> -> tensor<4x3x2xFLOAT>, "
       "tensor<3xf32>, "
       "tensor<3xf32>",
       "tensor<4x3x2xFLOAT>, tensor<3xf32>, tensor<3xf32>", 3},
      {"softmax", "%x: tensor<3x7xFLOAT>",
       "graph.softmax %x {scale = 0.3} : tensor<3x7xFLOAT> -> tensor<3x7xFLOAT>, tensor<3xf32>",
       "tensor<3x7xFLOAT>, tensor<3xf32>", 2},
      {"softmax_causal", "%x: tensor<2x4x4xFLOAT>",
       "graph.softmax %x causal {scale = 2.5} : tensor<2x4x4xFLOAT> -> tensor<2x4x4xFLOAT>, tensor<2x4xf32>",
       "tensor<2x4x4xFLOAT>, tensor<2x4xf32>", 2},
      {"cross_entropy", "%x: tensor<2x3x5xFLOAT>, %l: tensor<2x3xi64>",
       "graph.cross_entropy %x, %l {ignore_index = 2} : tensor<2x3x5xFLOAT>, tensor<2x3xi64> -> "
       "tensor<2x3xf32>, "
       "tensor<2x3xf32>",
       "tensor<2x3xf32>, tensor<2x3xf32>", 2},
      {"cross_entropy_grad", "%g: tensor<6xf32>, %x: tensor<6x5xFLOAT>, %l: tensor<6xi32>, %e: tensor<6xf32>",
       "graph.cross_entropy_grad %g, %x, %l, %e {ignore_index = 2} : tensor<6xf32>, tensor<6x5xFLOAT>, "
       "tensor<6xi32>, tensor<6xf32> -> tensor<6x5xFLOAT>",
       "tensor<6x5xFLOAT>"},
      {"attention", "%x: tensor<6x24xFLOAT>",
       "graph.attention %x batch(2) heads(2) : tensor<6x24xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x2x3xf32>",
       "tensor<6x8xFLOAT>, tensor<2x2x3xf32>", 2},
      {"attention_causal", "%x: tensor<10x18xFLOAT>",
       "graph.attention %x batch(2) heads(3) causal : tensor<10x18xFLOAT> -> tensor<10x6xFLOAT>, "
       "tensor<2x3x5xf32>",
       "tensor<10x6xFLOAT>, tensor<2x3x5xf32>", 2},
      {"attention_grad",
       "%g: tensor<6x8xFLOAT>, %o: tensor<6x8xFLOAT>, %l: tensor<2x2x3xf32>, %x: tensor<6x24xFLOAT>",
       "graph.attention_grad %g, %o, %l of %x batch(2) heads(2) : tensor<6x8xFLOAT>, tensor<6x8xFLOAT>, "
       "tensor<2x2x3xf32> of tensor<6x24xFLOAT> -> tensor<6x24xFLOAT>",
       "tensor<6x24xFLOAT>"},
      {"attention_grad_causal",
       "%g: tensor<10x6xFLOAT>, %o: tensor<10x6xFLOAT>, %l: tensor<2x3x5xf32>, %x: tensor<10x18xFLOAT>",
       "graph.attention_grad %g, %o, %l of %x batch(2) heads(3) causal : tensor<10x6xFLOAT>, "
       "tensor<10x6xFLOAT>, tensor<2x3x5xf32> of tensor<10x18xFLOAT> -> tensor<10x18xFLOAT>",
       "tensor<10x18xFLOAT>"},
      {"attention_dropout",
       "%q: tensor<6x8xFLOAT>, %k: tensor<10x4xFLOAT>, %v: tensor<10x4xFLOAT>, %m: tensor<1x4x3x5xf32>, %r: "
       "tensor<2x2xi32>, %b: tensor<i32>",
       "graph.attention %q, %k, %v mask(%m : tensor<1x4x3x5xf32>) batch(2) heads(4) kv_heads(2) "
       "dropout(0.25) "
       "random(%r, %b : tensor<2x2xi32>, tensor<i32>) {site = 1 : i64} : tensor<6x8xFLOAT>, "
       "tensor<10x4xFLOAT>, tensor<10x4xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x4x3xf32>",
       "tensor<6x8xFLOAT>, tensor<2x4x3xf32>", 2},
      {"attention_grad_dropout",
       "%g: tensor<6x8xFLOAT>, %o: tensor<6x8xFLOAT>, %l: tensor<2x2x3xf32>, %x: tensor<6x24xFLOAT>, %r: "
       "tensor<2x2xi32>, %b: tensor<i32>",
       "graph.attention_grad %g, %o, %l of %x batch(2) heads(2) causal dropout(0.25) random(%r, %b : "
       "tensor<2x2xi32>, tensor<i32>) : tensor<6x8xFLOAT>, tensor<6x8xFLOAT>, tensor<2x2x3xf32> of "
       "tensor<6x24xFLOAT> -> tensor<6x24xFLOAT>",
       "tensor<6x24xFLOAT>"},
      {"attention_grouped",
       "%q: tensor<6x16xFLOAT>, %k: tensor<10x8xFLOAT>, %v: tensor<10x8xFLOAT>, %m: tensor<1x4x3x5xf32>",
       "graph.attention %q, %k, %v mask(%m : tensor<1x4x3x5xf32>) batch(2) heads(4) kv_heads(2) scale(0.3) : "
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT> -> tensor<6x16xFLOAT>, tensor<2x4x3xf32>",
       "tensor<6x16xFLOAT>, tensor<2x4x3xf32>", 2},
      {"attention_window", "%q: tensor<10x16xFLOAT>, %k: tensor<10x8xFLOAT>, %v: tensor<10x8xFLOAT>",
       "graph.attention %q, %k, %v batch(2) heads(4) kv_heads(2) causal window(2) : "
       "tensor<10x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT> -> tensor<10x16xFLOAT>, "
       "tensor<2x4x5xf32>",
       "tensor<10x16xFLOAT>, tensor<2x4x5xf32>", 2},
      {"attention_grad_grouped",
       "%g: tensor<6x16xFLOAT>, %o: tensor<6x16xFLOAT>, %l: tensor<2x4x3xf32>, %q: tensor<6x16xFLOAT>, "
       "%k: tensor<10x8xFLOAT>, %v: tensor<10x8xFLOAT>, %m: tensor<2x1x1x5xf32>",
       "graph.attention_grad %g, %o, %l of %q, %k, %v mask(%m : tensor<2x1x1x5xf32>) batch(2) heads(4) "
       "kv_heads(2) "
       "causal window(2) scale(0.3) : tensor<6x16xFLOAT>, tensor<6x16xFLOAT>, tensor<2x4x3xf32> of "
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT> -> "
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT>",
       "tensor<6x16xFLOAT>, tensor<10x8xFLOAT>, tensor<10x8xFLOAT>", 3},
      {"rms_norm", "%x: tensor<2x3x5xFLOAT>, %s: tensor<5xFLOAT>",
       "graph.rms_norm %x, %s epsilon(1.0e-5) : tensor<2x3x5xFLOAT>, tensor<5xFLOAT> -> tensor<2x3x5xFLOAT>, "
       "tensor<2x3xf32>",
       "tensor<2x3x5xFLOAT>, tensor<2x3xf32>", 2},
      {"rms_norm_grad",
       "%g: tensor<4x5xFLOAT>, %x: tensor<4x5xFLOAT>, %s: tensor<5xFLOAT>, %d: tensor<4xf32>",
       "graph.rms_norm_grad %g, %x, %s, %d : tensor<4x5xFLOAT>, tensor<4x5xFLOAT>, tensor<5xFLOAT>, "
       "tensor<4xf32> -> tensor<4x5xFLOAT>",
       "tensor<4x5xFLOAT>"},
      {"softmax_masked", "%x: tensor<2x3x4xFLOAT>, %m: tensor<2x1x4xf32>",
       "graph.softmax %x mask(%m : tensor<2x1x4xf32>) causal window(2) {scale = 0.3} : tensor<2x3x4xFLOAT> "
       "-> "
       "tensor<2x3x4xFLOAT>, tensor<2x3xf32>",
       "tensor<2x3x4xFLOAT>, tensor<2x3xf32>", 2},
      {"cross_entropy_smoothed", "%x: tensor<2x3x5xFLOAT>, %l: tensor<2x3xi64>",
       "graph.cross_entropy %x, %l {ignore_index = 2, smoothing = 0.2} : tensor<2x3x5xFLOAT>, "
       "tensor<2x3xi64> "
       "-> tensor<2x3xf32>, tensor<2x3xf32>",
       "tensor<2x3xf32>, tensor<2x3xf32>", 2},
      {"cross_entropy_grad_smoothed",
       "%g: tensor<6xf32>, %x: tensor<6x5xFLOAT>, %l: tensor<6xi32>, %e: tensor<6xf32>",
       "graph.cross_entropy_grad %g, %x, %l, %e {smoothing = 0.2} : tensor<6xf32>, tensor<6x5xFLOAT>, "
       "tensor<6xi32>, tensor<6xf32> -> tensor<6x5xFLOAT>",
       "tensor<6x5xFLOAT>"},
  };
}

std::vector<Case> cases() {
  std::vector<Case> all = otherCases(), masks = maskCases();
  all.insert(all.end(), masks.begin(), masks.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Coarse, Decompositions, testing::ValuesIn(cases()),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

/// exp(1000) is no f32, so that only a decomposition that shifts by the maximum gives finite results.
using StableDecompositions = Decompositions;
TEST_P(StableDecompositions, KeepLargeInputsFinite) {
  Options rounded;
  rounded.roundToTypes = true;
  auto [direct, decomposed] = both("f32", rounded, 1000);
  for (const Tensor &tensor : decomposed)
    for (double value : tensor.data)
      EXPECT_TRUE(std::isfinite(value));
}
INSTANTIATE_TEST_SUITE_P(Coarse, StableDecompositions, testing::ValuesIn([] {
                           auto all = cases();
                           llvm::erase_if(all, [](const Case &tested) {
                             // no variance is -1000
                             return tested.name.find("grad") != std::string::npos ||
                                    tested.name == "batch_norm_in_evaluation";
                           });
                           return all;
                         }()),
                         [](const testing::TestParamInfo<Case> &info) { return info.param.name; });

/// Rows all of whose columns a mask of -inf, or a window, hides are 0, and their log-sum-exp is inf.
TEST(Decompositions, SoftmaxOfNoColumnsIsZero) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::string masked = R"(
    func.func @f(%x: tensor<2x3xf32>, %m: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
      %y, %l = graph.softmax %x mask(%m : tensor<2x3xf32>) : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xf32>
      return %y, %l : tensor<2x3xf32>, tensor<2xf32>
    })";
  const std::string windowed = R"(
    func.func @f(%x: tensor<3x1xf32>) -> (tensor<3x1xf32>, tensor<3xf32>) {
      %y, %l = graph.softmax %x window(2) : tensor<3x1xf32> -> tensor<3x1xf32>, tensor<3xf32>
      return %y, %l : tensor<3x1xf32>, tensor<3xf32>
    })";
  const std::vector<double> mask = {-kInfinity, -kInfinity, -kInfinity, -kInfinity, 0, 0};
  for (bool isDecomposed : {false, true}) {
    TestModule first(masked), second(windowed);
    for (TestModule *test : {&first, &second})
      if (isDecomposed)
        decomposeAll(test->function("f"));
    Tensors results = Interpreter(*first.module)
                          .call("f", {Tensor({2, 3}, {1, 2, 3, 4, 5, 5}), Tensor({2, 3}, mask)})
                          .take();
    expectNear(results[0], Tensor({2, 3}, {0, 0, 0, 0, 0.5, 0.5}), 1e-12);
    EXPECT_EQ(results[1].data[0], kInfinity) << isDecomposed;
    results = Interpreter(*second.module).call("f", {Tensor({3, 1}, {1, 2, 3})}).take();
    EXPECT_EQ(results[0].data, (std::vector<double>{1, 1, 0})) << isDecomposed;
    EXPECT_EQ(results[1].data, (std::vector<double>{1, 2, kInfinity})) << isDecomposed;
  }
}

/// Scores of keys that are all hidden by a large number: the log-sum-exp of the row rounds to this number,
/// and their probabilities still have the sum 1.
TEST(Decompositions, SoftmaxFarFromZeroSharesOut) {
  const std::string text = R"(
    func.func @f(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
      %y, %l = graph.softmax %x : tensor<2x4xf32> -> tensor<2x4xf32>, tensor<2xf32>
      return %y : tensor<2x4xf32>
    })";
  for (bool isDecomposed : {false, true}) {
    TestModule test(text);
    if (isDecomposed)
      decomposeAll(test.function("f"));
    Tensors results = Interpreter(*test.module)
                          .call("f", {Tensor({2, 4}, {-1e30, -1e30, -2e30, -1e30, 0, -1e30, 0, -1e30})})
                          .take();
    expectNear(results[0], Tensor({2, 4}, {1.0 / 3, 1.0 / 3, 0, 1.0 / 3, 0.5, 0, 0.5, 0}), 1e-12);
  }
}

TEST(Decompositions, OfRowOpsKeepOnlyScalarsOfTheRow) {
  for (const Case &tested : cases()) {
    if (tested.name.find("attention") != std::string::npos)
      continue;
    TestModule test(moduleText(tested, "f32"));
    func::FuncOp function = test.function("f");
    int64_t rank = cast<RankedTensorType>(function.getArgumentTypes().back()).getRank();
    for (Type type : function.getArgumentTypes())
      rank = std::max(rank, cast<RankedTensorType>(type).getRank());
    decomposeAll(function);
    auto isReturned = [](Operation *user) { return isa<func::ReturnOp>(user); };
    for (Operation &op : function.getBody().front().without_terminator())
      for (Value result : op.getResults()) {
        bool isWhole = cast<RankedTensorType>(result.getType()).getRank() == rank;
        EXPECT_TRUE(!isWhole || llvm::all_of(result.getUsers(), isReturned)) << tested.name;
      }
  }
}

} // namespace
} // namespace windlass::interpreter

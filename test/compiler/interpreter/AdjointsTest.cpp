// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The adjoint of every op is compared with finite differences of the op.

#include "test/compiler/interpreter/AdjointCases.h"
#include "test/compiler/interpreter/TestModule.h"

#include "dialects/Graph/IR/GraphBuilders.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace windlass::interpreter {
namespace {

/// Adds the function @df to the module. Its arguments are those of @f and the gradients of its results, and
/// its results are the gradients of the float arguments.
LogicalResult addGradient(TestModule &test) {
  func::FuncOp f = test.function("f");
  OpBuilder builder(&test.context);
  builder.setInsertionPointToEnd(test.module->getBody());
  SmallVector<Type> inputs(f.getArgumentTypes()), outputs;
  llvm::append_range(inputs, f.getResultTypes());
  SmallVector<unsigned> wanted;
  for (auto [i, type] : llvm::enumerate(f.getArgumentTypes()))
    if (isa<FloatType>(cast<RankedTensorType>(type).getElementType())) {
      wanted.push_back(i);
      outputs.push_back(type);
    }
  auto df = func::FuncOp::create(builder, f.getLoc(), "df", builder.getFunctionType(inputs, outputs));
  builder.setInsertionPointToStart(df.addEntryBlock());

  IRMapping copies;
  Block &body = f.getBody().front();
  copies.map(body.getArguments(), df.getArguments().take_front(f.getNumArguments()));
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(builder.clone(op, copies));
  DenseMap<Value, Value> gradients;
  for (auto [i, returned] : llvm::enumerate(body.getTerminator()->getOperands()))
    gradients[copies.lookup(returned)] = df.getArgument(f.getNumArguments() + i);

  for (Operation *op : llvm::reverse(ops)) {
    SmallVector<Value> resultGradients, operandGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    SmallVector<bool> needed;
    for (Value operand : op->getOperands())
      needed.push_back(isa<FloatType>(graph::typeOf(operand).getElementType()));
    auto differentiable = cast<graph::DifferentiableOpInterface>(op);
    if (failed(differentiable.buildAdjoint(builder, resultGradients, needed, operandGradients)))
      return failure();
    for (auto [operand, gradient] : llvm::zip_equal(op->getOperands(), operandGradients))
      if (gradient) {
        Value &sum = gradients[operand];
        sum = sum ? graph::buildAdd(builder, op->getLoc(), sum, gradient) : gradient;
      }
  }
  SmallVector<Value> returned;
  for (unsigned i : wanted) {
    Value gradient = gradients.lookup(df.getArgument(i));
    auto type = cast<RankedTensorType>(df.getArgument(i).getType());
    returned.push_back(gradient ? gradient : graph::buildFull(builder, f.getLoc(), type, 0.0));
  }
  func::ReturnOp::create(builder, f.getLoc(), returned);
  return success();
}

/// @f at `arguments` plus `step` times `direction`.
Tensors evaluateMoved(Interpreter &interpreter, Tensors arguments, const Tensors &direction, double step) {
  for (auto [argument, move] : llvm::zip_equal(arguments, direction))
    for (int64_t i = 0; i < move.size(); ++i)
      argument.data[i] += step * move.data[i];
  return interpreter.call("f", arguments).take();
}

/// d/dt of <weights, f(arguments + t * direction)> at 0, by central differences.
double slope(Interpreter &interpreter, const Tensors &arguments, const Tensors &direction,
             const Tensors &weights) {
  constexpr double step = 1e-5;
  Tensors ahead = evaluateMoved(interpreter, arguments, direction, step);
  Tensors behind = evaluateMoved(interpreter, arguments, direction, -step);
  double difference = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    difference += dot(weights[i], ahead[i]) - dot(weights[i], behind[i]);
  return difference / (2 * step);
}

class Adjoints : public testing::TestWithParam<AdjointCase> {
protected:
  void SetUp() override {
    test = std::make_unique<TestModule>(GetParam().function);
    ASSERT_TRUE(test->module);
    ASSERT_TRUE(succeeded(addGradient(*test)));
    ASSERT_TRUE(test->verifies());
    interpreter = std::make_unique<Interpreter>(*test->module);
    func::FuncOp f = test->function("f");
    arguments = randomArguments(f, random, GetParam().low, GetParam().high, GetParam().bound);
    for (Type type : f.getResultTypes())
      weights.push_back(randomTensor(cast<RankedTensorType>(type), random));
    Tensors all = arguments;
    llvm::append_range(all, weights);
    auto found = interpreter->call("df", all);
    ASSERT_TRUE(found) << found.status().message();
    gradients = found.take();
    for (auto [i, type] : llvm::enumerate(f.getArgumentTypes()))
      if (isa<FloatType>(cast<RankedTensorType>(type).getElementType()))
        floats.push_back(i);
  }

  /// A direction that moves nothing.
  Tensors still() const {
    Tensors direction;
    for (const Tensor &argument : arguments)
      direction.emplace_back(ArrayRef(argument.shape));
    return direction;
  }

  std::mt19937 random{7};
  std::unique_ptr<TestModule> test;
  std::unique_ptr<Interpreter> interpreter;
  Tensors arguments, weights, gradients;
  SmallVector<unsigned> floats;
};

TEST_P(Adjoints, AgreeWithFiniteDifferencesOfEveryEntry) {
  for (auto [gradient, argument] : llvm::zip_equal(gradients, floats)) {
    Tensor expected(gradient.shape, std::vector<double>(gradient.data.size()));
    for (int64_t i = 0; i < expected.size(); ++i) {
      Tensors direction = still();
      direction[argument].data[i] = 1;
      expected.data[i] = slope(*interpreter, arguments, direction, weights);
    }
    expectNear(gradient, expected, 1e-6);
  }
}

/// Where the derivative is 0 times an infinity, the gradients of powers are PyTorch's.
TEST(AdjointOfPower, isZeroWhereNothingChanges) {
  TestModule test(scalarCase("powf", "%c = math.powf %a, %b : f32").function);
  ASSERT_TRUE(test.module);
  ASSERT_TRUE(succeeded(addGradient(test)));
  const Tensor base({2, 3}, {0, 0, 0, -2, -2, 2}), exponent({2, 3}, {0, 1, 2, 0, 3, 2}),
      one({2, 3}, std::vector<double>(6, 1));
  auto found = Interpreter(*test.module).call("df", {base, exponent, one});
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ((*found)[0].data, (std::vector<double>{0, 1, 0, 0, 12, 4}));
  const std::vector<double> &ofExponent = (*found)[1].data;
  EXPECT_EQ(std::vector<double>(ofExponent.begin(), ofExponent.begin() + 3), std::vector<double>(3, 0));
  EXPECT_TRUE(std::isnan(ofExponent[3]) && std::isnan(ofExponent[4])); // the logarithm of -2
  EXPECT_DOUBLE_EQ(ofExponent[5], 4 * std::log(2));
}

TEST_P(Adjoints, AreTransposesOfTheDerivative) {
  for (int draw = 0; draw < 5; ++draw) {
    Tensors direction = still();
    double backward = 0;
    for (auto [gradient, argument] : llvm::zip_equal(gradients, floats)) {
      auto type = cast<RankedTensorType>(test->function("f").getArgumentTypes()[argument]);
      direction[argument] = randomTensor(type, random);
      backward += dot(gradient, direction[argument]);
    }
    double forward = slope(*interpreter, arguments, direction, weights);
    EXPECT_NEAR(forward, backward, 1e-6 * std::max(1.0, std::fabs(backward)));
  }
}

std::string nameOf(const testing::TestParamInfo<AdjointCase> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Scalars, Adjoints, testing::ValuesIn(scalarCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Loops, Adjoints, testing::ValuesIn(loopCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Parts, Adjoints, testing::ValuesIn(partCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Coarse, Adjoints, testing::ValuesIn(coarseCases("f32")), nameOf);
INSTANTIATE_TEST_SUITE_P(Narrow, Adjoints, testing::ValuesIn(coarseCases("bf16")), nameOf);

/// The diagnostics if the adjoint of the function cannot be built.
std::string refusalOf(const std::string &text) {
  TestModule test(text);
  std::string message;
  ScopedDiagnosticHandler handler(&test.context,
                                  [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  EXPECT_TRUE(failed(addGradient(test)));
  return message;
}

TEST(AdjointRefusals, NameAScalarOpWithoutARule) {
  EXPECT_EQ(refusalOf(scalarCase("floor", "%c = math.floor %a : f32").function),
            "'math.floor' op has no derivative in the body of a map or reduction");
}

TEST(AdjointRefusals, NameTheAuxiliaryResult) {
  EXPECT_EQ(refusalOf(R"(
    func.func @f(%x: tensor<3x5xf32>) -> tensor<3xf32> {
      %r, %l = graph.softmax %x : tensor<3x5xf32> -> tensor<3x5xf32>, tensor<3xf32>
      return %l : tensor<3xf32>
    })"),
            "'graph.softmax' op no gradient flows through its auxiliary result 'lse'");
}

TEST(AdjointRefusals, NameTheFormThatHasNone) {
  EXPECT_EQ(refusalOf(R"(
    func.func @f(%x: tensor<3x5xf32>, %s: tensor<5xf32>) -> tensor<3x5xf32> {
      %r, %m, %v = graph.batch_norm %x, %s, %s running(%s, %s) epsilon(1.0e-5) momentum(0.1)
          : tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>
          -> tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>
      return %r : tensor<3x5xf32>
    })"),
            "'graph.batch_norm' op has an adjoint in its training form only");
}

/// An adjoint reads only the values that it needs, as these become residuals.
TEST(AdjointResiduals, ABiasGradientReadsOnlyTheGradient) {
  TestModule test(R"(
    func.func @f(%x: tensor<3x4xf32>, %b: tensor<4xf32>) -> tensor<3x4xf32> {
      %r = graph.map ins(%x, %b : tensor<3x4xf32>, tensor<4xf32>)
          maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<3x4xf32> {
      ^bb0(%a: f32, %c: f32):
        %p = arith.addf %a, %c : f32
        graph.yield %p : f32
      }
      return %r : tensor<3x4xf32>
    })");
  ASSERT_TRUE(succeeded(addGradient(test)));
  func::FuncOp df = test.function("df");
  for (auto reduce : df.getOps<graph::ReduceOp>())
    EXPECT_EQ(reduce.getInputs().size(), 1u);
  for (auto map : llvm::drop_begin(df.getOps<graph::MapOp>()))
    EXPECT_TRUE(llvm::equal(map.getInputs(), ValueRange(df.getArgument(2))));
}

} // namespace
} // namespace windlass::interpreter

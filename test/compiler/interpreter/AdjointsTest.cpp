// Every op's adjoint against finite differences of the op itself.

#include "TestModule.h"

#include "dialects/Graph/IR/GraphBuilders.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace windlass::interpreter {
namespace {

struct Case {
  std::string name;
  std::string function; ///< of the shape of @f
  double low = -1, high = 1;
  int bound = 4;
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

/// Adds to the module `@df`: the arguments of @f and the gradients of its results, to the gradients of its
/// float arguments.
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

class Adjoints : public testing::TestWithParam<Case> {
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

/// A map of one input through one scalar op.
Case scalar(const std::string &name, const std::string &op, double low = -1, double high = 1) {
  return {name, R"(
    #id = affine_map<(d0, d1) -> (d0, d1)>
    func.func @f(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %r = graph.map ins(%x, %y : tensor<2x3xf32>, tensor<2x3xf32>) maps [#id, #id] -> tensor<2x3xf32> {
      ^bb0(%a: f32, %b: f32):
        )" + op + R"(
        graph.yield %c : f32
      }
      return %r : tensor<2x3xf32>
    })",
          low, high};
}

std::vector<Case> scalarCases() {
  return {
      scalar("addf", "%c = arith.addf %a, %b : f32"),
      scalar("subf", "%c = arith.subf %a, %b : f32"),
      scalar("mulf", "%c = arith.mulf %a, %b : f32"),
      scalar("divf", "%c = arith.divf %a, %b : f32", 0.5, 2),
      scalar("negf", "%c = arith.negf %a : f32"),
      scalar("maximumf", "%c = arith.maximumf %a, %b : f32"),
      scalar("minimumf", "%c = arith.minimumf %a, %b : f32"),
      scalar("select", "%l = arith.cmpf olt, %a, %b : f32\n%s = arith.mulf %a, %a : f32\n"
                       "%c = arith.select %l, %s, %b : f32"),
      scalar("casts", "%n = arith.truncf %a : f32 to bf16\n%w = arith.extf %n : bf16 to f32\n"
                      "%c = arith.mulf %w, %b : f32"),
      scalar("sitofp", "%i = graph.index 1 : index\n%j = arith.index_cast %i : index to i32\n"
                       "%k = arith.sitofp %j : i32 to f32\n%c = arith.mulf %a, %k : f32"),
      scalar("exp", "%c = math.exp %a : f32"),
      scalar("log", "%c = math.log %a : f32", 0.5, 2),
      scalar("tanh", "%c = math.tanh %a : f32"),
      scalar("sqrt", "%c = math.sqrt %a : f32", 0.5, 2),
      scalar("rsqrt", "%c = math.rsqrt %a : f32", 0.5, 2),
      scalar("erf", "%c = math.erf %a : f32"),
      scalar("sin", "%c = math.sin %a : f32"),
      scalar("cos", "%c = math.cos %a : f32"),
      scalar("absf", "%c = math.absf %a : f32"),
      scalar("powf", "%c = math.powf %a, %b : f32", 0.5, 2),
      scalar("a_scalar_used_twice", "%e = math.exp %a : f32\n%m = arith.mulf %e, %e : f32\n"
                                    "%c = arith.addf %m, %e : f32"),
      scalar("an_unused_result", "%u = math.exp %b : f32\n%c = arith.mulf %a, %a : f32"),
  };
}

std::vector<Case> loopCases() {
  return {
      {"map_broadcast_along_rows", R"(
        func.func @f(%x: tensor<3x4xf32>, %b: tensor<4xf32>, %s: tensor<f32>) -> tensor<3x4xf32> {
          %r = graph.map ins(%x, %b, %s : tensor<3x4xf32>, tensor<4xf32>, tensor<f32>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> ()>]
              -> tensor<3x4xf32> {
          ^bb0(%a: f32, %c: f32, %e: f32):
            %p = arith.addf %a, %c : f32
            %t = math.tanh %p : f32
            %q = arith.mulf %t, %e : f32
            graph.yield %q : f32
          }
          return %r : tensor<3x4xf32>
        })"},
      {"map_broadcast_only", R"(
        func.func @f(%b: tensor<3xf32>) -> tensor<2x3xf32> {
          %r = graph.map ins(%b : tensor<3xf32>) maps [affine_map<(d0, d1) -> (d1)>] -> tensor<2x3xf32> {
          ^bb0(%a: f32):
            %q = arith.mulf %a, %a : f32
            graph.yield %q : f32
          }
          return %r : tensor<2x3xf32>
        })"},
      {"map_permutation_and_transposed_broadcast", R"(
        func.func @f(%x: tensor<4x2x3xf32>, %y: tensor<4x3xf32>) -> tensor<2x3x4xf32> {
          %r = graph.map ins(%x, %y : tensor<4x2x3xf32>, tensor<4x3xf32>)
              maps [affine_map<(d0, d1, d2) -> (d2, d0, d1)>, affine_map<(d0, d1, d2) -> (d2, d1)>]
              -> tensor<2x3x4xf32> {
          ^bb0(%a: f32, %b: f32):
            %i = graph.index 2 : index
            %j = arith.index_cast %i : index to i32
            %k = arith.sitofp %j : i32 to f32
            %m = arith.mulf %a, %b : f32
            %n = arith.mulf %m, %k : f32
            graph.yield %n : f32
          }
          return %r : tensor<2x3x4xf32>
        })"},
      {"map_fixed_index", R"(
        func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<1x4xf32>) -> tensor<4x2xf32> {
          %r = graph.map ins(%x, %y : tensor<2x3x4xf32>, tensor<1x4xf32>)
              maps [affine_map<(d0, d1) -> (d1, 2, d0)>, affine_map<(d0, d1) -> (0, d0)>] -> tensor<4x2xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<4x2xf32>
        })"},
      {"map_two_results", R"(
        func.func @f(%x: tensor<5xf32>, %y: tensor<5xf32>) -> (tensor<5xf32>, tensor<5xf32>) {
          %r:2 = graph.map ins(%x, %y : tensor<5xf32>, tensor<5xf32>)
              maps [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>] -> tensor<5xf32>, tensor<5xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            %n = arith.subf %m, %b : f32
            graph.yield %m, %n : f32, f32
          }
          return %r#0, %r#1 : tensor<5xf32>, tensor<5xf32>
        })"},
      {"reduce_sum_of_products", R"(
        func.func @f(%x: tensor<2x3x4xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
          %r = graph.reduce sum over [1] ins(%x, %y : tensor<2x3x4xf32>, tensor<3x4xf32>)
              maps [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d1, d2)>]
              -> tensor<2x4xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<2x4xf32>
        })"},
      {"reduce_sum_to_a_scalar", R"(
        func.func @f(%x: tensor<2x3xf32>) -> tensor<f32> {
          %r = graph.reduce sum over [0, 1] ins(%x : tensor<2x3xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
              -> tensor<f32> {
          ^bb0(%a: f32):
            %m = arith.mulf %a, %a : f32
            graph.yield %m : f32
          }
          return %r : tensor<f32>
        })"},
      {"reduce_max", R"(
        func.func @f(%x: tensor<3x4xf32>) -> tensor<4xf32> {
          %r = graph.reduce max over [0] ins(%x : tensor<3x4xf32>) maps [affine_map<(d0, d1) -> (d0, d1)>]
              -> tensor<4xf32> {
          ^bb0(%a: f32):
            %m = math.exp %a : f32
            graph.yield %m : f32
          }
          return %r : tensor<4xf32>
        })"},
      {"reduce_with_transposed_input", R"(
        func.func @f(%x: tensor<4x3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
          %r = graph.reduce sum over [1] ins(%x, %y : tensor<4x3xf32>, tensor<3xf32>)
              maps [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>] -> tensor<3xf32> {
          ^bb0(%a: f32, %b: f32):
            %m = arith.mulf %a, %b : f32
            graph.yield %m : f32
          }
          return %r : tensor<3xf32>
        })"},
      {"reshape", R"(
        func.func @f(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
          %r = graph.reshape %x : tensor<2x6xf32> -> tensor<3x4xf32>
          return %r : tensor<3x4xf32>
        })"},
      {"stack", R"(
        func.func @f(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<3x2x4xf32> {
          %r = graph.stack axis 1 ins(%x, %y : tensor<4x3xf32>, tensor<4x3xf32>)
              map affine_map<(d0, d1, d2) -> (d2, d0)> -> tensor<3x2x4xf32>
          return %r : tensor<3x2x4xf32>
        })"},
  };
}

/// A matmul of (batch) 2x3 and 3x4 matrices, each stored transposed or not.
Case matmul(bool batched, bool transposeA, bool transposeB) {
  std::string batch = batched ? "2x" : "", a = batch + (transposeA ? "3x2" : "2x3") + "xFLOAT",
              b = batch + (transposeB ? "4x3" : "3x4") + "xFLOAT", c = batch + "2x4xf32";
  return {std::string("matmul") + (batched ? "_batched" : "") + (transposeA ? "_ta" : "") +
              (transposeB ? "_tb" : ""),
          "func.func @f(%a: tensor<" + a + ">, %b: tensor<" + b + ">) -> tensor<" + c +
              "> {\n%r = graph.matmul %a " + (transposeA ? "transposed" : "") + ", %b " +
              (transposeB ? "transposed" : "") + " : tensor<" + a + ">, tensor<" + b + "> -> tensor<" + c +
              ">\nreturn %r : tensor<" + c + ">\n}"};
}

Case attention(const std::string &name, const std::string &causal) {
  return {name, R"(
    func.func @f(%qkv: tensor<6x24xFLOAT>) -> tensor<6x8xFLOAT> {
      %r, %l = graph.attention %qkv batch(2) heads(2) )" +
                    causal + R"( : tensor<6x24xFLOAT> -> tensor<6x8xFLOAT>, tensor<2x2x3xf32>
      return %r : tensor<6x8xFLOAT>
    })"};
}

/// The coarse ops on tensors of `element`; their auxiliaries are f32.
std::vector<Case> coarseCases(const std::string &element) {
  std::vector<Case> cases{
      attention("attention", ""),
      attention("attention_causal", "causal"),
      {"embedding", R"(
        func.func @f(%t: tensor<4x3xFLOAT>, %i: tensor<2x5xi64>) -> tensor<2x5x3xFLOAT> {
          %r = graph.embedding %t, %i : tensor<4x3xFLOAT>, tensor<2x5xi64> -> tensor<2x5x3xFLOAT>
          return %r : tensor<2x5x3xFLOAT>
        })"},
      {"layer_norm", R"(
        func.func @f(%x: tensor<2x3x5xFLOAT>, %s: tensor<5xFLOAT>, %b: tensor<5xFLOAT>) -> tensor<2x3x5xFLOAT> {
          %r, %m, %d = graph.layer_norm %x, %s, %b epsilon(1.0e-5) : tensor<2x3x5xFLOAT>, tensor<5xFLOAT>, tensor<5xFLOAT>
              -> tensor<2x3x5xFLOAT>, tensor<2x3xf32>, tensor<2x3xf32>
          return %r : tensor<2x3x5xFLOAT>
        })"},
      {"softmax", R"(
        func.func @f(%x: tensor<3x5xFLOAT>) -> tensor<3x5xFLOAT> {
          %r, %l = graph.softmax %x {scale = 0.7} : tensor<3x5xFLOAT> -> tensor<3x5xFLOAT>, tensor<3xf32>
          return %r : tensor<3x5xFLOAT>
        })"},
      {"softmax_causal", R"(
        func.func @f(%x: tensor<2x4x4xFLOAT>) -> tensor<2x4x4xFLOAT> {
          %r, %l = graph.softmax %x causal : tensor<2x4x4xFLOAT> -> tensor<2x4x4xFLOAT>, tensor<2x4xf32>
          return %r : tensor<2x4x4xFLOAT>
        })"},
      {"cross_entropy", R"(
        func.func @f(%x: tensor<6x4xFLOAT>, %l: tensor<6xi64>) -> tensor<6xf32> {
          %r, %e = graph.cross_entropy %x, %l {ignore_index = 1} : tensor<6x4xFLOAT>, tensor<6xi64>
              -> tensor<6xf32>, tensor<6xf32>
          return %r : tensor<6xf32>
        })"},
      {"bias_and_activation", R"(
        func.func @f(%x: tensor<3x4xFLOAT>, %b: tensor<4xFLOAT>) -> tensor<3x4xFLOAT> {
          %r = graph.map ins(%x, %b : tensor<3x4xFLOAT>, tensor<4xFLOAT>)
              maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>] -> tensor<3x4xFLOAT> {
          ^bb0(%a: FLOAT, %c: FLOAT):
            %p = arith.addf %a, %c : FLOAT
            %t = math.tanh %p : FLOAT
            graph.yield %t : FLOAT
          }
          return %r : tensor<3x4xFLOAT>
        })"},
      {"a_chain_that_uses_a_value_twice", R"(
        func.func @f(%x: tensor<3x3xFLOAT>, %w: tensor<3x3xFLOAT>) -> tensor<3x3xFLOAT> {
          %y = graph.matmul %x, %w : tensor<3x3xFLOAT>, tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>
          %s, %l = graph.softmax %y : tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>, tensor<3xf32>
          %z = graph.matmul %s, %w transposed : tensor<3x3xFLOAT>, tensor<3x3xFLOAT> -> tensor<3x3xFLOAT>
          return %z : tensor<3x3xFLOAT>
        })"},
  };
  for (int kind = 0; kind < 8; ++kind)
    cases.push_back(matmul(kind & 4, kind & 2, kind & 1));
  for (Case &tested : cases)
    tested.function = replaced(tested.function, "FLOAT", element);
  return cases;
}

std::string nameOf(const testing::TestParamInfo<Case> &info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(Scalars, Adjoints, testing::ValuesIn(scalarCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Loops, Adjoints, testing::ValuesIn(loopCases()), nameOf);
INSTANTIATE_TEST_SUITE_P(Coarse, Adjoints, testing::ValuesIn(coarseCases("f32")), nameOf);
INSTANTIATE_TEST_SUITE_P(Narrow, Adjoints, testing::ValuesIn(coarseCases("bf16")), nameOf);

/// What the diagnostics say when the adjoint of the function cannot be built.
std::string refusalOf(const std::string &text) {
  TestModule test(text);
  std::string message;
  ScopedDiagnosticHandler handler(&test.context,
                                  [&](Diagnostic &diagnostic) { message += diagnostic.str(); });
  EXPECT_TRUE(failed(addGradient(test)));
  return message;
}

TEST(AdjointRefusals, NameAScalarOpWithoutARule) {
  EXPECT_EQ(refusalOf(scalar("floor", "%c = math.floor %a : f32").function),
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

/// An adjoint reads only what it needs: that is what becomes a residual.
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

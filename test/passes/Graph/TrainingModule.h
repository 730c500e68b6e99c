//===- TrainingModule.h - a small model behind passes and interpreter ======//
//
// Duty: reads Inputs/two-layers.mlir, runs a pipeline given as text on it, and runs
// steps with feeds that depend on the item and the micro-batch alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/Pipeline.h"
#include "gtest/gtest.h"
#include <cmath>

namespace windlass::graph {

using interpreter::Tensor;
using Reports = std::map<std::string, Tensor>;

/// Adam's scalars of step 1 for beta1 = 0.9 and beta2 = 0.999.
inline const std::map<std::string, double> kScalars = {
    {"loss_seed", 0.125}, {"learning_rate", 0.01}, {"bias_correction1", 0.1}, {"bias_correction2", 0.001}};

inline Result<Tensor> drawFeed(const interpreter::FeedRequest &request) {
  Tensor tensor(request.type.getShape());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t place =
        1000003u * (request.microBatch + 1) + 7919u * static_cast<uint64_t>(i) + request.item.size();
    auto scalar = kScalars.find(request.item);
    tensor.data[i] =
        scalar != kScalars.end() ? scalar->second : static_cast<double>((place * place >> 7) % request.bound);
  }
  return tensor;
}

class TrainingModule {
public:
  /// The model after `pipeline` ("differentiate,recompute{mode=full}").
  explicit TrainingModule(const std::string &pipeline) {
    static const bool registered = [] {
      registerGraphPasses();
      registerGraphPipelines();
      mlir::registerTransformsPasses();
      return true;
    }();
    (void)registered;
    context.loadDialect<GraphDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::func::FuncDialect>();
    module = mlir::parseSourceFile<mlir::ModuleOp>(
        WINDLASS_SOURCE_DIR "/test/passes/Graph/Inputs/two-layers.mlir", &context);
    auto manager = mlir::PassManager::on<mlir::ModuleOp>(&context);
    if (!module || failed(mlir::parsePassPipeline(pipeline, manager)) || failed(manager.run(*module)))
      ADD_FAILURE() << "\"" << pipeline << "\" fails";
  }

  interpreter::Interpreter interpret(bool roundToTypes = false) {
    return interpreter::Interpreter(*module, {.roundToTypes = roundToTypes, .seed = 7});
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// One run of a step: what it reports, summed over micro-batches.
inline Reports runStep(interpreter::Interpreter &interpreter, const std::string &step) {
  Reports sums;
  auto reports = interpreter.runStep(step, drawFeed);
  if (!reports) {
    ADD_FAILURE() << reports.status().message();
    return sums;
  }
  for (interpreter::Report &report : *reports) {
    auto [sum, isFirst] = sums.try_emplace(report.item, report.value);
    for (int64_t i = 0; !isFirst && i < report.value.size(); ++i)
      sum->second.data[i] += report.value.data[i];
  }
  return sums;
}

/// The same items, and every element equal to `tolerance` (0: equal).
template <typename Map> void expectSame(const Map &found, const Map &expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (auto &[name, tensor] : expected) {
    ASSERT_TRUE(found.contains(name)) << name;
    const Tensor &other = found.at(name);
    ASSERT_EQ(other.shape, tensor.shape) << name;
    for (int64_t i = 0; i < tensor.size(); ++i)
      ASSERT_LE(std::fabs(other.data[i] - tensor.data[i]),
                tolerance * std::max(1.0, std::fabs(tensor.data[i])))
          << name << "[" << i << "]: " << other.data[i] << " and " << tensor.data[i];
  }
}

} // namespace windlass::graph

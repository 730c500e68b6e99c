// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingModule.h - a small model for passes and interpreter ===========//
//
// Duty: reads Inputs/two-layers.mlir, with edits such as dropout, runs a pipeline of passes that is given as
// text, and runs steps. A feed depends on its item and micro-batch alone.
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
#include "test/support/Folders.h"
#include "gtest/gtest.h"
#include <cmath>
#include <fstream>

namespace windlass::graph {

using interpreter::Tensor;
using Reports = std::map<std::string, Tensor>;

/// The scalar feeds of step 1 of Adam, for beta1 = 0.9 and beta2 = 0.999.
inline const std::map<std::string, double> kScalars = {
    {"loss_seed", 0.125}, {"learning_rate", 0.01}, {"bias_correction1", 0.1}, {"bias_correction2", 0.001}};

inline Result<Tensor> drawFeed(const interpreter::FeedRequest &request) {
  Tensor tensor(request.type.getShape());
  for (int64_t i = 0; i < tensor.size(); ++i) {
    uint64_t place =
        1000003u * (request.microBatch + 1) + 7919u * static_cast<uint64_t>(i) + request.item.size();
    auto scalar = kScalars.find(request.item);
    if (scalar != kScalars.end())
      tensor.data[i] = scalar->second;
    else if (request.item == "row_block")
      tensor.data[i] = static_cast<double>(request.microBatch);
    else // the words of random keys have no bound
      tensor.data[i] =
          static_cast<double>((place * place >> 7) % (request.bound > 0 ? request.bound : 1 << 30));
  }
  return tensor;
}

/// Texts, each with the text that replaces all of its occurrences.
using Edits = std::vector<std::pair<std::string, std::string>>;

/// Adds dropout after the embeddings, in the attentions and after the MLPs.
inline const Edits kWithDropout = {
    {"heads(2) causal :", "heads(2) causal dropout(0.25) :"},
    {"%y = graph.map ins(%x1, %m :",
     "%kept = graph.dropout %m rate(0.5) : tensor<12x8xf32>\n%y = graph.map ins(%x1, %kept :"},
    {"%x0 = graph.reshape %e1 :",
     "%kept = graph.dropout %e1 rate(0.125) : tensor<2x6x8xf32>\n%x0 = graph.reshape %kept :"}};

class TrainingModule {
public:
  /// Runs `pipeline`, such as "differentiate,recompute{mode=full}", on the edited model.
  explicit TrainingModule(const std::string &pipeline, const Edits &edits = {}) {
    static const bool registered = [] {
      registerGraphPasses();
      registerGraphPipelines();
      mlir::registerTransformsPasses();
      return true;
    }();
    (void)registered;
    context.loadDialect<GraphDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(readModel(edits), &context);
    auto manager = mlir::PassManager::on<mlir::ModuleOp>(&context);
    if (!module || failed(mlir::parsePassPipeline(pipeline, manager)) || failed(manager.run(*module)))
      ADD_FAILURE() << "\"" << pipeline << "\" fails";
  }

  interpreter::Interpreter interpret(bool roundToTypes = false) {
    return interpreter::Interpreter(*module, {.roundToTypes = roundToTypes, .seed = 7});
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  static std::string readModel(const Edits &edits) {
    std::ifstream file(WINDLASS_SOURCE_DIR "/test/passes/Graph/Inputs/two-layers.mlir");
    std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const auto &[from, to] : edits) {
      EXPECT_NE(text.find(from), std::string::npos) << from;
      for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    }
    return text;
  }
};

/// Runs a step once, and returns its reports, summed over micro-batches.
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

/// Expects the same items. An element may differ by `tolerance` times its expected magnitude, or by
/// `tolerance` if that is larger.
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

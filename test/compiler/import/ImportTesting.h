//===- ImportTesting.h - what tests of import say again and again ==========//
#pragma once

#include "compiler/import/Import.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

namespace windlass::test {

inline TrainingOptions trainingOf(int64_t microBatch, int64_t sequence = 0) {
  TrainingOptions training;
  training.globalBatch = training.microBatch = microBatch;
  training.microBatches = 1;
  training.sequence = sequence;
  return training;
}

inline std::string fixturePath(const std::string &name) {
  return std::string(WINDLASS_SOURCE_DIR) + "/test/fixtures/" + name;
}

/// The module, or null after a test failure.
inline mlir::OwningOpRef<mlir::ModuleOp> importOrFail(mlir::MLIRContext &context, const std::string &path,
                                                      const TrainingOptions &training) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importModel(context, path, training);
  EXPECT_TRUE(module) << module.status().message();
  return module ? module.take() : nullptr;
}

} // namespace windlass::test

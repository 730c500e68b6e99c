// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ImportTesting.h - shared parts of the tests of import =================//
//
// Duty: training options, paths of fixtures, an import that fails the test on an error, and model folders in
// temporary folders, for the tests of import. Errors: test failures. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/Import.h"
#include "dialects/Graph/IR/GraphDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "test/support/Folders.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <unistd.h>

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

/// Imports a model. Returns null, and fails the test, on an error.
inline mlir::OwningOpRef<mlir::ModuleOp> importOrFail(mlir::MLIRContext &context, const std::string &path,
                                                      const TrainingOptions &training,
                                                      const OnnxOptions &onnx = {}) {
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importModel(context, path, training, onnx);
  EXPECT_TRUE(module) << module.status().message();
  return module ? module.take() : nullptr;
}

inline std::map<std::string, graph::StateOp> statesOf(mlir::ModuleOp module) {
  std::map<std::string, graph::StateOp> states;
  for (auto state : module.getOps<graph::StateOp>())
    states[state.getOriginal().str()] = state;
  return states;
}

/// A config.json in a temporary folder of the process.
class ConfigFile {
public:
  /// `keys`: empty, or text such as `, "a": 1, "b": 2`, whose keys are added to the object `sound` or replace
  /// its keys.
  ConfigFile(const std::string &sound, const std::string &keys) {
    std::filesystem::create_directories(folder);
    auto config = nlohmann::json::parse(sound);
    config.update(nlohmann::json::parse(keys.empty() ? "{}" : "{" + keys.substr(keys.find(',') + 1) + "}"));
    std::ofstream(folder / "config.json") << config;
  }
  ConfigFile(const ConfigFile &) = delete;
  ~ConfigFile() { std::filesystem::remove_all(folder); }

  std::string path() const { return folder / "config.json"; }
  std::string refusal(const TrainingOptions &training = trainingOf(1)) const {
    mlir::MLIRContext context;
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importModel(context, folder, training);
    EXPECT_FALSE(module);
    std::string message = module.status().message();
    return message.starts_with(path() + ": ") ? message.substr(path().size() + 2) : message;
  }

private:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("windlass-" + std::to_string(::getpid()));
};

} // namespace windlass::test

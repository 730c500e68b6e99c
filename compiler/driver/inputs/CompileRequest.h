// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CompileRequest.h - the request of a compilation =======================//
//
// Duty: the files, the single decisions and the callbacks that a caller gives to compile(), analyze() and
// checkModel(). A field that a command does not use is ignored.
// Ownership: values; the kernel cache is the caller's and outlives the call. Threads: callbacks are called on
// the caller's thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

namespace codegen {
class KernelCache;
}

/// Values in place of those of the files, for a what-if question.
struct WhatIf {
  std::vector<std::string> hardware; ///< changes of the hardware file (model/ChangeMachine.h)
  int64_t ranks = 0;                 ///< data ranks, with the batch of a rank kept; 0: those of the files
  int64_t microBatch = 0;            ///< of a larger global batch; 0: the training file's
  std::string training;              ///< keys over those of the training file, in JSON; empty: none
};

struct CompileRequest {
  std::string model, training, hardware;
  std::string weights; ///< empty: those of the model; "none"; or a path (Import.h)
  std::string output;  ///< folder of the plan; empty: a dry run, nothing is written
  /// Axes that replace the training file's, as "data=2,tensor=2"; "auto": the fastest mesh; empty: the
  /// training file's mesh.
  std::string parallel;
  /// Whether decisions are not checked against the training file's mesh, since another will be chosen.
  bool isMeshOpen = false;
  std::string strategy; ///< a name or file, whose decisions replace the training file's; empty: none
  /// The file of decisions that no flag makes, for messages.
  const std::string &decisions() const { return strategy.empty() ? training : strategy; }
  std::vector<std::string> freeze, trainable; ///< patterns, added to those of the training file
  // Single decisions. Each replaces the one of the strategy and of the training file.
  std::optional<bool> overlap;
  std::optional<int64_t> prefetch; ///< credits of every kind of transfer
  std::string checkpoints;         ///< "device", "host" or "nvme": where activation checkpoints rest
  std::string gather, reduce, recompute, microBatchOrder; ///< words of these decisions; empty: none
  bool chooseTiles = false;                               ///< if no plan fits, choose smaller limits of tiles
  bool mayChangeBits = false; ///< choose keys of the training file that change last bits (TrainingChoice.h)
  std::string backend;        ///< of backends(); empty: the hardware file's
  WhatIf whatIf;              ///< values in place of those of the files
  /// Seconds of a step: a plan that clearly takes longer is given up (PlanChoice.h).
  double limit = std::numeric_limits<double>::infinity();
  std::string targetCpu;  ///< of targetCpus(); empty: the widest of this machine
  std::string dumpPhases; ///< folder for the IR of every level; empty: none
  OnnxOptions onnx;       ///< options of an ONNX model
  std::function<void(const std::string &)> progress = [](const std::string &) {};
  /// Receives warnings of keys without effect and of doubtful imports; each names its file.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
  /// Receives the account of an ONNX model's parameters, one line.
  std::function<void(const std::string &)> account = [](const std::string &) {};
  /// Receives a table of seconds by level and pass; empty: nothing is measured.
  std::function<void(const std::string &)> timing;
  /// Kernels that other compilations of this process made; null: all kernels are compiled together.
  codegen::KernelCache *kernels = nullptr;
  std::string kernelFolder; ///< with object files of earlier compilations, which gets new ones; empty: none
};

} // namespace windlass

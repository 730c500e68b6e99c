// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- CompileRequest.h - what the caller asks for =========================//
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

/// Values that are asked about in place of those of the files.
struct WhatIf {
  std::vector<std::string> hardware; ///< changes of the hardware file (model/ChangeMachine.h)
  int64_t ranks = 0;                 ///< of machine and training file, with the batch of a rank; 0: theirs
  int64_t microBatch = 0;            ///< of a larger global batch; 0: the training file's
  std::string training;              ///< keys over those of the training file, in JSON; empty: none
};

struct CompileRequest {
  std::string model, training, hardware;
  std::string weights; ///< empty: those the model brings; "none"; or where they are (Import.h)
  std::string output;  ///< folder of the plan; empty: a dry run, nothing is written
  /// "data=2,tensor=2", over the training file's; "auto": the fastest mesh; empty: the training file's.
  std::string parallel;
  /// Whether the training file's mesh is not the one that decisions are held against.
  bool isMeshOpen = false;
  std::string strategy; ///< a name or file, whose decisions replace the training file's; empty: none
  /// Where decisions that no flag makes are from, for messages.
  const std::string &decisions() const { return strategy.empty() ? training : strategy; }
  std::vector<std::string> freeze, trainable; ///< patterns, beside those of the training file
  // Single decisions. Each replaces the one of the strategy and of the training file.
  std::optional<bool> overlap;
  std::optional<int64_t> prefetch; ///< credits of every kind of transfer
  std::string checkpoints;         ///< "device", "host" or "nvme": where activation checkpoints rest
  std::string gather, reduce, recompute, microBatchOrder; ///< words of these decisions; empty: none
  bool chooseTiles = false;                               ///< if no plan fits, choose smaller limits of tiles
  bool mayChangeBits = false; ///< choose what of the training file changes last bits (TrainingChoice.h)
  std::string backend;        ///< of backends(); empty: the hardware file's
  WhatIf whatIf;              ///< what is asked about in place of what the files say
  /// Seconds of a step: nobody wants a plan that clearly takes longer (PlanChoice.h).
  double limit = std::numeric_limits<double>::infinity();
  std::string targetCpu;  ///< of targetCpus(); empty: the widest of this machine
  std::string dumpPhases; ///< folder for the IR of every level; empty: none
  OnnxOptions onnx;       ///< what an ONNX model needs to be told
  std::function<void(const std::string &)> progress = [](const std::string &) {};
  /// Takes what import left out of account, or may have misunderstood; each names its file.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
  /// Takes the account of an ONNX model's parameters, a line.
  std::function<void(const std::string &)> account = [](const std::string &) {};
  /// Takes a table of seconds by level and pass; empty: nothing is measured.
  std::function<void(const std::string &)> timing;
  /// Kernels that other compilations of this process made; null: every kernel is compiled.
  codegen::KernelCache *kernels = nullptr;
};

} // namespace windlass

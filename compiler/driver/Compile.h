// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Compile.h - from a model file to a plan =============================//
//
// Duty: the phases of `windlass-compile`: import, graph, dist, flow, plan, emit, check,
// predict. Tries what decisions leave open and keeps what plays fastest of what fits the
// machine; what did not fit, and by how much, is the printed why.
// Errors: BadInput (a file), CannotFit (the machine), Internal (ours, with the diagnostics).
// Threads: one call at a time per CompileRequest; calls may run at once.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/Options.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace windlass {

namespace codegen {
class KernelCache;
}

struct CompileRequest {
  std::string model, training, hardware;
  std::string weights;  ///< empty: those the model brings; "none"; or where they are (Import.h)
  std::string output;   ///< folder of the plan; empty: a dry run, nothing is written
  std::string strategy; ///< a name or file, whose decisions replace the training file's; empty: none
  std::vector<std::string> freeze, trainable; ///< patterns, beside those of the training file
  // Single decisions, over those of strategy and training file.
  std::optional<bool> overlap;
  std::optional<int64_t> prefetch;       ///< credits of every kind of transfer
  std::string checkpoints;               ///< "device", "host" or "nvme": where activation checkpoints rest
  std::string gather, reduce, recompute; ///< words of these decisions; empty: none
  bool chooseTiles = false;              ///< tiles as large as fit, where the training file's limits do not
  std::string microBatchOrder;           ///< the same
  std::string targetCpu;                 ///< of targetCpus(); empty: the widest that this machine runs
  std::string dumpPhases;                ///< folder for the IR of every level; empty: none
  OnnxOptions onnx;                      ///< what an ONNX model needs to be told
  std::function<void(const std::string &)> progress = [](const std::string &) {};
  /// Takes what import left out of account, or may have misunderstood; each names its file.
  std::function<void(const std::string &)> warn = [](const std::string &) {};
  /// Takes the account of an ONNX model's parameters, a line.
  std::function<void(const std::string &)> account = [](const std::string &) {};
  /// Takes a table of seconds by level and pass; empty: nothing is measured.
  std::function<void(const std::string &)> timing;
  /// Of the caller's: kernels that other compilations of this process made; null: every kernel is compiled.
  codegen::KernelCache *kernels = nullptr;
};

/// What a plan can be made for, narrower ones first.
std::vector<std::string> targetCpus();

/// Compiles, checks and writes the plan.
Result<plan::Plan> compile(const CompileRequest &request);

} // namespace windlass

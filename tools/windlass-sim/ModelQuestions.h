// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelQuestions.h - questions about models without a plan ==============//
//
// Duty: answers questions about a model without a plan: how it would be planned on a machine, by each named
// strategy or on other numbers of ranks; the largest model that fits; the smallest machine that suffices.
// Answers go to stdout, progress to stderr. Errors: those of a compilation; BadInput in a build without the
// compiler. Threads: one question at a time; variants of a question have threads of their own.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <string>
#include <vector>

namespace windlass::sim {

struct ModelQuestion {
  std::string model, training, hardware, parallel, strategy, targetCpu;
  std::vector<std::string> changes; ///< of the hardware file
  // At most one of these; none: how the model would be planned and run.
  bool strategies = false, smallestMachine = false;
  std::string largest; ///< "layers", "hidden" or "batch"
  std::vector<int64_t> ranks;
  bool fits = false;          ///< only whether a plan fits, not how fast it would be
  bool mayChangeBits = false; ///< choose keys of the training file that change last bits
  int64_t jobs = 0;           ///< variants that are planned at once; 0: one for each processor
  bool json = false;
};

Status answer(const ModelQuestion &question);

} // namespace windlass::sim

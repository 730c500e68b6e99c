// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelQuestions.h - what a machine would make of a model =============//
//
// Duty: questions about a model that no plan was made of: how it would be planned here, by each named
// strategy or on other numbers of ranks, how large it may be, how small the machine. Answers go to stdout,
// progress to stderr.
// Errors: those of a compilation; BadInput in a build without the compiler. Threads: one question at a time.
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
  bool fits = false;          ///< only whether something fits, and not how fast it would be
  bool mayChangeBits = false; ///< choose what of the training file changes last bits
  bool json = false;
};

Status answer(const ModelQuestion &question);

} // namespace windlass::sim

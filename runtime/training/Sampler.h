// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Sampler.h - text from a model =========================================//
//
// Duty: continues a prompt, byte by byte, through the plan's sample section: the
// prompt is right-padded to the model's positions and the window slides. A token behind
// the 256 bytes is none: it is written by its number, "<256>".
// Temperature 0 takes the likeliest byte; else one is drawn, from the seed.
// Threads: one, between steps.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/JobProcess.h"
#include "runtime/training/step/StepHosts.h"
#include <functional>

namespace windlass {

struct SampleOptions {
  std::string prompt;
  int64_t tokens = 200;
  double temperature = 0.8;
  uint64_t seed = 1;
};

/// BadInput if the plan cannot sample text, or the prompt leaves its vocabulary.
Status checkSampling(const plan::Plan &plan, const SampleOptions &options);

/// The text after the prompt.
Result<std::string> sampleText(const plan::Plan &plan, Executor &executor, JobProcess &job,
                               const SampleOptions &options);

/// Index of the chosen logit: the largest (temperature 0), else where `uniform`
/// in [0, 1) falls in the softmax.
size_t chooseToken(std::span<const float> logits, double temperature, double uniform);

} // namespace windlass

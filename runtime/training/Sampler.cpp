// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/Sampler.h"

#include "runtime/base/Random.h"
#include "runtime/base/Units.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/training/data/ByteVocabulary.h"
#include "runtime/training/step/RunOnAllRanks.h"
#include <algorithm>
#include <cmath>

namespace windlass {

/// The first tokens of a vocabulary, which are text; later tokens are special, or padding.
static constexpr size_t kBytes = 256;

Status checkSampling(const plan::Plan &plan, const SampleOptions &options) {
  if (!plan::serves(plan, plan::Purpose::Sample))
    return Status::badInput(
        "--sample: the plan has no schedule \"sample\" (a model that reads tokens has one)");
  if (options.prompt.empty())
    return Status::badInput("--sample: the prompt is empty; give at least one character");
  for (const plan::Input &input : plan.inputs)
    if (input.role == plan::InputRole::Tokens && !isByteVocabulary(input.bound))
      return Status::badInput("--sample: text is written as bytes, but the model's vocabulary of " +
                              formatCount(input.bound) +
                              " tokens is not bytes, and a plan holds no tokenizer; --export the weights and "
                              "sample where the tokenizer is");
    else if (input.role == plan::InputRole::Tokens)
      for (unsigned char c : options.prompt)
        if (c >= input.bound)
          return Status::badInput("--sample: byte " + std::to_string(c) +
                                  " of the prompt is outside the vocabulary of " +
                                  std::to_string(input.bound));
  return Status::ok();
}

size_t chooseToken(std::span<const float> logits, double temperature, double uniform) {
  const size_t likeliest =
      static_cast<size_t>(std::max_element(logits.begin(), logits.end()) - logits.begin());
  if (temperature <= 0)
    return likeliest;
  auto weight = [&](float logit) { return std::exp((logit - logits[likeliest]) / temperature); };
  double total = 0;
  for (float logit : logits)
    total += weight(logit);
  double remaining = uniform * total;
  for (size_t i = 0; i < logits.size(); ++i) {
    remaining -= weight(logits[i]);
    if (remaining < 0)
      return i;
  }
  return likeliest; // rounding left a sliver past the end
}

Result<std::string> sampleText(const plan::Plan &plan, Executor &executor, JobProcess &job,
                               const SampleOptions &options) {
  WINDLASS_TRY(checkSampling(plan, options));
  SamplingHost host(plan);
  std::vector<int32_t> tokens(options.prompt.size());
  std::transform(options.prompt.begin(), options.prompt.end(), tokens.begin(),
                 [](char c) { return static_cast<unsigned char>(c); });
  const RandomStream random(options.seed, 0, streamOf("sample"));
  std::string text;
  for (int64_t i = 0; i < options.tokens; ++i) {
    const size_t seen = std::min(tokens.size(), static_cast<size_t>(host.window()));
    host.begin(std::span(tokens).last(seen));
    WINDLASS_TRY(runOnAllRanks(job, executor, plan::Purpose::Sample, host));
    if (host.logits().empty())
      return Status::internal("a sample of the plan reports no \"logits\"");
    const size_t token = chooseToken(host.logits(), options.temperature, random.uniform(i));
    tokens.push_back(static_cast<int32_t>(token));
    text += token < kBytes ? std::string(1, static_cast<char>(token)) : "<" + std::to_string(token) + ">";
  }
  return text;
}

} // namespace windlass

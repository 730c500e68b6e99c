// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/LossCounts.h"

#include "runtime/plan/Groups.h"
#include <algorithm>

namespace windlass {

LossCounts::LossCounts(const plan::Plan &plan)
    : plan(&plan), inputOf(plan.lossShares.size()), weights(plan.lossShares.size()),
      fed(plan.lossShares.size()) {
  int64_t longest = 0;
  for (const plan::Input &input : plan.inputs) {
    if (isCounted(input))
      labels = &input;
    for (size_t i = 0; i < inputOf.size(); ++i)
      if (plan.lossShares[i].of == plan::MeanOf::Labels && plan.lossShares[i].input == input.name)
        inputOf[i] = &input;
    if (input.type == plan::ElementType::I32)
      longest = std::max(longest, rowElements(input));
  }
  row.reserve(static_cast<size_t>(longest));
}

bool LossCounts::areOfLabels() const {
  for (size_t i = 0; i < inputOf.size(); ++i)
    if (!inputOf[i] || !holdsLabels(*inputOf[i]) || inputOf[i]->ignored != plan->lossShares[i].ignored)
      return false;
  return labels != nullptr && !plan->paddingCounts;
}

void LossCounts::begin() {
  validLabels = examples = 0;
  std::ranges::fill(weights, 0);
}

Status LossCounts::read(const DataSource &data, const plan::Input &input, int64_t example) {
  row.resize(static_cast<size_t>(rowElements(input)));
  return data.read(input, example, std::as_writable_bytes(std::span(row)));
}

/// What the labels of `row` count together.
double LossCounts::weightOfLabels(const plan::LossShare &share) const {
  double sum = 0;
  for (int32_t label : labelsFrom(share.first)) {
    if (label == share.ignored)
      continue;
    if (share.classWeights.empty())
      sum += 1;
    else if (label >= 0 && label < std::ssize(share.classWeights))
      sum += share.classWeights[static_cast<size_t>(label)];
  }
  return sum;
}

Status LossCounts::add(const DataSource &data, int64_t example) {
  ++examples;
  if (labels) {
    WINDLASS_TRY(read(data, *labels, example));
    const std::span<const int32_t> counting = labelsFrom(labels->first);
    validLabels += std::ssize(counting) - std::ranges::count(counting, labels->ignored);
  } else {
    ++validLabels; // the loss of an example with targets is a mean already
  }
  for (size_t i = 0; i < inputOf.size(); ++i) {
    if (!inputOf[i])
      continue;
    WINDLASS_TRY(read(data, *inputOf[i], example));
    weights[i] += weightOfLabels(plan->lossShares[i]);
  }
  return Status::ok();
}

/// How many of what a share is a mean over were counted.
double LossCounts::countOf(size_t share) const {
  const double batches = static_cast<double>(examples) / static_cast<double>(plan->training.globalBatch);
  switch (plan->lossShares[share].of) {
  case plan::MeanOf::Labels:
    return weights[share];
  case plan::MeanOf::Examples:
    return static_cast<double>(examples);
  case plan::MeanOf::MicroBatches:
    return batches * static_cast<double>(plan->training.microBatches * dataRanks(*plan));
  case plan::MeanOf::Batches:
    return batches;
  }
  return 0;
}

void LossCounts::finish() {
  for (size_t i = 0; i < fed.size(); ++i) {
    const double count = countOf(i);
    fed[i] = count > 0 ? static_cast<double>(validLabels) / count : 0;
  }
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- LossCounts.h - what the loss of a step is divided by ==================//
//
// Duty: counts, example by example, what the loss and its terms are means over:
// labels that are not ignored (examples, where none are counted), and what the
// plan's loss shares name. Counts are of the whole batch, so a loss is the same
// however the batch is dealt to ranks and micro-batches.
// Errors: those of reading data. Threads: one counter, one thread.
// Nothing allocates after the constructor.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "runtime/training/data/DataSource.h"
#include <span>
#include <vector>

namespace windlass {

class LossCounts {
public:
  explicit LossCounts(const plan::Plan &plan);

  void begin();
  Status add(const DataSource &data, int64_t example);
  /// After the last example.
  void finish();

  /// What the loss is divided by.
  int64_t valid() const { return validLabels; }
  /// What is fed for each of the plan's loss shares.
  std::span<const double> shares() const { return fed; }
  /// Whether an example whose labels are the ignored ones of their inputs counts for nothing anywhere.
  bool areOfLabels() const;

private:
  Status read(const DataSource &data, const plan::Input &input, int64_t example);
  /// Those of `row`, but for the first ones.
  std::span<const int32_t> labelsFrom(int64_t first) const {
    return std::span(row).subspan(static_cast<size_t>(first));
  }
  double weightOfLabels(const plan::LossShare &share) const;
  double countOf(size_t share) const;

  const plan::Plan *plan;
  const plan::Input *labels = nullptr;      ///< the input whose values are counted; null: none
  std::vector<const plan::Input *> inputOf; ///< of each share; null: it is not of labels
  std::vector<int32_t> row;
  int64_t validLabels = 0, examples = 0;
  std::vector<double> weights, fed; ///< of each share
};

} // namespace windlass

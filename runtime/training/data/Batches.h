// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Batches.h - which example goes where ==================================//
//
// Duty: sample k of step n is one example, whatever the number of data ranks
// (runtime/plan/Groups.h) and the place of each among them:
// k = micro-batch * (data ranks * rows) + place * rows + row. The data position is the
// number of samples consumed; it alone says epoch and place in it.
// Threads: const; shared by all ranks. Nothing allocates after create().
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include "runtime/training/data/DataSource.h"
#include "runtime/training/data/LossCounts.h"

namespace windlass {

/// Whose rows of which micro-batch.
struct RowBlock {
  int64_t microBatch = 0, place = 0;
};

class Batches {
public:
  /// Refuses a plan whose batch sizes do not multiply out.
  static Result<Batches> create(const plan::Plan &plan, const DataSource &data, uint64_t seed, bool shuffle);

  /// Rows of one micro-batch of one data rank.
  int64_t rows() const { return rowsPerBlock; }
  int64_t samplesPerStep() const { return plan->training.globalBatch; }

  /// Fills an input for one data rank and micro-batch of the step that begins at a position.
  Status fillTraining(const plan::Input &input, int64_t position, RowBlock block,
                      std::span<std::byte> out) const;
  /// What the loss of the step that begins at a position is a mean over; until the next count.
  Result<const LossCounts *> countTraining(int64_t position);

  /// Forward-only runs that cover the validation part.
  int64_t validationRuns() const;
  /// Examples of the validation part that are not evaluated, for they fill no batch and no padding may be
  /// there.
  int64_t validationLeftOut() const;
  /// Rows past the end of the part are zero, their labels ignored.
  Status fillValidation(const plan::Input &input, int64_t run, int64_t place, std::span<std::byte> out) const;
  Result<const LossCounts *> countValidation(); ///< counts once

private:
  Batches(const plan::Plan &plan, const DataSource &data, uint64_t seed, bool shuffle);
  int64_t trainingExample(int64_t sample) const;
  int64_t sampleOf(RowBlock block, int64_t row) const;
  template <typename ExampleOfRow>
  Status fillRows(const plan::Input &input, std::span<std::byte> out, ExampleOfRow exampleOfRow) const;
  Status fillRow(const plan::Input &input, int64_t example, std::span<std::byte> row) const;

  const plan::Plan *plan;
  const DataSource *data;
  uint64_t seed;
  bool shuffle;
  int64_t rowsPerBlock = 1;
  LossCounts ofStep, ofValidation;
  bool isValidationCounted = false;
};

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/Batches.h"

#include "runtime/base/Counted.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/training/data/Permutation.h"
#include <algorithm>

namespace windlass {
namespace {

constexpr int64_t kPadding = -1; ///< stands for no example

} // namespace

Batches::Batches(const plan::Plan &plan, const DataSource &data, uint64_t seed, bool shuffle)
    : plan(&plan), data(&data), seed(seed), shuffle(shuffle), ofStep(plan), ofValidation(plan) {}

Result<Batches> Batches::create(const plan::Plan &plan, const DataSource &data, uint64_t seed, bool shuffle) {
  Batches batches(plan, data, seed, shuffle);
  const plan::Training &training = plan.training;
  const int64_t blocks = training.microBatches * dataRanks(plan);
  if (blocks < 1 || training.globalBatch < 1 || training.globalBatch % blocks != 0)
    return Status::badInput("plan: a global batch of " + std::to_string(training.globalBatch) +
                            " does not divide into " + counted(training.microBatches, "micro-batch") +
                            " of " + counted(dataRanks(plan), "data rank"));
  batches.rowsPerBlock = training.globalBatch / blocks;
  for (const plan::Input &input : plan.inputs)
    if (input.shape.empty() || input.shape[0] != batches.rowsPerBlock)
      return Status::badInput("plan: input \"" + input.name + "\" does not begin with " +
                              counted(batches.rowsPerBlock, "example") + " per micro-batch and rank");
  if (data.validation() > 0 && batches.validationRuns() == 0 && plan::serves(plan, plan::Purpose::Evaluate))
    return Status::badInput(
        "plan: \"validation.fraction\" holds out " + counted(data.validation(), "example") +
        ", but the ranks evaluate " + std::to_string(dataRanks(plan) * batches.rowsPerBlock) +
        " at once, and only whole batches, since the loss of the model cannot ignore what fills one up");
  return batches;
}

int64_t Batches::sampleOf(RowBlock block, int64_t row) const {
  return (block.microBatch * dataRanks(*plan) + block.place) * rowsPerBlock + row;
}

int64_t Batches::trainingExample(int64_t sample) const {
  const int64_t size = data->training();
  const int64_t epoch = sample / size, index = sample % size;
  if (!shuffle)
    return index;
  return static_cast<int64_t>(Permutation(size, seed, epoch)(index));
}

Status Batches::fillRow(const plan::Input &input, int64_t example, std::span<std::byte> row) const {
  if (example != kPadding)
    return data->read(input, example, row);
  std::fill(row.begin(), row.end(), std::byte{0});
  if (holdsLabels(input))
    ignoreLabels(input, row);
  return Status::ok();
}

template <typename ExampleOfRow>
Status Batches::fillRows(const plan::Input &input, std::span<std::byte> out,
                         ExampleOfRow exampleOfRow) const {
  const size_t rowBytes = static_cast<size_t>(rowElements(input) * plan::bytesOf(input.type));
  if (out.size() < rowBytes * static_cast<size_t>(rowsPerBlock))
    return Status::internal("the plan asks for input \"" + input.name + "\" in only " +
                            std::to_string(out.size()) + " bytes");
  for (int64_t row = 0; row < rowsPerBlock; ++row, out = out.subspan(rowBytes))
    WINDLASS_TRY(fillRow(input, exampleOfRow(row), out.first(rowBytes)));
  std::fill(out.begin(), out.end(), std::byte{0});
  return Status::ok();
}

Status Batches::fillTraining(const plan::Input &input, int64_t position, RowBlock block,
                             std::span<std::byte> out) const {
  return fillRows(input, out, [&](int64_t row) { return trainingExample(position + sampleOf(block, row)); });
}

int64_t Batches::validationRuns() const {
  const int64_t perRun = dataRanks(*plan) * rowsPerBlock;
  // Where padding would count, only whole batches are evaluated.
  return ofValidation.areOfLabels() ? (data->validation() + perRun - 1) / perRun
                                    : data->validation() / perRun;
}

int64_t Batches::validationLeftOut() const {
  return std::max<int64_t>(0, data->validation() - validationRuns() * dataRanks(*plan) * rowsPerBlock);
}

Status Batches::fillValidation(const plan::Input &input, int64_t run, int64_t place,
                               std::span<std::byte> out) const {
  return fillRows(input, out, [&](int64_t row) {
    const int64_t index = sampleOf({run, place}, row);
    return index < data->validation() ? data->training() + index : kPadding;
  });
}

Result<const LossCounts *> Batches::countTraining(int64_t position) {
  ofStep.begin();
  for (int64_t sample = 0; sample < samplesPerStep(); ++sample)
    WINDLASS_TRY(ofStep.add(*data, trainingExample(position + sample)));
  ofStep.finish();
  return &ofStep;
}

Result<const LossCounts *> Batches::countValidation() {
  if (isValidationCounted)
    return &ofValidation;
  const int64_t covered = data->validation() - validationLeftOut();
  for (int64_t index = 0; index < covered; ++index)
    WINDLASS_TRY(ofValidation.add(*data, data->training() + index));
  ofValidation.finish();
  isValidationCounted = true;
  return &ofValidation;
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepHosts.h - what a plan asks for, and tells, while it runs ==========//
//
// Duty: the three hosts of the executor: training, validation, sampling. Batches
// go in by the name of their input, scalars by the name of their item: one f32
// at the buffer's start, the rest zero. Losses and the norm come back.
// Threads: feed and report are called by many ranks at once and write only their
// rank's slots; everything else by the training loop, between runs.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/training/data/Batches.h"
#include "runtime/training/step/LossScaler.h"
#include <cmath>
#include <vector>

namespace windlass {

/// The scalars of one step, as they are fed; its masks are drawn from `seed` and `step`.
struct StepScalars {
  double learningRate = 0, biasCorrection1 = 1, biasCorrection2 = 1, lossSeed = 1;
  int64_t step = 0;
  uint64_t seed = 0;
  double inverseLossScale = 1; ///< of the scale that `lossSeed` has in it
};

/// Those of step `step`, from 1, whose loss is divided by `valid`. What `scaler` knows as skipped was no
/// update: neither schedule nor bias corrections count it.
StepScalars scalarsOfStep(const plan::Training &training, const LossScaler &scaler, int64_t step,
                          int64_t valid, uint64_t seed);

/// Writes the scalar an item names; false if it names none.
bool feedScalar(std::string_view item, const StepScalars &scalars, std::span<std::byte> bytes);
/// Writes the loss share an item names; false if it names none.
bool feedLossShare(const plan::Plan &plan, std::string_view item, std::span<const double> shares,
                   std::span<std::byte> bytes);
const plan::Input *findInput(const plan::Plan &plan, std::string_view item);

/// A step host for ranks in several processes. Each process tells the others what its ranks reported.
class SharedHost : public StepHost {
public:
  /// What the ranks of this process reported in the last run.
  virtual std::string reports() const = 0;
  /// Takes the reports of another process.
  virtual void addReports(std::string_view theirs) = 0;
};

class TrainingHost final : public SharedHost {
public:
  TrainingHost(const plan::Plan &plan, const Batches &batches);

  /// `lossShares`: of the step's examples; they are read while it runs.
  void begin(const StepScalars &scalars, int64_t position, std::span<const double> lossShares = {});
  /// Sum of the reported losses in (micro-batch, rank) order; NaN if one is missing.
  double lossSum() const;
  /// The gradient norm before clipping, where the plan reports one.
  bool reportedNorm() const { return normReported[reporter] != 0; }
  double gradientNorm() const { return norms[reporter]; }
  /// Whether a gradient was no finite number: the plan's own rule for changing nothing, where it scales
  /// losses.
  bool overflowed() const { return reportedNorm() && !std::isfinite(norms[reporter]); }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override;
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override;
  std::string reports() const override;
  void addReports(std::string_view theirs) override;

private:
  /// Which of the blocks of rows of a step a request is about.
  int64_t blockOf(const ItemRequest &request) const;

  const plan::Plan &plan;
  const Batches &batches;
  StepScalars scalars;
  int64_t position = 0;
  std::span<const double> lossShares;
  std::vector<float> losses, norms;
  std::vector<char> normReported; ///< one per rank; char: ranks write side by side
  size_t reporter;                ///< of the ranks that report the norm, the first
};

class ValidationHost final : public SharedHost {
public:
  ValidationHost(const plan::Plan &plan, const Batches &batches);

  /// `lossShares`: of all that is validated.
  void begin(int64_t run, std::span<const double> lossShares = {});
  double lossSum() const; ///< of this run, in rank order

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override;
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override;
  std::string reports() const override;
  void addReports(std::string_view theirs) override;

private:
  const plan::Plan &plan;
  const Batches &batches;
  int64_t run = 0;
  std::span<const double> lossShares;
  std::vector<float> losses;
};

/// Feeds every rank the same tokens, right-padded; keeps the logits of the last one.
class SamplingHost final : public SharedHost {
public:
  explicit SamplingHost(const plan::Plan &plan);

  /// Positions the model sees at once; 0 if it reads no tokens.
  int64_t window() const { return positions; }
  void begin(std::span<const int32_t> tokens);
  /// Of the position after the last token.
  std::span<const float> logits() const { return lastLogits; }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override;
  Status report(const ItemRequest &request, std::span<const std::byte> bytes) override;
  std::string reports() const override;
  void addReports(std::string_view theirs) override;

private:
  const plan::Plan &plan;
  int64_t reporter; ///< of the ranks that report logits, the first
  int64_t positions = 0;
  std::vector<double> lossShares; ///< 1 each: nobody looks at the loss
  bool reportsOneRow = false;     ///< the logits of the feed "position" alone
  std::span<const int32_t> tokens;
  std::vector<float> lastLogits;
};

} // namespace windlass

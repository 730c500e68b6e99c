// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingFile.h - the training file ====================================//
//
// Duty: the training file ("windlass.training/1") as a plain struct. One table,
// TrainingKeys.def, says every key, its place in the struct, its rule and its
// description; reading, the default document and docs/training.md follow from it.
// Units: sequences or examples, steps, bytes. std::nullopt is "auto" in the file.
// Errors: Status names the file, the key, the rule and the value found.
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/Decisions.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Collectives.h"
#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

enum class Precision : uint8_t { Fp32, Bf16, Fp16 };
enum class OptimizerKind : uint8_t { AdamW };
enum class ScheduleKind : uint8_t { Constant, Linear, Cosine };
/// The implementation of products: the backend's library, or the reference, whose order of sums is the same
/// on every backend.
enum class Multiplication : uint8_t { Library, Reference };
/// When gradients are summed over ranks.
enum class Cadence : uint8_t { MicroBatch, Step };
/// The ranks that share out gradients and optimizer states, if groups have copies of the parameters.
enum class OptimizerShard : uint8_t { Group, All };
/// Whether the dropout of a model is applied, or left out.
enum class Dropout : uint8_t { Keep, Off };
constexpr double kMostDropped = 0.9999; ///< a rate of 1 would leave nothing

/// One word of the file per enumerator, in order.
std::string_view word(Precision value);
std::string_view word(OptimizerKind value);
std::string_view word(ScheduleKind value);
std::string_view word(Multiplication value);
std::string_view word(plan::Collectives value);
std::string_view word(Cadence value);
std::string_view word(OptimizerShard value);
std::string_view word(Dropout value);

/// Decoupled weight decay: of matrices alone; or by name, if the file says so.
struct WeightDecay {
  static constexpr std::string_view kOthers = "*";

  double matrices = 0.01;
  /// By regular expressions over names; kOthers: for names without a match, which otherwise do not decay.
  /// Empty: that of matrices.
  std::map<std::string, double> byName;
};
/// As the file has it: a number or an object.
void to_json(nlohmann::json &json, const WeightDecay &decay);

struct TrainingOptions : Decisions {
  // The batch. After reading, globalBatch = dataRanks * microBatches * microBatch.
  int64_t globalBatch = 0;    ///< sequences (examples) per step, over all ranks
  int64_t microBatch = 0;     ///< sequences per rank and micro-batch
  int64_t microBatches = 0;   ///< micro-batches per step
  int64_t dataRanks = 1;      ///< data-parallel ranks, of each stage
  int64_t tensorRanks = 1;    ///< ranks that share out the operations of a replica
  int64_t stages = 1;         ///< of the pipeline; 0: as many as the machine has ranks for (readInputs())
  bool stagesAreAuto = false; ///< as many as the machine has ranks for, and counted
  int64_t sequence = 0;       ///< tokens per sequence; 0: as the model says

  int64_t steps = 1000;
  int64_t seed = 1;
  bool shuffle = true;
  Precision compute = Precision::Fp32;
  // Of an fp16 run, as torch.amp.GradScaler and DeepSpeed's dynamic scaler have them.
  std::optional<double> lossScale; ///< none: dynamic
  double initialLossScale = 65536; ///< of a dynamic scale, as are the next two
  int64_t lossScaleWindow = 2000;  ///< finite steps in a row after which it doubles
  double minLossScale = 1;
  Dropout dropout = Dropout::Keep;

  OptimizerKind optimizer = OptimizerKind::AdamW;
  double learningRate = 1e-3;
  std::array<double, 2> betas = {0.9, 0.999};
  double epsilon = 1e-8;
  WeightDecay weightDecay;
  double clip = 1.0; ///< of the global gradient norm; 0: none
  ScheduleKind schedule = ScheduleKind::Constant;
  int64_t warmup = 0;    ///< steps
  double minRatio = 0.0; ///< last learning rate over the largest

  double validationFraction = 0.0;
  int64_t validationEvery = 0; ///< steps; 0: never
  int64_t checkpointEvery = 0; ///< steps; 0: only at the end
  int64_t checkpointKeep = 2;

  std::vector<std::string> freeze;    ///< regular expressions: parameters whose names match are not trained
  std::vector<std::string> trainable; ///< the same: trained, whatever `freeze` or the model's file says

  // Part of the numerics record: they may change the last bits.
  std::optional<int64_t> tileLimit;      ///< bytes of a parameter tile; none: parameters stay whole
  std::optional<int64_t> tileActivation; ///< bytes of a tile of an inner activation or logits; none: whole
  std::optional<int64_t> attentionLimit; ///< bytes of a block of scores; none: all scores at once
  Multiplication matmul = Multiplication::Library;
  std::optional<int64_t> matmulWorkspace = int64_t(32) << 20; ///< bytes for a product on a GPU; none: none
  plan::Collectives collectives = plan::Collectives::Ordered;
  Cadence cadence = Cadence::MicroBatch;
  int64_t threadsPerRank = 1;
  int64_t shardRanks = 0; ///< consecutive ranks that share out the states; 0: all
  OptimizerShard optimizerShard = OptimizerShard::Group;

  int64_t ranks() const { return dataRanks * tensorRanks * stages; }
  /// Copies of the states over all ranks of a stage.
  int64_t replicas() const { return shardRanks == 0 ? 1 : dataRanks / shardRanks; }
};

Result<TrainingOptions> readTrainingFile(const std::string &path);
/// The same with keys over those of the file: a JSON merge patch.
Result<TrainingOptions> readTrainingFile(const std::string &path, const nlohmann::json &over);
/// The same for text; `file` is its name in messages.
Result<TrainingOptions> parseTraining(std::string_view text, const std::string &file);

/// A whole document with every key at its default.
std::string trainingDefaults();
/// The table of keys in Markdown, as docs/training.md shows it.
std::string trainingKeyTable();
/// The file's JSON Schema, as docs/schema/training.schema.json keeps it.
std::string trainingSchema();

} // namespace windlass

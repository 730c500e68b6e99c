// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Checkpoint.h - states to files and back ===============================//
//
// Duty: writes and reads the tensors of one checkpoint folder, as logical,
// unpadded tensors under their original names: model.safetensors (the f32 master
// where there is one, else the parameter), optimizer.safetensors
// (exp_avg/NAME, exp_avg_sq/NAME), each as one file or as a shard per rank
// (StateFile.h), config.json if the plan carries one, and trainer_state.json with
// the hashes of them all.
// Nothing in it depends on ranks, stage or placement.
// Errors: a checkpoint that does not fit the plan is BadInput, all mismatches at once.
// Threads: one, between steps. Memory: one staging buffer.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/training/checkpoint/TrainerState.h"
#include "runtime/training/states/States.h"
#include <optional>

namespace windlass {

enum class CheckpointFormat : uint8_t { Full, Sharded };

/// Bytes of the tensors of a checkpoint, which are all but all of it.
int64_t checkpointBytes(const plan::Plan &plan);

/// Writes the files of a checkpoint into an empty folder, each of them synced. The processes of a job do it
/// together; what is no tensor the first one writes. RunFailed for moments that are not finite, as a run
/// without clipping leaves them: no run could go on from there.
Status writeCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states,
                       const TrainerState &trainer, CheckpointFormat format = CheckpointFormat::Full);

/// What a checkpoint folder says of itself, where its files are there, whole and, byte for byte, those that
/// were written (of an older one, which has no hashes: there and whole); for whatever plan.
Result<TrainerState> checkCheckpoint(const std::string &folder);

/// Fills all states from a checkpoint folder, of either format.
Status loadCheckpoint(const std::string &folder, const plan::Plan &plan, StateStream &states);

/// Writes the model's tensors to one file, which appears whole or not at all.
Status exportWeights(const std::string &path, const plan::Plan &plan, StateStream &states);
/// The same for the gradients of the step that ran last. Those of a loss that was scaled are divided by
/// `lossScale`, be it 1, and, since 16 bits need not hold that, written in f32.
Status exportGradients(const std::string &path, const plan::Plan &plan, StateStream &states,
                       std::optional<double> lossScale = {});

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- EndToEnd.h - compiles and trains in one process =======================//
//
// Duty: helpers of tests of the whole path: a model with its training and hardware files, the plan compiled
// from them, and a run of the plan, whose reported bits and final states are kept for comparison. Errors:
// compileJob and train fail the calling test with a reason. Threads: one; a Compiled is const.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/executor/Executor.h"
#include "runtime/training/states/States.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

namespace windlass::test {

using nlohmann::json;

/// The three files of a compilation.
struct Job {
  json model, training, hardware;
  std::string strategy = {};  ///< a name or a file; empty: the training file decides
  std::string modelFile = {}; ///< a model on the disk, in place of `model`
  std::vector<std::string> freeze = {}, trainable = {}; ///< patterns of the command line
  bool chooseTiles = false;                             ///< --tile auto

  /// The job with keys of the training file added or replaced (a JSON merge patch).
  Job with(const json &trainingPatch) const;
};

/// A GPT-2 of two blocks, hidden size 64, sequences of 32, bytes as tokens: some tensors are buckets, some
/// are packed.
Job tinyGpt2(int64_t ranks, int64_t microBatches, int64_t microBatch = 1);
/// A Llama of the same sizes: grouped heads, rotary angles, an untied head.
Job tinyLlama(int64_t ranks, int64_t microBatches, int64_t microBatch = 1);
/// An MLP without biases: x -> widths... -> prediction, with relu between, and the mean squared error.
Job biasFreeMlp(const std::vector<int64_t> &widths, int64_t ranks, int64_t microBatches,
                int64_t microBatch = 4);
/// A machine with enough memory for every job of the tests.
json roomyMachine(int64_t ranks);

/// A plan and its kernels, in a folder that is removed with its last owner.
struct Compiled {
  plan::Plan plan;
  std::shared_ptr<const TemporaryFolder> held = std::make_shared<TemporaryFolder>();
  const TemporaryFolder &folder = *held;
  std::string planFolder() const { return folder / "plan"; }
};

/// Compiles into `folder`/plan. The input files lie beside the plan.
Result<plan::Plan> tryCompile(const Job &job, const TemporaryFolder &folder);
/// Returns null, and fails the test, if compilation fails. Equal jobs of a process are compiled once and
/// share a folder, except jobs that name a file, which may have changed.
std::unique_ptr<Compiled> compileJob(const Job &job);

/// Opens an executor over a plan that was compiled, or over a changed copy of the plan. Returns null, and
/// fails the test, on an error.
std::unique_ptr<Executor> openExecutor(const Compiled &compiled, const plan::Plan &plan,
                                       ExecutorOptions options = {});

struct RunSettings {
  int64_t steps = 3;
  ExecutorOptions executor;
  std::string data = "synthetic:5";
  StateSource source = initialValues(11);
};

/// The results of a run, as bits.
struct Outcome {
  std::map<std::string, std::vector<uint32_t>> reports; ///< by item, in (step, micro-batch, rank) order
  std::map<std::string, std::vector<std::byte>> states; ///< by "class/name", unpadded
  std::vector<double> losses;                           ///< mean over the labels, per step
  std::vector<double> scales;                           ///< of the loss, per step; 1 where it is not scaled
  std::vector<bool> skipped;                            ///< steps whose gradients overflowed
};

/// Trains on an open executor.
Outcome trainOn(const plan::Plan &plan, Executor &executor, const RunSettings &settings = {});
/// Opens an executor and trains on it.
Outcome train(const Compiled &compiled, const RunSettings &settings = {});
/// The states of an executor, by "class/name".
std::map<std::string, std::vector<std::byte>> readStates(const plan::Plan &plan, Executor &executor);

/// Fails the test at the first difference.
void expectSameBits(const Outcome &expected, const Outcome &found);

//===----------------------------------------------------------------------===//
// Questions asked of a plan
//===----------------------------------------------------------------------===//

using InstructionFilter = std::function<bool(const plan::Instruction &)>;

/// The number of instructions, in the sections of a training step, that a filter admits.
int64_t countTraining(const plan::Plan &plan, const InstructionFilter &filter);
inline InstructionFilter ofOpcode(plan::Opcode op) {
  return [op](const plan::Instruction &instruction) { return instruction.op == op; };
}
/// The tiers of the homes of a class; empty if the class has no buffers.
std::vector<plan::Tier> tiersOf(const plan::Plan &plan, plan::BufferClass cls);
/// The reason of a decision: "recompute", "placement.param". An empty reason if there is none.
const plan::Reason &whyOf(const plan::Plan &plan, std::string_view path);
/// Bytes of the homes of a class on one rank.
int64_t homeBytes(const plan::Plan &plan, plan::BufferClass cls);
/// Buffers and instructions as text: equal for plans that do the same, whatever their folders are called.
std::string programText(const plan::Plan &plan);

} // namespace windlass::test

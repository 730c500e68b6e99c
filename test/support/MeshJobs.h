// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeshJobs.h - one training on meshes of ranks ==========================//
//
// Duty: helpers of tests of parallel training: puts a job on a mesh of data, tensor and pipeline ranks, and
// checks the results that no decision and no mesh may change. Errors: each function fails the calling test,
// and names the training file. Threads: one.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "test/support/EndToEnd.h"

namespace windlass::test {

/// Ranks along each axis.
struct MeshShape {
  int64_t data = 1, tensor = 1, stages = 1;
};

/// The job on a machine with enough memory and ranks; stages run 1f1b unless the job has another schedule.
Job onMesh(const Job &job, const MeshShape &mesh);

/// The job with decisions, on `stages` stages with as many data ranks each as its training file asks for.
Job onStages(const Job &job, int64_t stages, const json &decisions = json::object());

/// A GPT-2 of four blocks with dropout. The first and the last stage read its embedding table. No number of
/// ranks divides its 251 words, and no number of stages its 5 micro-batches.
Job deepGpt2(int64_t dataRanks = 1);
/// A Llama of four layers, in which every two heads share keys and values.
Job deepLlama();

/// Runs until `steps` steps are done, from the last checkpoint of `out` if there is one. Returns the folder
/// of the checkpoint after the last step.
std::string runTo(const Compiled &compiled, int64_t steps, const std::string &out);
/// The output of --sample: a prompt and 24 bytes after it. `checkpoint`: "auto", which stands for that of
/// `out`, or a folder.
std::string sampleOf(const Compiled &compiled, const std::string &out, const std::string &checkpoint);

/// Compiles all jobs and trains each under both executors. Expects one numerics record, and the bits of the
/// first job from all.
void expectSameBitsOfAll(const std::vector<Job> &jobs, int64_t steps = RunSettings().steps);

/// Trains 20 steps on one rank, and on each of these numbers of tensor ranks. Losses and running statistics
/// must agree to a tolerance, norms and the first gradient of every parameter to ten times the tolerance.
/// Updates are small: at ten times the learning rate, Adam turns one last bit into 1e-4 of a norm within ten
/// steps.
void expectAgreesWithOneRank(const Job &job, const std::vector<int64_t> &ranks, double tolerance);

struct Stages {
  int64_t count;
  json decisions;
};
/// Expects the same bits from a job on one stage and on each of these cuts, as expectSameBitsOfAll() does.
void expectBitsOfOneStage(const Job &job, const std::vector<Stages> &cuts,
                          int64_t steps = RunSettings().steps);

/// Compiles the job, and again with the record of its decisions as the strategy. Expects that both plans do
/// the same and have one record. Returns the first plan; null if it could not be compiled.
std::unique_ptr<Compiled> expectRecordGivesPlanAgain(Job job);

/// Changes one collective at a time to the data axis in place of the tensor axis, or the reverse. Expects
/// that the checker finds each of these errors, and that there are more than `moreThan`. Both axes must have
/// equally many ranks, and follow each other in the mesh.
void expectWrongGroupsAreFound(const plan::Plan &plan, int moreThan);

/// The largest number of slots of a buffer of the program, among the buffers that messages between stages
/// read or write, or among the others; 0: none has slots.
int64_t mostSlots(const plan::Program &program, bool ofMessages);

/// The error of the compilation of a job; empty if it succeeds.
std::string refusalOf(const Job &job);

/// Trains the first job, and passes its states by checkpoints from one job to the next and back to the first.
/// Checks that every state has the same bits in all jobs, and that whole checkpoints have the same bytes.
void expectCheckpointsGoRound(const std::vector<Job> &jobs);

} // namespace windlass::test

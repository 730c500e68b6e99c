// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- MeshJobs.h - one training on meshes of ranks ========================//
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

/// The job with decisions, on as many data ranks as its training file asks for in each stage.
Job onStages(const Job &job, int64_t stages, const json &decisions = json::object());

/// Four blocks whose table both ends read, dropout, a number of words that no number of ranks divides, and
/// one of micro-batches that no number of stages divides.
Job deepGpt2(int64_t dataRanks = 1);
/// Four layers whose heads share keys and values by twos.
Job deepLlama();

/// Runs until so many steps are done, from the last checkpoint of `out` if it has one. The folder of the
/// last.
std::string runTo(const Compiled &compiled, int64_t steps, const std::string &out);
/// What --sample prints, of 24 bytes behind a prompt, from a checkpoint: "auto", that of `out`, or a folder.
std::string sampleOf(const Compiled &compiled, const std::string &out, const std::string &checkpoint);

/// Compiles and trains all under both executors: they have one numerics record, and the bits of the first.
void expectSameBitsOfAll(const std::vector<Job> &jobs, int64_t steps = RunSettings().steps);

/// Trains 20 steps on one rank, and on so many tensor ranks: losses agree to a tolerance, norms and every
/// parameter's first gradient to ten times it, running statistics as losses do. Updates are small: at ten
/// times the rate Adam makes 1e-4 of a norm of a last bit within ten steps.
void expectAgreesWithOneRank(const Job &job, const std::vector<int64_t> &ranks, double tolerance);

struct Stages {
  int64_t count;
  json decisions;
};
/// The same of a job on one stage, and on these.
void expectBitsOfOneStage(const Job &job, const std::vector<Stages> &cuts,
                          int64_t steps = RunSettings().steps);

/// Compiles the job, and again with the record of its decisions as the strategy: both plans do the same, and
/// have one record. The first; null where the test has failed.
std::unique_ptr<Compiled> expectRecordGivesPlanAgain(Job job);

/// The checker finds every collective that runs over the data axis in the place of the tensor axis, or over
/// the tensor axis in the place of the data axis; there are more than so many. These two have equally many
/// ranks, and follow each other.
void expectWrongGroupsAreFound(const plan::Plan &plan, int moreThan);

/// The most slots of a buffer of the program, of those that messages between stages read or write, or of
/// others; 0: none has slots.
int64_t mostSlots(const plan::Program &program, bool ofMessages);

/// The error of the compilation of a job; empty if it succeeds.
std::string refusalOf(const Job &job);

/// Trains the first job, and passes its states by checkpoints from one job to the next and back to the first.
/// Checks that every state has the same bits in all jobs, and that whole checkpoints have the same bytes.
void expectCheckpointsGoRound(const std::vector<Job> &jobs);

} // namespace windlass::test

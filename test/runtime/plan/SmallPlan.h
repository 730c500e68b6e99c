// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SmallPlan.h - a small plan for tests of its file ======================//
//
// Duty: a small plan with entries of most kinds, for tests of the reader and the writer of plans.
// Ownership: values. Errors: none.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include "runtime/plan/Reasons.h"

namespace windlass::test {

/// Records that use every field but Reason::stage and Trial::refusal.
inline std::vector<plan::Reason> smallReasons() {
  using namespace plan;
  const Shortage arena = {Lack::Arena, Tier::Host, 4096, 12288, 8192, {{"activation", 8192}}};
  Trial none = {
      .value = "none", .outcome = Outcome::DoesNotFit, .wholeParameters = true, .shortages = {arena}};
  Trial full = {.value = "full", .outcome = Outcome::Taken, .clock = Clock::LaidOut, .seconds = 0.3125};
  full.figures = {{Figure::KeptBytes, 4096}, {Figure::RepeatedSeconds, 0.1}};
  Trial first = {.value = "layers:1", .clock = Clock::Computation, .seconds = 0.5};
  first.price = {Resource::NcIn, 0.25, 0.125, {"nvme.read", 1.3e9, "B", true}};
  Reason recompute = {.decision = Decision::Recompute, .taken = "full", .basis = Basis::FirstThatFits};
  recompute.figures = {{Figure::TrainedLayers, 4}};
  recompute.rests = {{Tier::Nvme, 2, 4096}};
  recompute.trials = {none, full, first};
  Reason prefetch = {.decision = Decision::Prefetch, .subject = "gg", .taken = "3", .basis = Basis::Solved};
  prefetch.window = {
      "gather w", "h.0", 2e-4, 1e-4, {"links.gg.latency", 7e-5}, 4096, 2, {"links.gg.bandwidth", 2e10, "B"},
      "gather b", "h.1", 1e-5, 2};
  return {recompute, prefetch};
}

/// A plan with numbers and texts that a reader or writer easily loses.
inline plan::Plan smallPlan() {
  using namespace plan;
  plan::Plan plan;
  plan.model = "two \"lines\"\n\tand \xc3\xa9";
  plan.parameters = 3257856;
  plan.mesh = {{"dp", 2}};
  plan.programs[0].ranks = plan.ranks();
  plan.strategy = "{\"stage\":3}";
  plan.training.seed = 0xffffffffffffffffull;
  plan.training.learningRate = 0.1 + 0.2;
  plan.training.lossScale = {65536, 2000, 0.1 + 1};
  plan.inputs = {{"tokens", ElementType::I32, {1, 128}, InputRole::Tokens, 256},
                 {"labels", ElementType::I32, {1, 128}, InputRole::Labels, 256, -3}};
  plan.lossShares = {{"loss_share.0", MeanOf::Labels, "labels", -1, std::vector<double>(256, 0.1)},
                     {"loss_share.1", MeanOf::Examples}};
  plan.paddingCounts = true;
  plan.programs[0].arenas = {{Tier::Device, 8192, 4096, 16384}, {Tier::Host, 8192, 8192, 8192}};
  plan.programs[0].buffers = {{"w", BufferClass::Parameter, Tier::Host, 0, 4096, true},
                              {"w.device", BufferClass::Staging, Tier::Device, 0, 4096, false},
                              {"y", BufferClass::Activation, Tier::Device, 4096, 4096, false}};
  plan.weights = {{"/models/model.safetensors", 9000, "0123"}};
  plan.programs[0].states = {{"w",
                              StateClass::Parameter,
                              ElementType::F32,
                              {32, 64},
                              "decay",
                              {InitKind::Normal, 0, 0.02, 0},
                              "w",
                              0,
                              1024,
                              true,
                              {0, 0, 4096, {}},
                              {},
                              {0, "model.w", StoredType::F16, 808, true}}};
  plan.kernels = {
      {"k0", KernelKind::Generated, {}, {Access::Read, Access::Write}, {4096, 0}, 32, 1e-300, 12, "copy"},
      {"mm",
       KernelKind::Matmul,
       {1, 8, 8, 8, true, false, {}, {}, {}, true},
       {Access::Read, Access::Read, Access::ReadWrite},
       {256, 256, 256},
       1,
       1024,
       768,
       "matmul 8"}};
  Instruction upload;
  upload.op = Opcode::Upload;
  upload.lane = Lane::CgIn;
  upload.operands = {{0, 0, 4096, {}}, {1, 0, 4096, {}}};
  upload.bytesMoved = 4096;
  upload.origin = {"h.0", "upload w", Phase::Forward};
  Instruction launch;
  launch.kernel = 0;
  launch.end = 32;
  launch.operands = {{1, 0, 4096, {}}, {2, 0, 2048, {2048}}};
  launch.waits = {{Lane::CgIn, 1, {}}, {Lane::Gg, 0, {{1, 3}, {0, 2}}}};
  launch.origin = {"h.0", "copy", Phase::Backward};
  plan.programs[0].sections = {{"only", 1, {upload, launch}}, {"evaluate", 3, {launch}}};
  plan.programs[0].sections[1].instructions[0].microBatch = -2;
  plan.programs[0].train = {{0, 5}, {1, 1}};
  plan.reasons = smallReasons();
  plan.prediction = {0.3125, "compute", {{Lane::Compute, 0.25}}, true};
  return plan;
}

} // namespace windlass::test

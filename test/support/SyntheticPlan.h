// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SyntheticPlan.h - small sound plans without a compiler ==============//
//
// Duty: seeded plans that use every instruction, tier and section: a chain of
// matmul layers whose states rest on seeded tiers, gathered for forward and
// backward, with gradients reduced, offloaded, accumulated on the host and
// applied; with replicas, summed over them before. Kernels are matmuls only, so an executor can run them,
// unless the options ask for generated ones. The order is a seeded permutation that keeps dependencies;
// memory is packed first-fit; waits follow from comparing every pair of instructions. Threads: pure
// functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/plan/Plan.h"
#include <cstdint>

namespace windlass::test {

struct SyntheticOptions {
  uint64_t seed = 1;
  int64_t ranks = 2;
  int64_t microBatches = 1; ///< 1: only; 2: first, last; more: first, middle, last
  int64_t layers = 2;
  int64_t nvmeDepth = 2;
  int64_t scratchBytes = 65536; ///< for each matmul: more than oneDNN asks for at these sizes
  int64_t replicas = 1;         ///< copies of the states: the mesh is replicas x ranks / replicas
  bool sample = false;          ///< a section for one example, too
  bool owners = false;          ///< some layers rest on one rank, and are broadcast and reduced
  /// Whole parameters and gradients in 16 bits, rounded and added by generated kernels, whose code nobody
  /// has.
  bool generated = false;
  /// Losses are scaled and counted by labels, which kernels read as if they were f32: nobody runs these.
  bool scaled = false;
};

/// A plan the checker must find sound. Feed items: "features", "learning_rate"; report
/// items: "loss", "grad_norm", and "logits" where it samples. All are f32.
plan::Plan makeSyntheticPlan(const SyntheticOptions &options);

// The parts, for tests that build their own.

/// Swaps neighbours at random where no buffer stands between them.
void permuteOrder(plan::Plan &plan, uint64_t seed);
/// Gives every buffer an offset and every arena its size.
void packBuffers(plan::Plan &plan);
/// Gives every instruction the waits its bytes ask for.
void addWaits(plan::Plan &plan);

} // namespace windlass::test

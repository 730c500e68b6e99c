// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SyntheticPlan.h - small sound plans without a compiler ================//
//
// Duty: random plans from seeds, which between them use every section and tier, and every instruction but
// send and recv. A plan is a chain of matmul layers, whose states rest on random tiers. Parameters are
// gathered for forward and backward; gradients are reduced, offloaded, accumulated on the host, summed over
// replicas if there are several, and applied. Kernels are matmuls only, so that an executor can run them,
// unless the options ask for generated ones. The order is a random permutation that keeps dependencies;
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
  bool sample = false;          ///< adds a section for one example
  bool owners = false;          ///< some layers rest on one rank, and are broadcast and reduced
  /// Whole parameters and gradients have 16 bits; generated kernels, which have no code, round and add them.
  bool generated = false;
  /// Losses are scaled, and counted by labels. Kernels read labels as if they were f32, so that no executor
  /// can run these plans.
  bool scaled = false;
};

/// A plan that the checker must find sound. Feed items: "features", "learning_rate", and with scaled losses
/// "labels" and the inverse loss scale; report items: "loss", "grad_norm", and "logits" where it samples. All
/// but labels are f32.
plan::Plan makeSyntheticPlan(const SyntheticOptions &options);

// The parts of makeSyntheticPlan(), for tests that build plans of their own.

/// Swaps neighbouring instructions of the first program at random, unless they share a buffer that one of
/// them writes.
void permuteOrder(plan::Plan &plan, uint64_t seed);
/// Gives every buffer an offset and every arena its size.
void packBuffers(plan::Plan &plan);
/// Gives every instruction the waits that its accesses need.
void addWaits(plan::Plan &plan);

} // namespace windlass::test

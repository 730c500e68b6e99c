// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ModelStates.h - formulas of model states ==============================//
//
// Duty: INF Eq. 1 and 2; ZeRO Section 5 (Table 1), its bounds (Table 2) and
// Section 6 (communication); the same in groups that hold copies (MiCS, ZeRO++).
// Units, errors, threads: Transformer.h.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Formulas/Transformer.h"
#include <optional>
#include <span>

namespace windlass::model {

/// INF Eq. 1: elements of the linear layers; embeddings, norms and biases are left out.
double parameterCount(const Transformer &model);

/// Bytes that the model states of one parameter take, by what ZeRO may partition.
struct StateBytes {
  double parameter = 2, gradient = 2, optimizer = 12;
  double all() const { return parameter + gradient + optimizer; }
};

/// The split of `bytes` a parameter under mixed precision:
///   16  ZeRO, Section 4: 16-bit parameter and gradient; fp32 master and two moments (K = 12)
///   18  the same with fp32 gradients, as where they are accumulated
///   20  INF, Section 3: 16, and an fp32 gradient among the optimizer's states
/// Nothing for other sums.
std::optional<StateBytes> mixedPrecisionStates(int64_t bytes);

/// INF Eq. 2: bytes of all model states (240 nl hd^2 with Eq. 1 and 20 bytes a parameter).
double modelStateBytes(double parameters, const StateBytes &states);

/// What is partitioned over the data-parallel ranks; ZeRO's Pos, Pos+g, Pos+g+p.
enum class ZeroStage : uint8_t { Nothing, OptimizerStates, Gradients, Parameters };

struct StateMesh {
  int64_t dataRanks = 1;  ///< ZeRO: Nd
  int64_t modelRanks = 1; ///< ZeRO: Nm, the ranks that split every parameter
  int64_t groupRanks = 0; ///< MiCS: of the data-parallel ranks, those that share out one copy; 0: all
  /// hpZ: groups have copies of the parameters alone, all data-parallel ranks share out the rest.
  bool sharesRest = false;

  /// Ranks that share out the parameters, where ZeRO partitions them.
  int64_t sharers() const { return groupRanks == 0 ? dataRanks : groupRanks; }
  /// And the gradients and optimizer states.
  int64_t sharersOfRest() const { return sharesRest ? dataRanks : sharers(); }
};

/// ZeRO Section 5, Table 1: bytes of model states on one device. In groups, what is partitioned is so inside
/// each (MiCS, at Pos+g+p).
double stateBytesPerDevice(double parameters, const StateBytes &states, ZeroStage stage, StateMesh mesh);

/// ZeRO++ (hpZ): Pos+g+p over all data-parallel ranks, and inside each group the parameters once more.
double hpzStateBytesPerDevice(double parameters, const StateBytes &states, StateMesh mesh);

/// ZeRO Table 2, left: the most parameters whose model states alone fit into `deviceBytes` of every device.
double largestModel(double deviceBytes, const StateBytes &states, ZeroStage stage, StateMesh mesh);

/// ZeRO Table 2, right: the largest models that were trained on devices of 32 GB with 64 data-parallel ranks,
/// in parameters.
struct MeasuredModels {
  int64_t modelRanks;
  double baseline, optimizerStates; ///< without ZeRO; with Pos, "ZeRO-OS"
};
std::span<const MeasuredModels> largestModelsMeasured();

/// ZeRO Section 6: elements that one device sends and receives per step, one micro-batch a step.
double communicationElements(double parameters, ZeroStage stage);

/// Elements that one device sends and receives per step, by what they cross. A collective counts its whole
/// tensor once, without (n - 1) / n.
struct WireElements {
  double inside = 0; ///< of a group
  double across = 0; ///< between groups
};
/// The same in steps of several micro-batches, and in groups. Gradients are partitioned after each
/// micro-batch, at every stage, and parameters gathered for its two passes (Pos+g+p) or once a step. Groups
/// sum their parts of the gradients once a step (MiCS: the second hop of its gradient synchronization); where
/// all ranks share out gradients, in every micro-batch, and once a step groups exchange new parameters. Ranks
/// that split the parameters move those of one of them, Psi/Nm.
WireElements communicationElements(double parameters, ZeroStage stage, StateMesh mesh, int64_t microBatches);

} // namespace windlass::model

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- StepReport.h - what a step asks of a machine ==========================//
//
// Duty: a simulated step in the quantities that people compare machines by: what binds it, how busy lanes and
// links are, what transfers cost that computation does not hide, how full tiers are, tokens per second and
// the share of the peak of matmuls.
// Units: seconds, bytes and FLOP of one step; of one rank where nothing else is said, and of the rank with
// most where ranks differ. Threads: pure functions. Errors: those of Simulator.h; BadInput for a machine of
// other ranks, or without a tier that the plan uses.
//
// Shares of the peak: model FLOP utilisation (MFU) counts the products of one forward and one backward pass,
// each once, also those that all tensor-parallel ranks of a group compute alike (AlikeLaunches.h); hardware
// FLOP utilisation (HFU) counts all of these, and those that are computed again (instructions of phase
// recompute). For a GPT, a token then takes 6 x weights of matrices + 12 x layers x hidden x sequence (PaLM,
// Appendix B; the same as 72 B l s h^2 (1 + s/6h + V/12lh) of a batch, "Reducing Activation Recomputation in
// Large Transformer Models", Megatron-LM). The gradient of attention computes its scores again, whatever a
// plan keeps: 2 x layers x hidden x sequence for each token, which count for HFU alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Simulator.h"
#include <algorithm>
#include <vector>

namespace windlass::model {

/// Matmuls are counted; what generated kernels compute is not.
struct FlopUse {
  double model = 0;         ///< of all ranks, each product once
  double computed = 0;      ///< of all ranks, all that they compute
  double modelShare = 0;    ///< MFU: of the FLOP of all devices at their peak in a step
  double computedShare = 0; ///< HFU
};

struct LaneUse {
  plan::Lane lane = plan::Lane::Compute;
  int64_t instructions = 0;
  double busy = 0;  ///< seconds
  double bytes = 0; ///< moved; of kernels, read and written
};

/// The use of a link by the rank that uses it most. A collective counts for the link that limits its rate.
struct LinkUse {
  RateId rate = RateId::Gg;
  double seconds = 0; ///< that a step's bytes take: on the disk with the time of requests, without latencies
};

struct TierUse {
  plan::Tier tier = plan::Tier::Device;
  int64_t planned = 0, mostLive = 0, capacity = 0;
  int64_t shortBy() const { return std::max<int64_t>(0, planned - capacity); }
};

struct StepReport {
  plan::Prediction prediction;
  double boundSeconds = 0;                                           ///< no order of instructions takes less
  double transferSeconds = 0, hiddenSeconds = 0, exposedSeconds = 0; ///< see Simulation
  double examplesPerSecond = 0;
  double tokensPerSecond = 0; ///< 0: the model reads no tokens
  FlopUse flops;
  std::vector<LaneUse> lanes; ///< that have instructions
  std::vector<LinkUse> links; ///< that carry bytes
  std::vector<TierUse> tiers;

  bool fits() const {
    return std::ranges::all_of(tiers, [](const TierUse &tier) { return tier.shortBy() == 0; });
  }
};

/// `simulation`: of this plan on this machine.
StepReport reportStep(const plan::Plan &plan, const Machine &machine, const Simulation &simulation);

/// BadInput if the machine has another number of ranks than the plan, or lacks a tier that the plan uses.
/// Whether the tiers are large enough is in the report (StepReport::fits).
Status checkSuits(const plan::Plan &plan, const Machine &machine);

} // namespace windlass::model

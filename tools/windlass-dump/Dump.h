// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dump.h - a plan in words ============================================//
//
// Duty: one text per question people ask of a plan. Times come from outside,
// because the plan itself holds only an order and the machine it was planned for.
// Threads: pure functions of a well-formed plan.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Assembly.h"
#include "model/Simulator.h"
#include "runtime/base/Status.h"
#include "runtime/plan/Plan.h"
#include <span>
#include <string>

namespace windlass::dump {

/// What a user asks of a plan first: model, memory, states, reasons, prediction.
std::string overview(const plan::Plan &plan);
/// The decisions as a "windlass.strategy/1" document. BadInput: the plan's record is none.
Result<std::string> strategy(const plan::Plan &plan);
/// The overview, then instructions, kernels, strategy and numerics.
std::string summary(const plan::Plan &plan);
/// Per tier: bytes by class, the largest buffers, and who shares their bytes.
std::string memory(const plan::Plan &plan);
/// Every instruction on a line, in the total order.
std::string instructions(const plan::Plan &plan);
/// Every kernel: who launches it, what it costs, and by which grids a device runs it, in registers that an
/// assembler told.
std::string kernels(const plan::Plan &plan, const Assembly &assembly = {});
/// The stages of a pipeline side by side; then of each the lanes: a step in the order of starts, then the
/// other sections in planned order.
std::string schedule(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);
/// Chrome trace events (chrome://tracing, Perfetto) of a step.
std::string trace(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);
/// What differs from one plan to another, and why each decided as it did: decisions, homes, sizes,
/// predictions, and entries of the numerics record.
std::string diff(const plan::Plan &before, const plan::Plan &after);
/// Where `name` is and why: of a tensor, bucket, checkpoint or other buffer its places and the plan's reasons
/// that concern it; of a decision ("placement", "prefetch.cg") its reasons, or else what it is.
/// BadInput: the plan has nothing of that name; the nearest is named.
Result<std::string> explain(const plan::Plan &plan, const std::string &name);

} // namespace windlass::dump

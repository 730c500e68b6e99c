// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Dump.h - texts about a plan ===========================================//
//
// Duty: one text per question about a plan. The caller passes times, since the plan itself has only an order
// and the machine that it was planned for. Threads: pure functions of a well-formed plan.
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

/// The overview: model, memory, states, reasons, prediction.
std::string overview(const plan::Plan &plan);
/// The decisions as a "windlass.strategy/1" document. BadInput: the plan's record is no such document.
Result<std::string> strategy(const plan::Plan &plan);
/// The overview, then instructions, kernels, strategy and numerics.
std::string summary(const plan::Plan &plan);
/// Per tier: bytes by class, the largest buffers, and the buffers that share their bytes.
std::string memory(const plan::Plan &plan);
/// Every instruction on a line, in the total order.
std::string instructions(const plan::Plan &plan);
/// Every kernel: its launches, its cost, its grids on a device, and its registers from `assembly`.
std::string kernels(const plan::Plan &plan, const Assembly &assembly = {});
/// The stages of a pipeline side by side; then, for each, its lanes: a step in the order of starts, then the
/// other sections in planned order.
std::string schedule(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);
/// Chrome trace events (chrome://tracing, Perfetto) of a step.
std::string trace(const plan::Plan &plan, std::span<const model::SimulatedEvent> times);
/// The differences between two plans, with the reasons of both: decisions, homes, sizes, predictions, and
/// entries of the numerics record.
std::string diff(const plan::Plan &before, const plan::Plan &after);
/// Explains `name`: for a tensor, bucket, checkpoint or other buffer, its places and the plan's reasons that
/// concern it; for a decision ("placement", "prefetch.cg"), its reasons, or else its value. BadInput: the
/// plan has nothing of that name; the message has the nearest one.
Result<std::string> explain(const plan::Plan &plan, const std::string &name);

} // namespace windlass::dump

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/WellFormed.h"
#include "runtime/base/Counted.h"
#include "runtime/base/StepItems.h"
#include "runtime/base/TrainingLimits.h"
#include "runtime/plan/Collectives.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/InstructionTable.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/plan/check/CheckReasons.h"
#include "runtime/plan/file/Schema.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

namespace windlass::plan {
namespace {

std::string at(const std::string &list, size_t index) { return list + "[" + std::to_string(index) + "]"; }

Status refused(const std::string &place, const std::string &rule) {
  return Status::badInput(place + ": " + rule);
}

Status checkSizes(const std::string &place, std::initializer_list<int64_t> sizes) {
  for (int64_t size : sizes)
    if (size < 0 || size > kLargest)
      return refused(place, "size " + std::to_string(size) + " is not from 0 to " + std::to_string(kLargest));
  return Status::ok();
}

Status checkTraining(const Training &training) {
  if (training.microBatches > kMostMicroBatches)
    return refused("training.micro_batches", std::to_string(training.microBatches) + " is more than " +
                                                 std::to_string(kMostMicroBatches));
  const LossScale &scale = training.lossScale;
  if (scale == LossScale())
    return Status::ok();
  // A scale below 1 would let gradients overflow that need none.
  if (scale.minimum >= 1 && scale.minimum <= scale.initial && scale.initial <= kMostLossScale)
    return Status::ok();
  std::array<char, 128> rule;
  std::snprintf(rule.data(), rule.size(), "minimum %g and initial %g are not in order from 1 to %g",
                scale.minimum, scale.initial, kMostLossScale);
  return refused("training.loss_scale", rule.data());
}

Status checkMesh(const Plan &plan) {
  int64_t ranks = 1;
  if (plan.mesh.size() > kMostAxes)
    return refused("mesh",
                   std::to_string(plan.mesh.size()) + " axes are more than " + std::to_string(kMostAxes));
  for (size_t i = 0; i < plan.mesh.size(); ++i) {
    int64_t size = plan.mesh[i].size;
    if (size < 1 || size > kMostRanks || ranks * size > kMostRanks)
      return refused(at("mesh", i), "size " + std::to_string(size) + " makes no mesh of 1 to " +
                                        std::to_string(kMostRanks) + " ranks");
    ranks *= size;
  }
  return Status::ok();
}

/// Axes that something runs over, or is cut over, are some of the mesh's.
Status checkAxes(const Plan &plan, const std::vector<int64_t> &axes, const std::string &place) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (axes[i] >= std::ssize(plan.mesh) || axes[i] < 0)
      return refused(place, "axis " + std::to_string(axes[i]) + ", but the mesh has " +
                                std::to_string(plan.mesh.size()));
    if (std::find(axes.begin(), axes.begin() + static_cast<int64_t>(i), axes[i]) !=
        axes.begin() + static_cast<int64_t>(i))
      return refused(place, "axis " + std::to_string(axes[i]) + " twice");
  }
  return Status::ok();
}

/// A group's members are its ranks in order.
Status checkOrder(const std::vector<int64_t> &axes, const std::string &place) {
  for (size_t i = 1; i < axes.size(); ++i)
    if (axes[i] < axes[i - 1])
      return refused(place, "axis " + std::to_string(axes[i]) + " stands behind axis " +
                                std::to_string(axes[i - 1]));
  return Status::ok();
}

Status checkOperand(const Plan &plan, const Program &program, const Operand &operand,
                    const std::string &place) {
  if (operand.buffer >= program.buffers.size())
    return refused(place, "buffer " + std::to_string(operand.buffer) + ", but the program has " +
                              std::to_string(program.buffers.size()));
  WINDLASS_TRY(checkSizes(place, {operand.offset, operand.bytes}));
  for (int64_t stride : operand.stride)
    WINDLASS_TRY(checkSizes(place, {stride}));
  if (!operand.stride.empty() && operand.stride.size() != plan.mesh.size())
    return refused(place, std::to_string(operand.stride.size()) + " strides, but the mesh has " +
                              std::to_string(plan.mesh.size()) + " axes");
  return Status::ok();
}

/// A grid has blocks and threads.
Status checkGrid(const LaunchGrid &grid, const std::string &place) {
  WINDLASS_TRY(checkSizes(place, {grid.perBlock, grid.across, grid.threads, grid.sharedBytes}));
  if (grid.perBlock < 1 || grid.across < 1 || grid.threads < 1)
    return refused(place, "per_block " + std::to_string(grid.perBlock) + ", across " +
                              std::to_string(grid.across) + " and threads " + std::to_string(grid.threads) +
                              " must be at least 1");
  return Status::ok();
}

/// Files lie in the plan's folder, and no two are for the same target.
Status checkKernelFiles(const Plan &plan) {
  for (size_t i = 0; i < plan.kernelFiles.size(); ++i) {
    const auto &[target, name, hash] = plan.kernelFiles[i];
    if (target.empty())
      return refused(at("kernel_files", i), "code without a target");
    if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..")
      return refused(at("kernel_files", i), "\"" + name + "\" is no file in the plan's folder");
    for (size_t before = 0; before < i; ++before)
      if (plan.kernelFiles[before].target == target)
        return refused(at("kernel_files", i), "a second file for \"" + target + "\", after \"" +
                                                  plan.kernelFiles[before].name + "\"");
  }
  return Status::ok();
}

Status checkKernel(const Kernel &kernel, const std::string &place) {
  if (kernel.args.size() != kernel.argBytes.size())
    return refused(place, std::to_string(kernel.args.size()) + " args, but " +
                              std::to_string(kernel.argBytes.size()) + " arg_bytes");
  for (int64_t bytes : kernel.argBytes)
    WINDLASS_TRY(checkSizes(place, {bytes}));
  for (size_t i = 0; i < kernel.phases.size(); ++i)
    WINDLASS_TRY(checkGrid(kernel.phases[i], at(place + ".phases", i)));
  const MatmulSpec &matmul = kernel.matmul;
  WINDLASS_TRY(checkSizes(place, {kernel.extent, matmul.batch, matmul.m, matmul.n, matmul.k, matmul.pitchA,
                                  matmul.pitchB, matmul.pitchC}));
  for (const StoredMatrix &matrix : {matmul.storedA(), matmul.storedB(), matmul.storedC()})
    if (matrix.pitch < matrix.columns)
      return refused(place, "rows of " + std::to_string(matrix.columns) + " elements, but only " +
                                std::to_string(matrix.pitch) + " from one to the next");
  return Status::ok();
}

Status checkSection(const Program &program, uint32_t section, const std::string &place) {
  return section < program.sections.size()
             ? Status::ok()
             : refused(place, "section " + std::to_string(section) + ", but the program has " +
                                  std::to_string(program.sections.size()));
}

/// Schedules name sections, and no more runs than can be walked through.
Status checkSchedules(const Program &program, const std::string &within) {
  for (size_t i = 0; i < program.sections.size(); ++i)
    if (program.sections[i].advance < 0 || program.sections[i].advance > kMostMicroBatches)
      return refused(within + at("sections", i),
                     "advances by " + std::to_string(program.sections[i].advance) +
                         " micro-batches, not 0 to " + std::to_string(kMostMicroBatches));
  for (Purpose purpose : kPurposes) {
    const std::string place = within + std::string(textOf(purpose));
    int64_t runs = 0;
    for (const auto &[section, times] : scheduleOf(program, purpose)) {
      WINDLASS_TRY(checkSection(program, section, place));
      if (times < 1 || times > kMostRuns || (runs += times) > kMostRuns)
        return refused(place, std::to_string(times) + " runs of section " + std::to_string(section) +
                                  " are not 1 to " + std::to_string(kMostRuns) + " of all");
    }
  }
  return Status::ok();
}

Status checkBuffer(const Buffer &buffer, const std::string &place) {
  WINDLASS_TRY(checkSizes(place, {buffer.offset, buffer.bytes}));
  if (buffer.slots < 0 || buffer.slots > kMostMicroBatches ||
      buffer.bytes > kLargest / std::max<int64_t>(1, buffer.slots))
    return refused(place, std::to_string(buffer.slots) + " slots are not 0 to " +
                              std::to_string(kMostMicroBatches) + " of at most " + std::to_string(kLargest) +
                              " bytes together");
  return Status::ok();
}

/// Messages go to another program, of as many ranks; nothing else does.
Status checkPeer(const Plan &plan, const Program &program, const Instruction &instruction,
                 const std::string &place) {
  if (!isMessage(instruction.op))
    return instruction.peer == kNoPeer ? Status::ok() : refused(place, "only a message has a peer");
  if (instruction.peer < 0 || instruction.peer >= std::ssize(plan.programs))
    return refused(place, "peer " + std::to_string(instruction.peer) + ", but the plan has " +
                              counted(std::ssize(plan.programs), "program"));
  const Program &peer = plan.programs[static_cast<size_t>(instruction.peer)];
  if (&peer == &program || peer.ranks != program.ranks)
    return refused(place, "peer " + std::to_string(instruction.peer) + " is not another program of " +
                              counted(program.ranks, "rank"));
  return Status::ok();
}

Status checkInstruction(const Plan &plan, const Program &program, const Instruction &instruction,
                        const std::string &place) {
  for (size_t i = 0; i < instruction.operands.size(); ++i)
    WINDLASS_TRY(checkOperand(plan, program, instruction.operands[i], place + at(".on", i)));
  for (int64_t bytes : instruction.pieceBytes)
    WINDLASS_TRY(checkSizes(place + ".pieces", {bytes}));
  WINDLASS_TRY(checkSizes(place, {instruction.begin, instruction.end, instruction.bytesMoved}));
  if (std::abs(instruction.microBatch) > kMostMicroBatches)
    return refused(place, "micro-batch " + std::to_string(instruction.microBatch) + " is further away than " +
                              std::to_string(kMostMicroBatches));
  for (const Wait &wait : instruction.waits)
    for (const auto &[section, count] : wait.previous)
      WINDLASS_TRY(checkSection(program, section, place + ".wait"));
  WINDLASS_TRY(checkAxes(plan, instruction.axes, place + ".axes"));
  WINDLASS_TRY(checkOrder(instruction.axes, place + ".axes"));
  WINDLASS_TRY(checkPeer(plan, program, instruction, place));
  bool launches = instruction.op == Opcode::Launch;
  if (!launches && instruction.kernel != -1)
    return refused(place, "only a launch has a kernel");
  if (!launches)
    return Status::ok();
  if (instruction.kernel < 0 || static_cast<size_t>(instruction.kernel) >= plan.kernels.size())
    return refused(place, "kernel " + std::to_string(instruction.kernel) + ", but the plan has " +
                              std::to_string(plan.kernels.size()));
  size_t args = plan.kernels[static_cast<size_t>(instruction.kernel)].args.size();
  if (instruction.operands.size() != args)
    return refused(place, counted(std::ssize(instruction.operands), "operand") + ", but kernel " +
                              std::to_string(instruction.kernel) + " has " +
                              counted(static_cast<int64_t>(args), "arg"));
  return Status::ok();
}

/// A slice lies in its tensor.
Status checkSlice(const State &state, const std::string &place) {
  const auto &[whole, begin] = state.slice;
  if (state.slice == Slice())
    return Status::ok();
  if (whole.size() != state.shape.size() || begin.size() != whole.size())
    return refused(place, counted(std::ssize(begin), "begin") + " in a tensor of " +
                              counted(std::ssize(whole), "dimension") + ", for a state of " +
                              std::to_string(state.shape.size()));
  for (size_t i = 0; i < whole.size(); ++i) {
    WINDLASS_TRY(checkSizes(place, {whole[i], begin[i]}));
    if (begin[i] > whole[i] - state.shape[i])
      return refused(place, "dimension " + std::to_string(i) + " of " + std::to_string(state.shape[i]) +
                                " from " + std::to_string(begin[i]) + " does not lie in the tensor's " +
                                std::to_string(whole[i]));
  }
  return Status::ok();
}

/// The ranks along an axis of kind tensor have all of every period between them.
Status checkSplit(const Plan &plan, const State &state, const std::string &place) {
  const auto &[whole, axis, period, width] = state.split;
  if (state.split == Split())
    return Status::ok();
  if (axis < 0 || axis >= std::ssize(plan.mesh) ||
      plan.mesh[static_cast<size_t>(axis)].kind != AxisKind::Tensor)
    return refused(place, "axis " + std::to_string(axis) + " of the mesh is none of kind tensor");
  WINDLASS_TRY(checkSizes(place, {period, width}));
  for (int64_t extent : whole)
    WINDLASS_TRY(checkSizes(place, {extent}));
  const int64_t ranks = plan.mesh[static_cast<size_t>(axis)].size;
  if (width < 1 || width > period || width < period / ranks + (period % ranks != 0))
    return refused(place, "widths of " + std::to_string(width) + " on " + counted(ranks, "rank") +
                              " do not share out periods of " + std::to_string(period));
  return Status::ok();
}

/// A source names a weight file; only a matrix can lie in it transposed.
Status checkSource(const Plan &plan, const State &state, const std::string &place) {
  const TensorSource &source = state.source;
  if (source.file < 0)
    return Status::ok();
  if (static_cast<size_t>(source.file) >= plan.weights.size())
    return refused(place, "file " + std::to_string(source.file) + ", but the plan has " +
                              std::to_string(plan.weights.size()) + " weight files");
  if (source.transposed && state.tensorShape().size() != 2)
    return refused(place,
                   "transposed, but the tensor has " + counted(std::ssize(state.tensorShape()), "dimension"));
  return checkSizes(place, {source.offset});
}

Status checkWeights(const Plan &plan) {
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    if (plan.weights[i].path.empty())
      return refused(at("weights", i), "a file without a path");
    WINDLASS_TRY(checkSizes(at("weights", i), {plan.weights[i].bytes}));
  }
  return Status::ok();
}

Status checkStates(const Plan &plan, const Program &program, const std::string &list,
                   const std::vector<State> &states) {
  for (size_t i = 0; i < states.size(); ++i) {
    const State &state = states[i];
    const std::string place = at(list, i);
    if ((state.cls == StateClass::Gradient) != (&states == &program.gradients))
      return refused(place, "a " + std::string(textOf(state.cls)) + " is not one of these");
    WINDLASS_TRY(checkOperand(plan, program, state.home, place + ".home"));
    WINDLASS_TRY(checkSizes(place, {state.unitOffset, state.pieceElements}));
    WINDLASS_TRY(checkAxes(plan, state.axes, place + ".axes"));
    for (int64_t extent : state.shape)
      WINDLASS_TRY(checkSizes(place + ".shape", {extent}));
    WINDLASS_TRY(checkSlice(state, place + ".slice"));
    WINDLASS_TRY(checkSplit(plan, state, place + ".split"));
    WINDLASS_TRY(checkSource(plan, state, place + ".source"));
  }
  return Status::ok();
}

/// An item is that of one share, and of nothing else that is fed.
Status checkItem(const Plan &plan, size_t index) {
  const std::string &item = plan.lossShares[index].item, place = at("loss_shares", index);
  if (!item.starts_with(kLossSharePrefix))
    return refused(place,
                   "item \"" + item + "\" does not begin with \"" + std::string(kLossSharePrefix) + "\"");
  if (std::ranges::find(plan.inputs, item, &Input::name) != plan.inputs.end())
    return refused(place, "item \"" + item + "\" is an input");
  for (size_t before = 0; before < index; ++before)
    if (plan.lossShares[before].item == item)
      return refused(place, "item \"" + item + "\" is that of " + at("loss_shares", before));
  return Status::ok();
}

/// An example has at least one label that counts.
Status checkFirstLabel(const Input &input, int64_t first, const std::string &place) {
  __int128 labels = 1; // no more than needed: sizes may multiply beyond 2^63
  for (size_t d = 1; d < input.shape.size() && labels <= first; ++d)
    labels *= input.shape[d];
  return first == 0 || first < labels
             ? Status::ok()
             : refused(place, "the first label that counts is number " + std::to_string(first) + " of " +
                                  std::to_string(static_cast<int64_t>(labels)));
}

/// Labels are those of an input of whole numbers, which has at most as many classes as there are weights.
Status checkLossShares(const Plan &plan) {
  for (size_t i = 0; i < plan.lossShares.size(); ++i) {
    const LossShare &share = plan.lossShares[i];
    const std::string place = at("loss_shares", i);
    WINDLASS_TRY(checkItem(plan, i));
    if (share.of != MeanOf::Labels) {
      if (!share.input.empty() || !share.classWeights.empty())
        return refused(place, "only a mean over labels has an input and weights of classes");
      continue;
    }
    auto input = std::ranges::find(plan.inputs, share.input, &Input::name);
    if (input == plan.inputs.end() || input->type != ElementType::I32)
      return refused(place, "\"" + share.input + "\" is no input of whole numbers");
    WINDLASS_TRY(checkFirstLabel(*input, share.first, place));
    if (!share.classWeights.empty() && std::ssize(share.classWeights) < input->bound)
      return refused(place, std::to_string(share.classWeights.size()) + " weights, but \"" + share.input +
                                "\" has " + std::to_string(input->bound) + " classes");
    if (std::ranges::any_of(share.classWeights, [](double weight) { return weight < 0; }))
      return refused(place, "a class has a negative weight");
  }
  return Status::ok();
}

Status checkProgram(const Plan &plan, const Program &program, const std::string &within) {
  for (size_t i = 0; i < program.arenas.size(); ++i)
    WINDLASS_TRY(checkSizes(within + at("arenas", i), {program.arenas[i].bytes, program.arenas[i].lowerBound,
                                                       program.arenas[i].capacity}));
  for (size_t i = 0; i < program.buffers.size(); ++i)
    WINDLASS_TRY(checkBuffer(program.buffers[i], within + at("buffers", i)));
  WINDLASS_TRY(checkStates(plan, program, within + "states", program.states));
  WINDLASS_TRY(checkStates(plan, program, within + "gradients", program.gradients));
  WINDLASS_TRY(checkSchedules(program, within));
  for (size_t s = 0; s < program.sections.size(); ++s)
    for (size_t i = 0; i < program.sections[s].instructions.size(); ++i)
      WINDLASS_TRY(checkInstruction(plan, program, program.sections[s].instructions[i],
                                    within + at("sections", s) + at(".instructions", i)));
  return Status::ok();
}

/// Where along the axes of the pipeline a rank is.
std::vector<int64_t> stageOf(const Plan &plan, int64_t rank) {
  std::vector<int64_t> place = meshCoordinates(plan, rank);
  for (size_t axis = 0; axis < plan.mesh.size(); ++axis)
    if (plan.mesh[axis].kind != AxisKind::Pipeline)
      place[axis] = 0;
  return place;
}

/// Programs serve all ranks, one behind the other: those of one stage each.
Status checkPrograms(const Plan &plan) {
  int64_t served = 0;
  for (size_t i = 0; i < plan.programs.size(); ++i) {
    const Program &program = plan.programs[i];
    const std::string place = at("programs", i);
    if (program.firstRank != served || program.ranks < 1 || program.ranks > plan.ranks() - served)
      return refused(place, counted(program.ranks, "rank") + " from rank " +
                                std::to_string(program.firstRank) + ", but rank " + std::to_string(served) +
                                " of " + std::to_string(plan.ranks()) + " is the next that none serves");
    served += program.ranks;
    if (stageOf(plan, program.firstRank) != stageOf(plan, program.lastRank()) ||
        (served < plan.ranks() && stageOf(plan, served) == stageOf(plan, program.firstRank)))
      return refused(place, "ranks " + std::to_string(program.firstRank) + " to " +
                                std::to_string(program.lastRank()) + " are not those of one stage");
    WINDLASS_TRY(checkProgram(plan, program, place + "."));
  }
  if (served != plan.ranks())
    return refused("programs",
                   "none serves rank " + std::to_string(served) + " of " + std::to_string(plan.ranks()));
  return Status::ok();
}

} // namespace

Status checkWellFormed(const Plan &plan) {
  WINDLASS_TRY(checkMesh(plan));
  WINDLASS_TRY(checkTraining(plan.training));
  for (size_t i = 0; i < plan.inputs.size(); ++i)
    WINDLASS_TRY(checkFirstLabel(plan.inputs[i], plan.inputs[i].first, at("inputs", i)));
  WINDLASS_TRY(checkLossShares(plan));
  for (size_t i = 0; i < plan.kernels.size(); ++i)
    WINDLASS_TRY(checkKernel(plan.kernels[i], at("kernels", i)));
  WINDLASS_TRY(checkWeights(plan));
  WINDLASS_TRY(checkPrograms(plan));
  WINDLASS_TRY(checkCollectives(plan));
  WINDLASS_TRY(checkReasons(plan.reasons, std::ssize(plan.programs)));
  if (plan.nvmeDepth < 1 || plan.nvmeDepth > 4096)
    return refused("nvme_depth", std::to_string(plan.nvmeDepth) + " is not from 1 to 4096");
  return checkKernelFiles(plan);
}

} // namespace windlass::plan

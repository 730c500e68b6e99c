// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/check/CheckStates.h"
#include "runtime/plan/Groups.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/Schema.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace windlass::plan {
namespace {

using UnitKey = std::pair<StateClass, std::string>;

/// Elements of a shape; more than any plan may hold counts as one too many.
int64_t elementsOf(const std::vector<int64_t> &shape) {
  __int128 elements = 1;
  for (int64_t extent : shape)
    elements = std::min<__int128>(elements * extent, kLargest + 1);
  return static_cast<int64_t>(elements);
}

void checkHome(const Plan &plan, const Program &program, const State &state, Findings &findings) {
  const Buffer &buffer = program.buffers[state.home.buffer];
  if (!buffer.persistent)
    findings.add(nameOf(state) + " has its home in buffer \"" + buffer.name + "\", which is not persistent");
  if (buffer.slots != 0)
    findings.add(nameOf(state) + " has its home in buffer \"" + buffer.name + "\", which has slots");
  int64_t end = bufferOffset(plan, state.home, program.lastRank()) + state.home.bytes;
  if (end > buffer.bytes)
    findings.add(nameOf(state) + " has a home that ends at " + std::to_string(end) + " of buffer \"" +
                 buffer.name + "\" of " + std::to_string(buffer.bytes) + " bytes");
  if (state.home.bytes == 0)
    findings.add(nameOf(state) + " has a home of no bytes");
  if (state.sharded && buffer.owner != kEveryRank)
    findings.add(nameOf(state) + " is sharded, but " + nameOfOwner(plan, buffer.owner) + " owns its home");
  if (buffer.owner != kEveryRank && !areDataAxes(plan, state.axes))
    findings.add(nameOf(state) + " is cut over " + nameOfAxes(plan, state.axes) + ", but " +
                 nameOfOwner(plan, buffer.owner) + " owns its home");
  if (crossesPrograms(plan, state.axes))
    findings.add(nameOf(state) + " is cut over " + nameOfAxes(plan, state.axes) +
                 ", but its program has one place of the pipeline");
  const int64_t ranks = groupRanks(plan, state.axes);
  __int128 bytes = __int128(state.pieceElements) * bytesOf(state.type) * (state.sharded ? 1 : ranks);
  if (bytes != state.home.bytes)
    findings.add(nameOf(state) + " has a home of " + std::to_string(state.home.bytes) +
                 " bytes, but pieces of " + std::to_string(state.pieceElements) + " elements on " +
                 std::to_string(ranks) + " ranks");
}

/// What a fresh run reads of a weight file lies in it, and is a value: moments start at zero.
void checkSource(const Plan &plan, const State &state, Findings &findings) {
  const TensorSource &source = state.source;
  if (source.file < 0)
    return;
  if (state.cls != StateClass::Parameter && state.cls != StateClass::Master)
    findings.add(nameOf(state) + " starts from a weight file");
  const WeightFile &file = plan.weights[static_cast<size_t>(source.file)];
  const __int128 end = source.offset + __int128(elementsOf(state.tensorShape())) * plan::bytesOf(source.type);
  if (end > file.bytes)
    findings.add(nameOf(state) + " starts from tensor \"" + source.tensor + "\", which runs past the " +
                 std::to_string(file.bytes) + " bytes of \"" + file.path + "\"");
}

/// Tensors of one unit and class: one home, and a place each within the unit.
void checkUnit(const Plan &plan, std::vector<const State *> &members, Findings &findings) {
  std::sort(members.begin(), members.end(),
            [](const State *a, const State *b) { return a->unitOffset < b->unitOffset; });
  int64_t end = 0;
  const State *before = nullptr;
  for (const State *state : members) {
    if (before && state->unitOffset < end)
      findings.add(nameOf(*state) + " overlaps " + nameOf(*before) + " in unit \"" + state->unit + "\"");
    if (before &&
        (state->home.buffer != before->home.buffer || state->home.offset != before->home.offset ||
         state->home.stride != before->home.stride || state->pieceElements != before->pieceElements ||
         state->axes != before->axes || state->sharded != before->sharded || state->type != before->type))
      findings.add(nameOf(*state) + " and " + nameOf(*before) + " share unit \"" + state->unit +
                   "\" but not its home");
    before = state;
    end = std::max(end, state->unitOffset + elementsOf(state->shape));
  }
  const int64_t ranks = groupRanks(plan, before->axes);
  if (end > before->pieceElements * ranks)
    findings.add("unit \"" + before->unit + "\" has " + std::to_string(end) + " elements, more than " +
                 std::to_string(ranks) + " pieces of " + std::to_string(before->pieceElements));
}

/// Bytes of a tier that belong to one owner.
struct Claim {
  Tier tier;
  int64_t begin, end;
  std::string owner;
};

void checkDisjoint(std::vector<Claim> claims, const std::string &where, Findings &findings) {
  std::sort(claims.begin(), claims.end(), [](const Claim &a, const Claim &b) {
    return std::tie(a.tier, a.begin, a.end, a.owner) < std::tie(b.tier, b.begin, b.end, b.owner);
  });
  for (size_t i = 1; i < claims.size(); ++i) {
    const Claim &before = claims[i - 1], &claim = claims[i];
    if (claim.tier == before.tier && claim.begin < before.end)
      findings.add(claim.owner + " and " + before.owner + " share " + std::string(textOf(claim.tier)) + " [" +
                   std::to_string(claim.begin) + ", " + std::to_string(std::min(claim.end, before.end)) +
                   ")" + where);
  }
}

/// No byte of a tier is home to two units, and no padding of one buffer lies in another.
void checkHomesDisjoint(const Plan &plan, const Program &program, const std::vector<const State *> &homes,
                        Findings &findings) {
  const bool owners = hasOwners(program);
  bool moves = std::any_of(homes.begin(), homes.end(),
                           [&](const State *state) { return dependsOnRank(plan, state->home); });
  auto behind = [&](bool all) { return program.firstRank + (all ? program.ranks : 1); };
  for (int64_t rank = program.firstRank; rank < behind(moves || owners); ++rank) {
    std::vector<Claim> claims;
    for (const State *state : homes) {
      if (!isHeld(plan, program, state->home, rank))
        continue;
      int64_t begin = arenaOffset(plan, program, state->home, rank);
      claims.push_back({tierOf(program, state->home), begin, begin + state->home.bytes, nameOf(*state)});
    }
    checkDisjoint(std::move(claims), " on rank " + std::to_string(rank), findings);
  }
  for (int64_t rank = program.firstRank; rank < behind(owners); ++rank) {
    std::map<uint32_t, Claim> buffers;
    for (const State *state : homes) {
      const Buffer &buffer = program.buffers[state->home.buffer];
      if (isHeld(plan, program, state->home, rank))
        buffers[state->home.buffer] = {buffer.tier, buffer.offset, buffer.offset + buffer.bytes,
                                       "the home buffer \"" + buffer.name + "\""};
    }
    std::vector<Claim> claims;
    for (const auto &[index, claim] : buffers)
      claims.push_back(claim);
    checkDisjoint(std::move(claims), owners ? " on rank " + std::to_string(rank) : "", findings);
  }
}

/// What a rank along the axis of a split has is its width of every period.
void checkSplit(const Plan &plan, const State &state, Findings &findings) {
  const Split &split = state.split;
  if (split.whole.empty())
    return;
  const int64_t whole = elementsOf(split.whole), local = elementsOf(state.localShape());
  if (whole % split.period != 0 || __int128(whole / split.period) * split.width != local)
    findings.add(nameOf(state) + " has " + std::to_string(local) + " elements on each rank along " +
                 nameOfAxes(plan, {&split.axis, 1}) + ", not " + std::to_string(split.width) + " of each " +
                 std::to_string(split.period) + " of " + std::to_string(whole));
  if (runsOver(state.axes, static_cast<size_t>(split.axis)))
    findings.add(nameOf(state) + " is cut over " + nameOfAxes(plan, {&split.axis, 1}) +
                 ", along which its tensor is split");
}

/// Whether two slices of a tensor have an element in common.
bool overlap(const State &a, const State &b) {
  for (size_t i = 0; i < a.shape.size(); ++i)
    if (a.slice.begin[i] >= b.slice.begin[i] + b.shape[i] ||
        b.slice.begin[i] >= a.slice.begin[i] + a.shape[i])
      return false;
  return true;
}

std::string placeText(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "[" : ", ") + std::to_string(number);
  return text + "]";
}

/// Checks that each element of a tensor lies in exactly one of its slices.
void checkCover(std::vector<const State *> slices, Findings &findings) {
  const State &first = *slices.front();
  size_t along = 0; // the first dimension in which they differ
  while (along + 1 < first.shape.size() && std::ranges::all_of(slices, [&](const State *state) {
           return state->slice.begin[along] == first.slice.begin[along];
         }))
    ++along;
  std::ranges::sort(slices, {}, [&](const State *state) { return state->slice.begin[along]; });
  __int128 elements = 0;
  for (size_t i = 0; i < slices.size(); ++i) {
    const State &state = *slices[i];
    elements += elementsOf(state.shape);
    for (size_t next = i + 1; next < slices.size() && slices[next]->slice.begin[along] <
                                                          state.slice.begin[along] + state.shape[along];
         ++next)
      if (overlap(state, *slices[next]))
        return findings.add(nameOf(state) + " has slices that overlap, from " + placeText(state.slice.begin) +
                            " and from " + placeText(slices[next]->slice.begin));
  }
  if (elements != elementsOf(first.slice.whole))
    findings.add(nameOf(first) + " has slices of " + std::to_string(static_cast<int64_t>(elements)) +
                 " elements of " + std::to_string(elementsOf(first.slice.whole)));
}

/// Checks the states of one class and name: they are one tensor, or slices that cover one tensor.
void checkTensor(const std::vector<const State *> &slices, Findings &findings) {
  const State &first = *slices.front();
  for (const State *state : slices) {
    if (state->slice.whole != first.slice.whole || state->split != first.split || state->type != first.type ||
        state->source != first.source)
      return findings.add(nameOf(*state) + " has slices of different tensors");
    if (state->slice.whole.empty() && state != &first)
      return findings.add(nameOf(*state) + " stands twice");
  }
  if (!first.slice.whole.empty())
    checkCover(slices, findings);
}

/// Each gradient has the elements of a parameter, and a place within its home, which is added to `homes`.
void checkGradients(const Plan &plan, const Program &program, std::vector<const State *> &homes,
                    Findings &findings) {
  std::map<std::pair<std::string, Slice>, const State *> parameters;
  for (const State &state : program.states)
    if (state.cls == StateClass::Parameter)
      parameters[{state.name, state.slice}] = &state;
  std::map<std::string, std::vector<const State *>> units;
  for (const State &gradient : program.gradients) {
    checkHome(plan, program, gradient, findings);
    units[gradient.unit].push_back(&gradient);
    auto parameter = parameters.find({gradient.name, gradient.slice});
    if (parameter == parameters.end() || parameter->second->shape != gradient.shape ||
        parameter->second->split != gradient.split)
      findings.add(nameOf(gradient) + " is that of no parameter");
  }
  for (auto &[unit, members] : units) {
    checkUnit(plan, members, findings);
    homes.push_back(members.front());
  }
}

} // namespace

std::string nameOf(const State &state) {
  return "state \"" + state.name + "\" (" + std::string(textOf(state.cls)) + ")";
}

void checkStates(const Plan &plan, const Program &program, Findings &findings) {
  std::vector<const State *> homes;
  checkGradients(plan, program, homes, findings);
  std::map<UnitKey, std::vector<const State *>> units;
  std::map<UnitKey, std::vector<const State *>> tensors;
  for (const State &state : program.states) {
    checkHome(plan, program, state, findings);
    checkSplit(plan, state, findings);
    checkSource(plan, state, findings);
    units[{state.cls, state.unit}].push_back(&state);
    tensors[{state.cls, state.name}].push_back(&state);
  }
  for (auto &[key, slices] : tensors)
    checkTensor(slices, findings);
  for (auto &[key, members] : units) {
    checkUnit(plan, members, findings);
    homes.push_back(members.front());
  }
  checkHomesDisjoint(plan, program, homes, findings);
}

} // namespace windlass::plan

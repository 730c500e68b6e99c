// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Decisions.h"
#include "Dump.h"
#include "PipelineWords.h"
#include "ProgramTitle.h"
#include "runtime/base/Counted.h"
#include "runtime/base/NearestName.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/PlacementClass.h"
#include "runtime/plan/text/ReasonText.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace windlass::dump {
namespace {

using namespace windlass::plan;

/// True if `name` is `whole`, or the part of it before a dot.
bool isOrHolds(std::string_view name, std::string_view whole) {
  return whole.starts_with(name) && (whole.size() == name.size() || whole[name.size()] == '.');
}

std::string withoutReason(const Plan &plan, const std::string &path, const nlohmann::ordered_json &value) {
  if (std::string words = pipelineWords(plan, path, value); !words.empty())
    return words;
  if (path.starts_with("placement.") && value == "auto")
    return "the plan has nothing of this class\n";
  return value.dump() + ", asked for or the default: no other value was tried\n";
}

/// A shape as "32x96".
std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// The reason why this plan has no decision of this name; empty if the name is of no decision.
std::string whyNotDecided(const Plan &plan, const std::string &name) {
  const std::optional<Decision> decision = fromText<Decision>(name);
  if (!decision)
    return "";
  std::string why = "nothing is to be decided in this plan";
  const bool isOfTensorRanks = *decision == Decision::SequenceParallel ||
                               *decision == Decision::ReshardActivations ||
                               *decision == Decision::CheckpointPartition;
  const bool hasTensorRanks = std::ranges::any_of(
      plan.mesh, [](const MeshAxis &axis) { return axis.kind == AxisKind::Tensor && axis.size > 1; });
  if (isOfTensorRanks && !hasTensorRanks)
    why += ": it has no tensor ranks";
  else if (*decision == Decision::ReshardActivations)
    why += ": no rank has rows of its own, which it would gather";
  else if (*decision == Decision::CheckpointPartition)
    why += ": each rank keeps rows of its own, or no layer is repeated";
  else if (*decision == Decision::PipelineSchedule)
    why += plan.programs.size() == 1 ? ": it has one stage" : ": the schedule was asked for";
  else if (*decision == Decision::Parallel || *decision == Decision::Training)
    why += ": the training file says it";
  return name + ": " + why + "\n";
}

/// "; these contain it: a, b and 7 more"; empty if no name contains it.
std::string containing(const std::string &part, const std::set<std::string> &names) {
  constexpr int64_t shown = 8;
  std::string text;
  int64_t count = 0;
  for (const std::string &name : names)
    if (name.find(part) != std::string::npos && ++count <= shown)
      text += (text.empty() ? "; these contain it: " : ", ") + name;
  return count > shown ? text + " and " + formatCount(count - shown) + " more" : text;
}

/// Finds the tensors, buffers and decisions of a name in a program of a plan, and writes their places and
/// reasons.
class Answer {
public:
  Answer(const Plan &plan, const Program &program)
      : plan(plan), program(program), decisions(decisionsOf(plan)), held(program.states) {
    held.insert(held.end(), program.gradients.begin(), program.gradients.end());
  }

  std::string to(const std::string &name);
  bool findsPlace() const { return !places.empty(); }
  std::string nearestTo(const std::string &name) const;

private:
  std::string homeText(const State &state) const;
  std::string decidedFor(const std::string &decision, const std::string &item) const;

  void addTensor(const std::string &name);
  void addBucket(const std::string &name);
  void addLayer(const std::string &name);
  void addBuffers(const std::string &name);
  void addHomeReasons(const State &state);
  void addGatherReasons(const State &state, const std::string &bucket);
  void addTierReasons(Tier home);
  void addReason(const std::string &path, const std::string &about = "");
  std::string decisionsCalled(const std::string &name, bool alsoWithin) const;

  const Plan &plan;
  const Program &program;
  const std::map<std::string, nlohmann::ordered_json> decisions; ///< by path: "zero_stage", "prefetch.cg"
  std::vector<State> held;                                       ///< states, then gradients
  std::string places, whys;                                      ///< the answer: places, then reasons
  std::set<std::string> said;                                    ///< lines of `whys`
};

/// "a piece of 256 KiB at host 5308416 on each rank, in buffer "h.2.decay.0.parameter""
std::string Answer::homeText(const State &state) const {
  const Buffer &buffer = program.buffers[state.home.buffer];
  return (state.sharded ? "a piece of " : "whole, ") + formatBytes(state.home.bytes) + " at " +
         std::string(textOf(buffer.tier)) + " " +
         std::to_string(arenaOffset(plan, program, state.home, program.firstRank)) + " on " +
         (buffer.owner == kEveryRank ? "each rank" : nameOfOwner(plan, buffer.owner) + " alone") +
         ", in buffer \"" + buffer.name + "\"\n";
}

void Answer::addTensor(const std::string &name) {
  for (const State &state : held) {
    if (state.name != name)
      continue;
    places +=
        name + " (" + std::string(textOf(state.cls)) + ", " + shapeText(state.shape) + " " +
        std::string(textOf(state.type)) +
        (state.split.whole.empty() ? "" : ", the part of a tensor rank of " + shapeText(state.split.whole)) +
        "): " + homeText(state);
    addHomeReasons(state);
    if (!state.slice.whole.empty())
      addReason("tile");
  }
}

/// Adds a line for each home of the bucket, with the tensors in it.
void Answer::addBucket(const std::string &name) {
  std::set<uint32_t> homes;
  std::string tensors;
  std::set<std::string> listed;
  for (const State &state : held) {
    const Buffer &buffer = program.buffers[state.home.buffer];
    if (state.bucket != name && buffer.name != name)
      continue;
    if (listed.insert(state.name).second)
      tensors += (tensors.empty() ? name + " holds " : ", ") + state.name;
    if (!homes.insert(state.home.buffer).second)
      continue;
    State all = state;
    all.home = {state.home.buffer, 0, buffer.bytes, {}};
    places += name + " (" + std::string(textOf(state.cls)) + "): " + homeText(all);
    addHomeReasons(state);
  }
  places += tensors.empty() ? "" : tensors + "\n";
}

/// Adds the buckets and checkpoints of a layer; of another part of the model, by the names of its parameters,
/// its tensors.
void Answer::addLayer(const std::string &name) {
  std::set<std::string> buckets, tensors;
  for (const State &state : held) {
    if (isOrHolds(name, state.bucket))
      buckets.insert(state.bucket);
    if (isOrHolds(name, state.name))
      tensors.insert(state.name);
  }
  for (const std::string &bucket : buckets)
    addBucket(bucket);
  for (const std::string &tensor : tensors)
    if (buckets.empty())
      addTensor(tensor);
  std::set<std::string> checkpoints;
  for (const Buffer &buffer : program.buffers)
    if (buffer.cls == BufferClass::Checkpoint && buffer.name.starts_with(name + "."))
      checkpoints.insert(buffer.name);
  for (const std::string &checkpoint : checkpoints)
    addBuffers(checkpoint);
}

/// Adds the buffers of a step with this name: activations, checkpoints, and copies in transfer.
void Answer::addBuffers(const std::string &name) {
  struct Alike {
    int64_t count = 0, least = INT64_MAX, most = 0;
  };
  std::map<std::pair<BufferClass, Tier>, Alike> found;
  for (const Buffer &buffer : program.buffers) {
    if (buffer.name != name || buffer.persistent)
      continue;
    Alike &alike = found[{buffer.cls, buffer.tier}];
    ++alike.count;
    alike.least = std::min(alike.least, buffer.bytes);
    alike.most = std::max(alike.most, buffer.bytes);
  }
  std::optional<Tier> checkpoint; // the tier where it rests; in transfer it is on the tiers above, too
  for (const auto &[kind, alike] : found) {
    const auto [cls, tier] = kind;
    places += name + ": " + counted(alike.count, std::string(textOf(cls)) + " buffer") + " on " +
              std::string(textOf(tier)) + ", " + formatBytes(alike.least) +
              (alike.most > alike.least ? " to " + formatBytes(alike.most)
               : alike.count > 1        ? " each"
                                        : "") +
              "\n";
    if (cls == BufferClass::Checkpoint)
      checkpoint = std::max(checkpoint.value_or(tier), tier);
    if (cls == BufferClass::Gathered)
      addReason("prefetch.gg");
    if (cls == BufferClass::Staging)
      addTierReasons(tier);
  }
  if (checkpoint) {
    addReason("placement.checkpoint", name + " on " + std::string(textOf(*checkpoint)));
    addTierReasons(*checkpoint);
  }
  if (checkpoint ||
      std::ranges::any_of(found, [](auto &kind) { return kind.first.first == BufferClass::Activation; }))
    addReason("recompute");
}

/// Adds the reasons of a state's home and class.
void Answer::addHomeReasons(const State &state) {
  const std::string bucket = state.bucket;
  const Tier home = tierOf(program, state.home);
  addReason("placement." + std::string(textOf(placedAs(state.cls))),
            bucket + " on " + std::string(textOf(home)));
  addReason("zero_stage", decidedFor("zero_stage", bucket) + " for " + bucket);
  if (state.cls == StateClass::Parameter)
    addGatherReasons(state, bucket);
  if (state.cls == StateClass::Gradient)
    addReason("cadence");
  addTierReasons(home);
}

/// Adds, for a parameter, the reason why every rank has all of it, or when it is gathered.
void Answer::addGatherReasons(const State &state, const std::string &bucket) {
  if (program.ranks == 1 || decidedFor("zero_stage", bucket) != "3")
    return;
  const bool isOwned = program.buffers[state.home.buffer].owner != kEveryRank;
  if (!state.sharded && !isOwned) {
    addReason("persistence", bucket + " whole on every rank");
    return;
  }
  const bool isDropped = decidedFor("reshard_after_forward", bucket) != "false";
  addReason("reshard_after_forward", bucket + (isDropped ? " gathered for each pass" : " stays gathered"));
  addReason("micro_batch_order");
  addReason("prefetch.gg");
}

void Answer::addTierReasons(Tier home) {
  if (home != Tier::Device)
    addReason("prefetch.cg");
  if (home == Tier::Nvme)
    addReason("prefetch.nc");
}

/// Adds the plan's reason of a decision about `about`; without a reason, the value of the decision.
void Answer::addReason(const std::string &path, const std::string &about) {
  const Reason *reason = findReason(plan.reasons, path, &program - plan.programs.data());
  const std::string title = (reason ? titleOf(*reason) : path) + (about.empty() ? "" : ", " + about) + ": ";
  if (!said.insert(title).second)
    return;
  if (reason)
    whys += title + reasonText(*reason) + "\n";
  else if (const auto decided = decisions.find(path); decided != decisions.end())
    whys += title + withoutReason(plan, path, decided->second);
}

/// The value of a decision for a bucket or checkpoint; empty if the record has none.
std::string Answer::decidedFor(const std::string &decision, const std::string &item) const {
  const auto found = decisions.find(decision);
  if (found == decisions.end())
    return "";
  const nlohmann::ordered_json &value = found->second;
  return value.is_object() ? value.value(item, value.value("*", nlohmann::ordered_json())).dump()
                           : value.dump();
}

/// The plan's reasons whose titles or paths are the name, begin with it or, with `alsoWithin`, contain it;
/// for decisions of this name without a reason, the value in the record; for decisions on stages, also their
/// effect.
std::string Answer::decisionsCalled(const std::string &name, bool alsoWithin) const {
  std::string text;
  std::set<std::string> explained;
  auto isMeant = [&](const std::string &title) {
    return isOrHolds(name, title) || (alsoWithin && title.find(name) != std::string::npos);
  };
  for (const Reason &reason : plan.reasons) {
    const std::string path = pathOf(reason), title = titleOf(reason), tried = path + ".tried";
    const bool isWhole = isMeant(title) || isMeant(titleOfAllStages(reason)) || isMeant(path);
    const std::string why = reasonText(reason), others = triedText(reason);
    if (isWhole && !why.empty())
      text += title + ": " + why + "\n";
    if ((isWhole || isMeant(tried)) && !others.empty())
      text += tried + ": " + others + "\n";
    explained.insert(path);
  }
  for (const auto &[path, value] : decisions)
    if (isMeant(path) && (!explained.contains(path) || !pipelineWords(plan, path, value).empty()))
      text += path + ": " + withoutReason(plan, path, value);
  return text;
}

std::string Answer::to(const std::string &name) {
  addTensor(name);
  if (places.empty())
    addBucket(name);
  if (places.empty())
    addLayer(name);
  addBuffers(name);
  constexpr size_t leastWord = 3; // shorter names stand in nearly every title
  return places + whys +
         decisionsCalled(name, /*alsoWithin=*/places.empty() && name.size() >= leastWord &&
                                   !fromText<Decision>(name));
}

/// ", did you mean "..."?", or the names of the plan that contain this one; empty if there are none.
std::string Answer::nearestTo(const std::string &name) const {
  std::set<std::string> names;
  for (const Reason &reason : plan.reasons)
    names.insert(titleOfAllStages(reason));
  for (const Buffer &buffer : program.buffers)
    names.insert(buffer.name);
  for (const State &state : held)
    names.insert({state.name, state.bucket});
  for (const auto &[path, value] : decisions)
    names.insert(path);
  const std::string near = didYouMean(name, std::vector<std::string_view>(names.begin(), names.end()));
  return near.empty() ? containing(name, names) : near;
}

} // namespace

Result<std::string> explain(const plan::Plan &plan, const std::string &name) {
  std::string text, nearest;
  for (size_t number = 0; number < plan.programs.size(); ++number) {
    Answer answer(plan, plan.programs[number]);
    std::string said = answer.to(name);
    if (answer.findsPlace())
      text += programTitle(plan, number) + said;
    else if (text.empty())
      text = std::move(said); // decisions are the plan's
    nearest = nearest.empty() ? answer.nearestTo(name) : nearest;
  }
  if (text.empty())
    text = whyNotDecided(plan, name);
  if (!text.empty())
    return text;
  return Status::badInput("the plan says nothing of \"" + name + "\"" + nearest);
}

} // namespace windlass::dump

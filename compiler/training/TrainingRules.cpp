// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/training/TrainingRules.h"

#include "compiler/training/Patterns.h"
#include "runtime/base/Counted.h"
#include "runtime/base/ParseNumber.h"
#include "runtime/base/UnitPatterns.h"
#include "runtime/plan/Words.h"
#include <algorithm>
#include <bit>
#include <iterator>

namespace windlass {
namespace training {
namespace {

bool isAuto(JsonReader place, std::string_view none = "auto") {
  return place.isText() && place.text() == none;
}

/// A whole number of a key that may also be "auto"; the error for other words mentions this.
int64_t wholeOfOpen(JsonReader place, int64_t low, int64_t high) {
  if (!place.isText())
    return place.integer(low, high);
  place.failRule("must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) +
                 ", or \"auto\"");
  return low;
}

constexpr std::string_view kPrecision[] = {"fp32", "bf16", "fp16"};
constexpr std::string_view kOptimizer[] = {"adamw"};
constexpr std::string_view kSchedule[] = {"constant", "linear", "cosine"};
constexpr std::string_view kRecompute[] = {"auto", "none", "selective", "full", "per-activation"};
/// The keys of the lists of kept activations, and of the number of layers that they are for.
constexpr const char *kKeep = "keep", *kFirstLayers = "layers"; ///< of "recompute" as an object
constexpr std::string_view kGather[] = {"auto", "allgather", "broadcast"};
constexpr std::string_view kReduction[] = {"scatter", "all"};
constexpr std::string_view kMicroBatchOrder[] = {"auto", "horizontal", "vertical"};
constexpr std::string_view kPipelineSchedule[] = {"auto", "gpipe", "1f1b", "interleaved", "zb-h1"};
constexpr std::string_view kMultiplication[] = {"library", "reference"};
constexpr std::string_view kCadence[] = {"micro_batch", "step"};
constexpr std::string_view kOptimizerShard[] = {"group", "all"};
constexpr std::string_view kDropout[] = {"keep", "off"};

} // namespace

template <> std::span<const std::string_view> words<Precision>() { return kPrecision; }
template <> std::span<const std::string_view> words<OptimizerKind>() { return kOptimizer; }
template <> std::span<const std::string_view> words<ScheduleKind>() { return kSchedule; }
template <> std::span<const std::string_view> words<Gather>() { return kGather; }
template <> std::span<const std::string_view> words<Reduction>() { return kReduction; }
template <> std::span<const std::string_view> words<MicroBatchOrder>() { return kMicroBatchOrder; }
template <> std::span<const std::string_view> words<PipelineSchedule>() { return kPipelineSchedule; }
template <> std::span<const std::string_view> words<Multiplication>() { return kMultiplication; }
template <> std::span<const std::string_view> words<plan::Collectives>() { return plan::collectivesWords(); }
template <> std::span<const std::string_view> words<Cadence>() { return kCadence; }
template <> std::span<const std::string_view> words<OptimizerShard>() { return kOptimizerShard; }
template <> std::span<const std::string_view> words<Dropout>() { return kDropout; }

std::string anyOf(std::span<const std::string_view> choices) {
  std::string text;
  for (std::string_view choice : choices)
    text += (text.empty() ? "\"" : ", \"") + std::string(choice) + "\"";
  return text;
}

nlohmann::json schemaOf(std::span<const std::string_view> choices) {
  nlohmann::json all = nlohmann::json::array();
  for (std::string_view choice : choices)
    all.push_back(choice);
  return {{"enum", all}};
}

std::string Whole::rule() const {
  const auto bits = static_cast<uint64_t>(high);
  const std::string end = high == INT64_MAX ? "2^63-1"
                          : high >= kMostCount && std::has_single_bit(bits)
                              ? "2^" + std::to_string(std::countr_zero(bits))
                              : std::to_string(high);
  return std::to_string(low) + " to " + end;
}

void Derived::read(JsonReader place, int64_t &field) const {
  field = isAuto(place) ? 0 : wholeOfOpen(place, low, high);
}

nlohmann::json Derived::write(int64_t field) const {
  return field == 0 ? nlohmann::json("auto") : nlohmann::json(field);
}

void CountsOrAuto::read(JsonReader place, std::vector<int64_t> &field) const {
  field.clear();
  if (isAuto(place))
    return;
  if (!place.isList())
    return place.failRule("must be a list, or \"auto\"");
  if (place.size() == 0)
    return place.failRule("must have a number in its list, or be \"auto\"");
  for (size_t i = 0; i < place.size(); ++i)
    field.push_back(place.at(i).integer(low, high));
}

void EachStage::read(JsonReader place, ByStage &field) const {
  field = {};
  if (place.isList())
    CountsOrAuto{low, high}.read(place, field.numbers);
  else if (!isAuto(place))
    field.numbers = {wholeOfOpen(place, low, high)};
}

nlohmann::json EachStage::write(const ByStage &field) const {
  return field.numbers.size() == 1 ? nlohmann::json(field.numbers.front())
                                   : CountsOrAuto{low, high}.write(field.numbers);
}

nlohmann::json EachStage::schema() const {
  return {{"anyOf", {Whole{low, high}.schema(), CountsOrAuto{low, high}.schema()}}};
}

void WholeOrAuto::read(JsonReader place, std::optional<int64_t> &field) const {
  field = isAuto(place) ? std::nullopt : std::optional(wholeOfOpen(place, low, high));
}

nlohmann::json WholeOrAuto::write(std::optional<int64_t> field) const {
  return field ? nlohmann::json(*field) : nlohmann::json("auto");
}

void FlagOrAuto::read(JsonReader place, std::optional<bool> &field) const {
  field = isAuto(place) ? std::nullopt : std::optional(place.boolean());
}

nlohmann::json FlagOrAuto::write(std::optional<bool> field) const {
  return field ? nlohmann::json(*field) : nlohmann::json("auto");
}

/// "auto", then the tiers.
static std::span<const std::string_view> homeWords() {
  static const std::vector<std::string_view> words = [] {
    std::vector<std::string_view> all = {"auto"};
    std::ranges::copy(plan::wordsOf<plan::Tier>(), std::back_inserter(all));
    return all;
  }();
  return words;
}

void TierOrAuto::read(JsonReader place, std::optional<plan::Tier> &field) const {
  field = plan::fromText<plan::Tier>(homeWords()[place.choice(homeWords())]);
}

nlohmann::json TierOrAuto::write(std::optional<plan::Tier> field) const {
  return std::string(field ? plan::textOf(*field) : homeWords().front());
}

std::string TierOrAuto::rule() const { return anyOf(homeWords()); }
nlohmann::json TierOrAuto::schema() const { return schemaOf(homeWords()); }

void Bytes::read(JsonReader place, std::optional<int64_t> &field) const {
  field = isAuto(place, none) ? std::nullopt : std::optional(place.bytes(1, kMostBytes));
}

nlohmann::json Bytes::write(std::optional<int64_t> field) const {
  return field ? nlohmann::json(*field) : nlohmann::json(none);
}

nlohmann::json Bytes::schema() const {
  return orWord(
      {{"anyOf", {{{"type", "integer"}, {"minimum", 1}}, {{"type", "string"}, {"pattern", kBytesPattern}}}}},
      none);
}

std::string Real::rule() const {
  std::string end = high == kBelowOne ? "below 1" : nlohmann::json(high).dump();
  return nlohmann::json(low).dump() + " to " + end;
}

void RealOrWord::read(JsonReader place, std::optional<double> &field) const {
  field = isAuto(place, none) ? std::nullopt : std::optional(place.number(low, high));
}

nlohmann::json RealOrWord::write(std::optional<double> field) const {
  return field ? nlohmann::json(*field) : nlohmann::json(none);
}

void Pair::read(JsonReader place, std::array<double, 2> &field) const {
  if (place.size() != 2)
    return place.fail("must be a list of two numbers");
  for (size_t i = 0; i < 2; ++i)
    field[i] = place.at(i).number(low, high);
}

void RecomputeRule::read(JsonReader place, Recompute &field) const {
  if (place.isObject()) {
    field = Recompute(Recompute::PerActivation);
    JsonReader keep = place.at(kKeep);
    for (const std::string &function : keep.keys())
      Names{}.read(keep.at(function), field.kept[function]);
    if (keep.isOk() && field.kept.empty())
      keep.fail("must name a layer function");
    if (std::optional<JsonReader> layers = place.find(kFirstLayers))
      field.layers = layers->integer(1, kMostEvery);
    return place.finish();
  }
  std::optional<Recompute> known = recomputeOf(place.text());
  if (!known)
    return place.failRule("must be " + rule());
  field = *known;
}

nlohmann::json RecomputeRule::write(const Recompute &field) const {
  if (field.kept.empty())
    return word(field);
  nlohmann::json object = {{kKeep, field.kept}};
  if (field.layers > 0)
    object[kFirstLayers] = field.layers;
  return object;
}

std::string RecomputeRule::rule() const {
  std::string text;
  for (std::string_view choice : kRecompute)
    text += "\"" + std::string(choice) + "\", ";
  return text + "\"every:N\" or \"layers:N\" (1 to " + std::to_string(kMostEvery) +
         "), or {\"keep\": by layer function a list of what is kept, \"layers\": of the first N}";
}

nlohmann::json RecomputeRule::schema() const {
  nlohmann::json choices = nlohmann::json::array();
  for (std::string_view choice : kRecompute)
    choices.push_back(choice);
  return {
      {"anyOf",
       {{{"enum", choices}},
        {{"type", "string"}, {"pattern", "^(every|layers):[0-9]+$"}},
        {{"type", "object"},
         {"required", {kKeep}},
         {"properties",
          {{kKeep, {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", Names{}.schema()}}},
           {kFirstLayers, Whole{1, kMostEvery}.schema()}}},
         {"additionalProperties", false}}}}};
}

void DecayRule::read(JsonReader place, WeightDecay &field) const {
  field = {};
  if (!place.isObject())
    return one.read(place, field.matrices);
  for (const std::string &pattern : place.keys()) {
    if (place.isOk() && pattern != WeightDecay::kOthers)
      if (const Status known = Patterns::compile({pattern}).status(); !known)
        place.fail(known.message());
    one.read(place.at(pattern), field.byName[pattern]);
  }
  if (place.isOk() && field.byName.empty())
    place.fail("must name a parameter, or \"*\" for all");
}

nlohmann::json DecayRule::schema() const {
  return {
      {"anyOf",
       {one.schema(), {{"type", "object"}, {"minProperties", 1}, {"additionalProperties", one.schema()}}}}};
}

void Names::read(JsonReader place, std::vector<std::string> &field) const {
  field.clear();
  for (size_t i = 0; i < place.size(); ++i)
    field.push_back(place.at(i).text());
}

} // namespace training

void to_json(nlohmann::json &json, const WeightDecay &decay) {
  json = decay.byName.empty() ? nlohmann::json(decay.matrices) : nlohmann::json(decay.byName);
}

std::string_view word(Precision value) { return training::words<Precision>()[size_t(value)]; }
std::string_view word(OptimizerKind value) { return training::words<OptimizerKind>()[size_t(value)]; }
std::string_view word(ScheduleKind value) { return training::words<ScheduleKind>()[size_t(value)]; }
std::string word(const Recompute &value) {
  std::string lists;
  for (const auto &[function, names] : value.kept) {
    lists += (lists.empty() ? "" : "; ") + function + ":";
    for (const std::string &name : names)
      lists += (&name == names.data() ? " " : ", ") + name;
  }
  if (!lists.empty() && value.layers > 0)
    lists += (value.layers == 1 ? " (of the first layer)"
                                : " (of the first " + counted(value.layers, "layer") + ")");
  if (!lists.empty())
    return lists;
  if (value.layers > 0)
    return "layers:" + std::to_string(value.layers);
  return value.every > 1 ? "every:" + std::to_string(value.every)
                         : std::string(training::kRecompute[value.kind]);
}

std::optional<Recompute> recomputeOf(std::string_view word) {
  for (uint8_t kind = 0; kind < std::size(training::kRecompute); ++kind)
    if (training::kRecompute[kind] == word)
      return Recompute(static_cast<Recompute::Kind>(kind));
  auto countBehind = [&](std::string_view name) -> std::optional<int64_t> {
    int64_t count = 0;
    if (!word.starts_with(name) || !parseNumber(word.substr(name.size()), count) || count < 1 ||
        count > training::kMostEvery)
      return std::nullopt;
    return count;
  };
  if (std::optional<int64_t> every = countBehind("every:"))
    return Recompute(Recompute::Full, *every);
  if (std::optional<int64_t> layers = countBehind("layers:"))
    return Recompute(Recompute::Full, 1, *layers);
  return std::nullopt;
}
std::string_view word(Gather value) { return training::words<Gather>()[size_t(value)]; }
std::string_view word(Reduction value) { return training::words<Reduction>()[size_t(value)]; }
std::string_view word(MicroBatchOrder value) { return training::words<MicroBatchOrder>()[size_t(value)]; }
std::string_view word(PipelineSchedule value) { return training::words<PipelineSchedule>()[size_t(value)]; }
std::string_view word(Multiplication value) { return training::words<Multiplication>()[size_t(value)]; }
std::string_view word(plan::Collectives value) { return plan::textOf(value); }
std::string_view word(Cadence value) { return training::words<Cadence>()[size_t(value)]; }
std::string_view word(OptimizerShard value) { return training::words<OptimizerShard>()[size_t(value)]; }
std::string_view word(Dropout value) { return training::words<Dropout>()[size_t(value)]; }

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TrainingRules.h - rules of values of the training file ================//
//
// Duty: for every kind of key, reads a value into its field, writes the field, and describes the rule.
// TrainingKeys.def pairs each key with a rule. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/training/TrainingFile.h"
#include "runtime/base/JsonReader.h"
#include "runtime/base/TrainingLimits.h"
#include <cmath>

namespace windlass::training {

/// The largest count that a key may be, of steps, examples, ranks or transfers.
inline constexpr int64_t kMostCount = INT64_C(1) << 31;
/// The largest number of bytes that a key may be.
inline constexpr int64_t kMostBytes = INT64_C(1) << 50;
/// The largest number below 1.
inline const double kBelowOne = std::nextafter(1.0, 0.0);

/// All words of an enumeration, in order.
template <typename Enum> std::span<const std::string_view> words();

/// "\"a\", \"b\"", and the same as a schema.
std::string anyOf(std::span<const std::string_view> choices);
nlohmann::json schemaOf(std::span<const std::string_view> choices);

struct Flag {
  void read(JsonReader place, bool &field) const { field = place.boolean(); }
  nlohmann::json write(bool field) const { return field; }
  std::string rule() const { return "true, false"; }
  nlohmann::json schema() const { return {{"type", "boolean"}}; }
};

struct Whole {
  int64_t low, high;
  void read(JsonReader place, int64_t &field) const { field = place.integer(low, high); }
  nlohmann::json write(int64_t field) const { return field; }
  std::string rule() const;
  nlohmann::json schema() const { return {{"type", "integer"}, {"minimum", low}, {"maximum", high}}; }
};

/// The schema of values that match `one` or are the word `other`.
inline nlohmann::json orWord(nlohmann::json one, const std::string &other) {
  return {{"anyOf", {std::move(one), {{"const", other}}}}};
}

/// A whole number that follows from other keys or the model if the file does not give it; 0 until then.
struct Derived {
  int64_t low, high;
  void read(JsonReader place, int64_t &field) const;
  nlohmann::json write(int64_t field) const;
  std::string rule() const { return Whole{low, high}.rule() + ", \"auto\""; }
  nlohmann::json schema() const { return orWord(Whole{low, high}.schema(), "auto"); }
};

struct WholeOrAuto {
  int64_t low, high;
  void read(JsonReader place, std::optional<int64_t> &field) const;
  nlohmann::json write(std::optional<int64_t> field) const;
  std::string rule() const { return Whole{low, high}.rule() + ", \"auto\""; }
  nlohmann::json schema() const { return orWord(Whole{low, high}.schema(), "auto"); }
};

/// A list of whole numbers; empty: auto.
struct CountsOrAuto {
  int64_t low, high;
  void read(JsonReader place, std::vector<int64_t> &field) const;
  nlohmann::json write(const std::vector<int64_t> &field) const {
    return field.empty() ? nlohmann::json("auto") : nlohmann::json(field);
  }
  std::string rule() const { return "a list of " + Whole{low, high}.rule() + ", \"auto\""; }
  nlohmann::json schema() const {
    return orWord({{"type", "array"}, {"items", Whole{low, high}.schema()}, {"minItems", 1}}, "auto");
  }
};

/// A whole number, or a list of one by stage of a pipeline.
struct EachStage {
  int64_t low, high;
  void read(JsonReader place, ByStage &field) const;
  nlohmann::json write(const ByStage &field) const;
  std::string rule() const { return Whole{low, high}.rule() + ", or a list of one by stage, \"auto\""; }
  nlohmann::json schema() const;
};

struct FlagOrAuto {
  void read(JsonReader place, std::optional<bool> &field) const;
  nlohmann::json write(std::optional<bool> field) const;
  std::string rule() const { return Flag{}.rule() + ", \"auto\""; }
  nlohmann::json schema() const { return orWord(Flag{}.schema(), "auto"); }
};

/// The plan's word for a tier, or "auto".
struct TierOrAuto {
  void read(JsonReader place, std::optional<plan::Tier> &field) const;
  nlohmann::json write(std::optional<plan::Tier> field) const;
  std::string rule() const;
  nlohmann::json schema() const;
};

/// A size with a unit, or the word for none.
struct Bytes {
  const char *none;
  void read(JsonReader place, std::optional<int64_t> &field) const;
  nlohmann::json write(std::optional<int64_t> field) const;
  std::string rule() const { return "size (\"1MiB\"), \"" + std::string(none) + "\""; }
  nlohmann::json schema() const;
};

struct Real {
  double low, high;
  void read(JsonReader place, double &field) const { field = place.number(low, high); }
  nlohmann::json write(double field) const { return field; }
  std::string rule() const;
  nlohmann::json schema() const { return {{"type", "number"}, {"minimum", low}, {"maximum", high}}; }
};

/// A number, or the word that stands for none.
struct RealOrWord {
  double low, high;
  const char *none;
  void read(JsonReader place, std::optional<double> &field) const;
  nlohmann::json write(std::optional<double> field) const;
  std::string rule() const { return Real{low, high}.rule() + ", \"" + std::string(none) + "\""; }
  nlohmann::json schema() const { return orWord(Real{low, high}.schema(), none); }
};

struct Pair {
  double low, high;
  void read(JsonReader place, std::array<double, 2> &field) const;
  nlohmann::json write(const std::array<double, 2> &field) const { return field; }
  std::string rule() const { return "two numbers, each " + Real{low, high}.rule(); }
  nlohmann::json schema() const {
    return {{"type", "array"}, {"items", Real{low, high}.schema()}, {"minItems", 2}, {"maxItems", 2}};
  }
};

template <typename Enum> struct Word {
  void read(JsonReader place, Enum &field) const { field = static_cast<Enum>(place.choice(words<Enum>())); }
  nlohmann::json write(Enum field) const { return std::string(word(field)); }
  std::string rule() const { return anyOf(words<Enum>()); }
  nlohmann::json schema() const { return schemaOf(words<Enum>()); }
};

inline constexpr int64_t kMostEvery = 1 << 14;

struct RecomputeRule {
  void read(JsonReader place, Recompute &field) const;
  nlohmann::json write(const Recompute &field) const;
  std::string rule() const;
  nlohmann::json schema() const;
};

/// A list of texts.
struct Names {
  void read(JsonReader place, std::vector<std::string> &field) const;
  nlohmann::json write(const std::vector<std::string> &field) const { return nlohmann::json(field); }
  std::string rule() const { return "a list of regular expressions"; }
  nlohmann::json schema() const { return {{"type", "array"}, {"items", {{"type", "string"}}}}; }
};

/// A number for matrices, or an object of numbers by regular expression.
struct DecayRule {
  Real one;
  void read(JsonReader place, WeightDecay &field) const;
  nlohmann::json write(const WeightDecay &field) const { return field; }
  std::string rule() const { return one.rule() + ", or one by regular expression (`\"*\"`: others)"; }
  nlohmann::json schema() const;
};

/// One value for all buckets, or an object of them by bucket ("*": all others).
template <typename One> struct EachBucket {
  One one;
  template <typename Value> void read(JsonReader place, ByBucket<Value> &field) const {
    field = {};
    if (!place.isObject())
      return one.read(place, field.others);
    for (const std::string &bucket : place.keys())
      one.read(place.at(bucket), bucket == "*" ? field.others : field.of[bucket]);
  }
  template <typename Value> nlohmann::json write(const ByBucket<Value> &field) const {
    nlohmann::json others = one.write(field.others);
    if (field.of.empty())
      return others;
    nlohmann::json all = {{"*", others}};
    for (const auto &[bucket, value] : field.of)
      all[bucket] = one.write(value);
    return all;
  }
  std::string rule() const { return one.rule() + ", or one by bucket (`\"*\"`: others)"; }
  nlohmann::json schema() const {
    return {{"anyOf", {one.schema(), {{"type", "object"}, {"additionalProperties", one.schema()}}}}};
  }
};
using HomesRule = EachBucket<TierOrAuto>;

} // namespace windlass::training

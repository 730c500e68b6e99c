// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/JsonReader.h"

#include "runtime/base/JsonGuard.h"
#include "runtime/base/NearestName.h"
#include "runtime/base/Units.h"
#include <algorithm>
#include <cmath>

namespace windlass {
namespace {

const nlohmann::json kNothing;
constexpr size_t kLongestKey = 60; // in a message

/// The value as it stands in the file, cut if it is long.
std::string shown(const nlohmann::json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

std::string range(const std::string &low, const std::string &high) { return "from " + low + " to " + high; }

/// "0.5" rather than "0.500000".
std::string plain(double number) { return nlohmann::json(number).dump(); }

} // namespace

JsonReader::JsonReader(const nlohmann::json &value, std::string file, Status &failure) : value(&value) {
  auto made = std::make_shared<Top>();
  made->file = std::move(file);
  made->failure = &failure;
  top = made.get();
  here = std::move(made);
}

JsonReader::JsonReader(const nlohmann::json &value, JsonReader &parent, std::string_view key, size_t index)
    : value(&value), top(parent.top) {
  if (!parent.here)
    parent.here = std::make_shared<const Step>(parent.last);
  last = {parent.here, key, index};
}

Result<nlohmann::json> JsonReader::parse(std::string_view text, const std::string &file, int deepest) {
  if (const size_t zero = text.find('\0'); zero != std::string_view::npos) // the parser takes it for the end
    return Status::badInput(file + ": not valid JSON: byte " + std::to_string(zero + 1) + " is zero");
  try {
    return nlohmann::json::parse(text, JsonGuard(deepest));
  } catch (const nlohmann::json::exception &error) {
    std::string reason = error.what();
    if (size_t bracket = reason.find("] "); bracket != std::string::npos)
      reason = reason.substr(bracket + 2);
    return Status::badInput(file + ": not valid JSON: " + reason.substr(0, 200));
  } catch (const std::runtime_error &error) {
    return Status::badInput(file + ": " + error.what());
  }
}

std::string JsonReader::describe(const Step &step) {
  if (!step.above)
    return "";
  const std::string above = describe(*step.above);
  if (!step.key.data())
    return above + "[" + std::to_string(step.index) + "]";
  return above + (above.empty() ? "" : ".") + std::string(step.key.substr(0, kLongestKey));
}

std::string JsonReader::place() const { return describe(last); }

void JsonReader::failAt(const std::string &where, const std::string &message) {
  *top->failure = Status::badInput(top->file + ": " + (where.empty() ? "" : where + ": ") + message);
}

void JsonReader::fail(const std::string &message) {
  if (isOk())
    failAt(place(), message);
}

void JsonReader::failRule(const std::string &rule) {
  if (isOk())
    fail(rule + ", is " + shown(*value));
}

/// The key that looks most like the missing `key`, as the end of a message. Not far from it, for keys that
/// are still to be asked for are among the others.
std::string JsonReader::misspelling(std::string_view key) const {
  const std::vector<std::string> others = unknown();
  const std::vector<std::string_view> candidates(others.begin(), others.end());
  const std::string_view nearest = nearestName(key, candidates, (key.size() + 1) / 3);
  return nearest.empty() ? "" : "; is \"" + std::string(nearest) + "\" a misspelling of it?";
}

/// Notes that `step` is missing here; what is read instead is nothing.
JsonReader JsonReader::missing(const std::string &step) {
  if (isOk()) {
    const std::string above = place();
    failAt(above + (above.empty() || step.starts_with('[') ? "" : ".") + step,
           "is missing" + misspelling(step));
  }
  JsonReader nothing(kNothing, *this, {}, 0);
  nothing.last = last;
  return nothing;
}

/// Remembers a key for finish(); false if it changes nothing there.
bool JsonReader::know(std::string_view key) {
  if (knownHere == value->size() || std::find(known.begin(), known.end(), key) != known.end())
    return false;
  if (known.empty())
    known.reserve(std::min<size_t>(value->size() + 4, 16)); // a record of a plan has as many
  known.emplace_back(key);
  return true;
}

/// The member of that name, or the end; the name is known from now on. Fails where no object stands.
nlohmann::json::const_iterator JsonReader::lookUp(std::string_view key) {
  if (!value->is_object())
    failRule("must be an object");
  const bool isNew = know(key);
  const auto found = value->is_object() ? value->find(key) : value->end();
  knownHere += isNew && found != value->end();
  return found;
}

bool JsonReader::has(std::string_view key) { return lookUp(key) != value->end(); }

std::optional<JsonReader> JsonReader::find(std::string_view key) {
  const auto found = lookUp(key);
  if (found == value->end())
    return std::nullopt;
  return JsonReader(*found, *this, found.key(), 0);
}

JsonReader JsonReader::at(std::string_view key) {
  if (const auto found = lookUp(key); found != value->end())
    return JsonReader(*found, *this, found.key(), 0);
  return missing(std::string(key.substr(0, kLongestKey)));
}

std::vector<std::string> JsonReader::keys() {
  if (!value->is_object())
    failRule("must be an object");
  std::vector<std::string> all;
  if (value->is_object())
    for (const auto &item : value->items())
      all.push_back(item.key());
  known.insert(known.end(), all.begin(), all.end());
  knownHere = all.size();
  return all;
}

std::vector<std::string> JsonReader::unknown() const {
  std::vector<std::string> keys;
  if (value->is_object() && knownHere < value->size())
    for (const auto &item : value->items())
      if (std::find(known.begin(), known.end(), item.key()) == known.end())
        keys.push_back(item.key());
  return keys;
}

void JsonReader::finish() {
  if (!value->is_object())
    return failRule("must be an object");
  for (const std::string &key : unknown()) {
    std::vector<std::string_view> candidates(known.begin(), known.end());
    std::string nearest(nearestName(key, candidates));
    at(key).fail("unknown key" + (nearest.empty() ? "" : ", did you mean \"" + nearest + "\"?"));
  }
}

size_t JsonReader::size() {
  if (value->is_array())
    return value->size();
  failRule("must be a list");
  return 0;
}

JsonReader JsonReader::at(size_t index) {
  if (value->is_array() && index < value->size())
    return JsonReader((*value)[index], *this, {}, index);
  if (!value->is_array())
    failRule("must be a list");
  return missing("[" + std::to_string(index) + "]");
}

std::string JsonReader::text() {
  if (value->is_string())
    return value->get<std::string>();
  failRule("must be a string");
  return "";
}

bool JsonReader::boolean() {
  if (value->is_boolean())
    return value->get<bool>();
  failRule("must be true or false");
  return false;
}

int64_t JsonReader::integer(int64_t low, int64_t high) {
  bool fits = value->is_number_integer() &&
              (!value->is_number_unsigned() || value->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  if (fits && value->get<int64_t>() >= low && value->get<int64_t>() <= high)
    return value->get<int64_t>();
  failRule("must be a whole number " + range(std::to_string(low), std::to_string(high)));
  return 0;
}

uint64_t JsonReader::unsignedInteger() {
  if (value->is_number_unsigned())
    return value->get<uint64_t>();
  failRule("must be a whole number from 0 to " + std::to_string(UINT64_MAX));
  return 0;
}

double JsonReader::number(double low, double high) {
  if (value->is_number() && value->get<double>() >= low && value->get<double>() <= high)
    return value->get<double>();
  failRule("must be a number " + range(plain(low), plain(high)));
  return 0;
}

int64_t JsonReader::bytes(int64_t low, int64_t high) {
  if (!value->is_string())
    return integer(low, high);
  Result<int64_t> parsed = parseBytes(value->get<std::string>());
  if (parsed && *parsed >= low && *parsed <= high)
    return *parsed;
  failRule("must be a size such as \"12MiB\" " + range(std::to_string(low), std::to_string(high)) + " bytes");
  return 0;
}

size_t JsonReader::choice(std::span<const std::string_view> words) {
  if (value->is_string()) {
    const auto found = std::find(words.begin(), words.end(), value->get_ref<const std::string &>());
    if (found != words.end())
      return static_cast<size_t>(found - words.begin());
  }
  failRule("must be " + quotedChoices(words));
  return 0;
}

std::string quotedChoices(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    std::string_view before = i == 0 ? "" : i + 1 == words.size() ? " or " : ", ";
    text.append(before).append("\"").append(words[i]).append("\"");
  }
  return text;
}

} // namespace windlass

#include "runtime/plan/JsonValue.h"
#include "runtime/base/JsonGuard.h"
#include "runtime/base/NearestName.h"

#include <algorithm>

namespace windlass::plan {
namespace {

constexpr int kDeepest = 16;

/// What is found, short enough for a message.
std::string shown(const nlohmann::json &json) {
  if (json.is_structured())
    return json.is_array() ? "a list" : "a record";
  std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() > 40 ? text.substr(0, 37) + "..." : text;
}

} // namespace

Result<nlohmann::json> parseJson(const std::string &text, const std::string &file) {
  try {
    return nlohmann::json::parse(text.begin(), text.end(), JsonGuard(kDeepest));
  } catch (const nlohmann::json::exception &error) {
    std::string what = error.what(); // "[json.exception.parse_error.101] parse error at line ..."
    return Status::badInput(file + ": " + what.substr(what.find("] ") + 2));
  } catch (const std::runtime_error &error) {
    return Status::badInput(file + ": " + error.what());
  }
}

void JsonValue::refuse(const std::string &rule) const {
  if (!failure->isOk())
    return;
  std::string where = place();
  *failure = Status::badInput(*file + ": " + (where.empty() ? "" : where + ": ") + rule);
}

std::string JsonValue::place() const {
  if (!parent)
    return {};
  std::string above = parent->place();
  if (key.empty())
    return above + "[" + std::to_string(index) + "]";
  return above.empty() ? std::string(key) : above + "." + std::string(key);
}

void JsonValue::refuseType(const char *wanted) const {
  refuse(std::string("must be ") + wanted + ", found " + shown(*json));
}

bool JsonValue::boolean() const {
  if (json->is_boolean())
    return json->get<bool>();
  refuseType("true or false");
  return false;
}

int64_t JsonValue::integer(int64_t least, int64_t most) const {
  if (!json->is_number_integer()) {
    refuseType("a whole number");
    return 0;
  }
  bool tooLarge = json->is_number_unsigned() && json->get<uint64_t>() > static_cast<uint64_t>(most);
  int64_t number = tooLarge ? 0 : json->get<int64_t>();
  if (tooLarge || number < least || number > most) {
    refuse("must be from " + std::to_string(least) + " to " + std::to_string(most) + ", found " +
           shown(*json));
    return 0;
  }
  return number;
}

uint64_t JsonValue::unsignedInteger() const {
  if (json->is_number_unsigned())
    return json->get<uint64_t>();
  refuseType("a whole number from 0");
  return 0;
}

double JsonValue::number() const {
  if (json->is_number())
    return json->get<double>(); // the parser refuses numbers a double cannot hold
  refuseType("a number");
  return 0;
}

std::string JsonValue::string() const {
  if (json->is_string())
    return json->get<std::string>();
  refuseType("a string");
  return {};
}

size_t JsonValue::word(std::span<const std::string_view> words) const {
  if (!json->is_string()) {
    refuseType("a word");
    return 0;
  }
  const std::string &text = json->get_ref<const std::string &>();
  auto at = std::find(words.begin(), words.end(), text);
  if (at != words.end())
    return static_cast<size_t>(at - words.begin());
  std::string known;
  for (std::string_view word : words)
    known += (known.empty() ? "\"" : ", \"") + std::string(word) + "\"";
  refuse(shown(*json) + " is not one of " + known);
  return 0;
}

size_t JsonValue::size() const {
  if (json->is_array())
    return json->size();
  refuseType("a list");
  return 0;
}

JsonValue JsonValue::element(size_t at) const {
  JsonValue child((*json)[at], *file, *failure);
  child.parent = this;
  child.index = at;
  return child;
}

bool JsonValue::isRecord() const {
  if (json->is_object())
    return true;
  refuseType("a record");
  return false;
}

JsonValue JsonValue::field(std::string_view name) const {
  JsonValue child(*json->find(name), *file, *failure);
  child.parent = this;
  child.key = name;
  return child;
}

void JsonValue::refuseUnknownKeys(std::span<const std::string_view> known) const {
  for (const auto &[name, value] : json->items()) {
    if (std::find(known.begin(), known.end(), name) != known.end())
      continue;
    std::string_view nearest = nearestName(name, known);
    refuse("unknown key " + shown(name) +
           (nearest.empty() ? std::string() : ", did you mean \"" + std::string(nearest) + "\"?"));
  }
}

} // namespace windlass::plan

#include "compiler/model/KeyReader.h"

#include "runtime/base/Units.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace windlass::model {
namespace {

/// The value as it stands in the file, cut if it is long.
std::string shown(const nlohmann::json &value) {
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

const nlohmann::json &emptyObject() {
  static const nlohmann::json empty = nlohmann::json::object();
  return empty;
}

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

} // namespace

std::optional<std::string> nearestName(std::string_view word, const std::vector<std::string> &candidates) {
  if (word.size() > 64)
    return std::nullopt;
  std::optional<std::string> nearest;
  size_t least = std::max<size_t>(3, word.size() / 2 + 1);
  for (const std::string &candidate : candidates) {
    size_t distance = editDistance(word, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

KeyReader::KeyReader(const nlohmann::json &value, std::string file, std::string path, Status &failure)
    : value(value.is_object() ? value : emptyObject()), file(std::move(file)), path(std::move(path)),
      failure(failure) {
  if (!value.is_object() && failure.isOk())
    failure = Status::badInput(this->file + ": " + (this->path.empty() ? "the file" : this->path) +
                               ": must be an object, is " + shown(value));
}

Result<nlohmann::json> KeyReader::parse(std::string_view text, const std::string &file) {
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception &error) {
    std::string reason = error.what();
    if (size_t bracket = reason.find("] "); bracket != std::string::npos)
      reason = reason.substr(bracket + 2);
    return Status::badInput(file + ": not valid JSON: " + reason);
  }
}

std::string KeyReader::place(std::string_view key) const {
  return file + ": " + (path.empty() ? "" : path + ".") + std::string(key);
}

void KeyReader::fail(std::string_view key, const std::string &message) {
  if (failure.isOk())
    failure = Status::badInput(place(key) + ": " + message);
}

const nlohmann::json *KeyReader::find(std::string_view key, bool required) {
  known.emplace_back(key);
  auto found = value.find(std::string(key));
  if (found != value.end())
    return &*found;
  if (required) {
    std::vector<std::string> present;
    for (const auto &item : value.items())
      present.push_back(item.key());
    std::optional<std::string> nearest = nearestName(key, present);
    fail(key, "is missing" + (nearest ? " (\"" + *nearest + "\" is there)" : std::string()));
  }
  return nullptr;
}

bool KeyReader::has(std::string_view key) { return find(key, false) != nullptr; }

KeyReader KeyReader::object(std::string_view key) {
  const nlohmann::json *found = find(key, true);
  return {found ? *found : emptyObject(), file, (path.empty() ? "" : path + ".") + std::string(key), failure};
}

std::string KeyReader::text(std::string_view key, std::optional<std::string> otherwise) {
  const nlohmann::json *found = find(key, !otherwise);
  if (!found)
    return otherwise.value_or("");
  if (!found->is_string()) {
    fail(key, "must be a string, is " + shown(*found));
    return "";
  }
  return found->get<std::string>();
}

int64_t KeyReader::integer(std::string_view key, int64_t low, int64_t high,
                           std::optional<int64_t> otherwise) {
  const nlohmann::json *found = find(key, !otherwise);
  if (!found)
    return otherwise.value_or(0);
  bool whole = found->is_number_integer() &&
               !(found->is_number_unsigned() &&
                 found->get<uint64_t>() > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
  if (!whole || found->get<int64_t>() < low || found->get<int64_t>() > high) {
    fail(key, "must be a whole number from " + std::to_string(low) + " to " + std::to_string(high) + ", is " +
                  shown(*found));
    return 0;
  }
  return found->get<int64_t>();
}

int64_t KeyReader::bytes(std::string_view key) {
  constexpr int64_t most = int64_t(1) << 60;
  const nlohmann::json *found = find(key, true);
  if (!found)
    return 0;
  if (found->is_number())
    return integer(key, 1, most);
  if (!found->is_string()) {
    fail(key, "must be a size such as \"12MiB\", is " + shown(*found));
    return 0;
  }
  Result<int64_t> parsed = parseBytes(found->get<std::string>());
  if (!parsed)
    fail(key, parsed.status().message());
  else if (*parsed <= 0 || *parsed > most)
    fail(key, "must be above zero and at most 2^60 bytes, is " + shown(*found));
  return parsed ? *parsed : 0;
}

/// Number or string with a unit; NaN after a failure.
static double measure(const nlohmann::json &found, Result<double> (*parse)(std::string_view),
                      Status &failure) {
  if (found.is_number())
    return found.get<double>();
  if (!found.is_string()) {
    failure = Status::badInput("must be a number or a string with a unit, is " + shown(found));
    return 0;
  }
  Result<double> parsed = parse(found.get<std::string>());
  if (!parsed)
    failure = parsed.status();
  return parsed ? *parsed : 0;
}

double KeyReader::rate(std::string_view key) {
  const nlohmann::json *found = find(key, true);
  if (!found)
    return 0;
  Status unreadable;
  double perSecond = measure(*found, parseRate, unreadable);
  if (!unreadable)
    fail(key, unreadable.message());
  else if (!(perSecond > 0 && perSecond < 1e21))
    fail(key, "must be above zero and below 1e21 per second, is " + shown(*found));
  return perSecond;
}

double KeyReader::seconds(std::string_view key, std::optional<double> otherwise) {
  const nlohmann::json *found = find(key, !otherwise);
  if (!found)
    return otherwise.value_or(0);
  Status unreadable;
  double time = measure(*found, parseSeconds, unreadable);
  if (!unreadable)
    fail(key, unreadable.message());
  else if (!(time >= 0 && time < 1e3))
    fail(key, "must be zero or more and below 1000 s, is " + shown(*found));
  return time;
}

void KeyReader::finish() {
  for (const auto &item : value.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end())
      continue;
    std::optional<std::string> nearest = nearestName(item.key(), known);
    fail(item.key().substr(0, 60),
         "unknown key" + (nearest ? "; the nearest known one is \"" + *nearest + "\"" : std::string()));
    return;
  }
}

} // namespace windlass::model

//===- JsonValue.h - one value of a file that nobody trusts ================//
//
// Duty: typed access to parsed JSON. The first value that breaks a rule is
// remembered with its file and place; later reads give zeros, so that a reader
// is written straight down and asks once at its end.
// Ownership: the JSON, the file name and the failure must outlive the values.
// Threads: one reading, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::plan {

/// Parses `text`: refuses syntax errors, repeated keys, and nesting or records
/// beyond anything a plan holds.
Result<nlohmann::json> parseJson(const std::string &text, const std::string &file);

class JsonValue {
public:
  /// The root of a file.
  JsonValue(const nlohmann::json &json, const std::string &file, Status &failure)
      : json(&json), file(&file), failure(&failure) {}

  bool boolean() const;
  int64_t integer(int64_t least, int64_t most) const;
  uint64_t unsignedInteger() const;
  double number() const; ///< always finite
  std::string string() const;
  size_t word(std::span<const std::string_view> words) const; ///< index into `words`

  bool isArray() const { return json->is_array(); }
  size_t size() const; ///< of an array; 0 and a failure for anything else
  JsonValue element(size_t index) const;
  bool isRecord() const; ///< false with a failure for anything but an object
  size_t fieldCount() const { return json->size(); }
  bool has(std::string_view key) const { return json->contains(key); }
  JsonValue field(std::string_view key) const; ///< of an object that has it

  /// Refuses the keys of this object that are not in `known`, naming the nearest.
  void refuseUnknownKeys(std::span<const std::string_view> known) const;
  /// Remembers "file: place: rule", unless something failed before.
  void refuse(const std::string &rule) const;

private:
  std::string place() const;
  void refuseType(const char *wanted) const;

  const nlohmann::json *json;
  const std::string *file;
  Status *failure;
  const JsonValue *parent = nullptr; ///< alive while its children are read
  std::string_view key;
  size_t index = 0;
};

} // namespace windlass::plan

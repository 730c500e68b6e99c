// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JsonReader.h - a place in a JSON file, read strictly ==================//
//
// Duty: typed values of one place in a file. The first thing wrong is kept and
// everything after it reads as zero or empty, so a reader is a list of keys.
// finish() refuses the keys nobody asked for, naming the nearest known one.
// A place is put into words only where it is asked for: plans have millions.
// Ownership: the JSON value and the Status must outlive the reader.
// Errors: "training.json: optimizer.betas[1]: must be a number from 0 to 1, is 3".
// Threads: one reader, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace windlass {

class JsonReader {
public:
  /// The whole of `file`; failures go to `failure`, of which the first stays.
  JsonReader(const nlohmann::json &value, std::string file, Status &failure);

  /// Parses text; a failure names line, column and reason. A key that stands twice is one, and so are
  /// values nested more than `deepest` deep.
  static Result<nlohmann::json> parse(std::string_view text, const std::string &file, int deepest = 64);

  // What stands here.
  bool isObject() const { return value->is_object(); }
  bool isList() const { return value->is_array(); }
  bool isText() const { return value->is_string(); }
  bool isNumber() const { return value->is_number(); }
  bool isNull() const { return value->is_null(); }

  // Into an object; anything else fails. A key that was asked for is known.
  bool has(std::string_view key);
  JsonReader at(std::string_view key);                  ///< fails where the key is missing
  std::optional<JsonReader> find(std::string_view key); ///< null where the key is missing
  std::vector<std::string> keys();                      ///< all keys; afterwards all are known
  void allow(std::string_view key) { has(key); }        ///< known, whether it is read or not
  std::vector<std::string> unknown() const;             ///< keys that nobody asked for
  void finish();                                        ///< refuses them

  // Into a list.
  size_t size();
  JsonReader at(size_t index);

  // The value itself.
  std::string text();
  bool boolean();
  int64_t integer(int64_t low, int64_t high);
  uint64_t unsignedInteger(); ///< all 64 bits
  double number(double low, double high);
  int64_t bytes(int64_t low, int64_t high);               ///< a whole number or "12MiB"
  size_t choice(std::span<const std::string_view> words); ///< the index of the word

  /// Notes a failure at this place: "must be even, is 3" with `rule` "must be even".
  void failRule(const std::string &rule);
  /// Notes a failure at this place, in these words.
  void fail(const std::string &message);
  bool isOk() const { return top->failure->isOk(); }
  std::string place() const; ///< "ops[3].in", empty at the top

private:
  /// One step from the top of the file to a value.
  struct Step {
    std::shared_ptr<const Step> above; ///< null at the top
    std::string_view key;              ///< as the file spells it; data() is null for an element of a list
    size_t index = 0;
  };
  struct Top : Step {
    std::string file;
    Status *failure = nullptr;
  };
  JsonReader(const nlohmann::json &value, JsonReader &parent, std::string_view key, size_t index);
  static std::string describe(const Step &step);
  std::string misspelling(std::string_view key) const;
  JsonReader missing(const std::string &step);
  void failAt(const std::string &where, const std::string &message);
  bool know(std::string_view key);
  nlohmann::json::const_iterator lookUp(std::string_view key);

  const nlohmann::json *value;
  const Top *top; ///< alive while any step below it is
  Step last;
  std::shared_ptr<const Step> here; ///< `last`, for those below; made with the first of them
  std::vector<std::string> known;
  size_t knownHere = 0; ///< how many of `known` the object has
};

/// `"a", "b" or "c"`, for messages and tables.
std::string quotedChoices(std::span<const std::string_view> words);

} // namespace windlass

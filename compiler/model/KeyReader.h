//===- KeyReader.h - reads the keys of a JSON object, strictly ============//
//
// Duty: typed values of one object, with units; the first thing wrong is kept
// and everything after it reads as zero, so a reader is a list of keys. finish()
// refuses keys nobody asked for, naming the nearest one that was.
// Ownership: the JSON value must outlive the reader.
// Errors: "machine.json: host.capacity: must be above zero, is \"0MiB\"".
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::model {

class KeyReader {
public:
  /// `path` is the place of `value` in the file, "" at the top; failures go to `failure`, the first one
  /// stays.
  KeyReader(const nlohmann::json &value, std::string file, std::string path, Status &failure);

  /// Parses text; a failure names byte and reason.
  static Result<nlohmann::json> parse(std::string_view text, const std::string &file);

  bool has(std::string_view key);
  /// The object under `key`.
  KeyReader object(std::string_view key);
  std::string text(std::string_view key, std::optional<std::string> otherwise = {});
  /// A whole number in [low, high].
  int64_t integer(std::string_view key, int64_t low, int64_t high, std::optional<int64_t> otherwise = {});
  int64_t bytes(std::string_view key);                                        ///< above zero
  double rate(std::string_view key);                                          ///< above zero, per second
  double seconds(std::string_view key, std::optional<double> otherwise = {}); ///< zero or more

  /// Refuses unknown keys.
  void finish();
  /// Notes a failure at a key of this object.
  void fail(std::string_view key, const std::string &message);
  bool isOk() const { return failure.isOk(); }

private:
  const nlohmann::json *find(std::string_view key, bool required);
  std::string place(std::string_view key) const;

  const nlohmann::json &value;
  std::string file, path;
  Status &failure;
  std::vector<std::string> known;
};

/// The candidate closest to `word` by edits, if close enough to be meant.
std::optional<std::string> nearestName(std::string_view word, const std::vector<std::string> &candidates);

} // namespace windlass::model

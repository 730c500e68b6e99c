// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KeyedDocument.h - a JSON document read from a table of keys ===========//
//
// Duty: reads and writes the values of paths such as "optimizer.betas", at most one
// group deep, by rules (TrainingRules.h), and the rows that describe them.
// Errors: noted at the reader's place; unknown keys are refused.
// Threads: one document, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/JsonReader.h"
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace windlass {

/// "optimizer" and "betas" of "optimizer.betas"; an empty group at the top.
inline std::pair<std::string_view, std::string_view> splitKey(std::string_view path) {
  size_t dot = path.find('.');
  if (dot == std::string_view::npos)
    return {"", path};
  return {path.substr(0, dot), path.substr(dot + 1)};
}

class KeyedReader {
public:
  explicit KeyedReader(JsonReader &top) : top(top) {}

  /// Reads a key into `field`; leaves `field` as it is if the document lacks the key.
  template <typename Rule, typename Field> void read(std::string_view path, const Rule &rule, Field &field) {
    auto [group, key] = splitKey(path);
    JsonReader *place = &top;
    if (!group.empty()) {
      if (!groups.contains(group) && top.has(group))
        groups.emplace(group, top.at(group));
      auto found = groups.find(group);
      if (found == groups.end())
        return;
      place = &found->second;
    }
    if (place->has(key))
      rule.read(place->at(key), field);
  }

  /// Refuses keys that were not read.
  void finish() {
    for (auto &[name, group] : groups)
      group.finish();
    top.finish();
  }

private:
  JsonReader &top;
  std::map<std::string_view, JsonReader> groups;
};

template <typename Document> void writeKey(Document &document, std::string_view path, nlohmann::json value) {
  auto [group, key] = splitKey(path);
  (group.empty() ? document : document[std::string(group)])[std::string(key)] = std::move(value);
}

inline constexpr std::string_view kKeyTableHead =
    "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";

inline std::string keyTableRow(std::string_view path, const std::string &rule, const nlohmann::json &value,
                               std::string_view doc) {
  return "| `" + std::string(path) + "` | " + rule + " | `" + value.dump() + "` | " + std::string(doc) +
         " |\n";
}

} // namespace windlass

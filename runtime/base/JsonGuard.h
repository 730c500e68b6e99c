// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JsonGuard.h - what a JSON parser accepts and we do not ================//
//
// Duty: watches nlohmann's parser and throws std::runtime_error, with the reason,
// where a key stands twice in one object or values nest too deep. Handed to
// nlohmann::json::parse as its callback; the caller turns what it throws into a Status.
// Threads: one guard, one parse.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace windlass {

class JsonGuard {
public:
  explicit JsonGuard(int deepest) : deepest(deepest) {}

  bool operator()(int depth, nlohmann::json::parse_event_t event, nlohmann::json &parsed) {
    using Event = nlohmann::json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= deepest)
        throw std::runtime_error("values are nested more than " + std::to_string(deepest) + " deep");
      keys.resize(static_cast<size_t>(depth) + 1);
      keys.back().clear();
    } else if (event == Event::key) {
      const std::string &key = parsed.get_ref<const std::string &>();
      if (!keys[static_cast<size_t>(depth) - 1].insert(key).second)
        throw std::runtime_error("key \"" + key.substr(0, 60) + "\" stands twice in one object");
    }
    return true;
  }

private:
  int deepest;
  std::vector<std::set<std::string>> keys; ///< per depth, of the object being read there
};

} // namespace windlass

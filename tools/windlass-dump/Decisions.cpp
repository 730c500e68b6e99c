// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Decisions.h"

namespace windlass::dump {

std::map<std::string, nlohmann::ordered_json> decisionsOf(const plan::Plan &plan) {
  const auto record = nlohmann::ordered_json::parse(plan.strategy, nullptr, false);
  std::map<std::string, nlohmann::ordered_json> all;
  if (!record.is_object())
    return all;
  for (const auto &[key, value] : record.items()) {
    if ((key == "placement" || key == "prefetch" || key == "pipeline" || key == "slack") && value.is_object())
      for (const auto &[part, decided] : value.items())
        all[key + "." + part] = decided;
    else if (key != "format")
      all[key] = value;
  }
  return all;
}

} // namespace windlass::dump

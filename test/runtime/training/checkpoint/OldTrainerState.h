// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- OldTrainerState.h - a trainer_state.json without hashes ===============//
//
// Duty: turns a trainer_state.json into one of the schema without hashes, for tests that resume old
// checkpoints. Errors: exceptions for text that is no JSON. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace windlass::test {

/// The text as an older version of Windlass would have written it.
inline std::string asOldTrainerState(const std::string &text) {
  nlohmann::json document = nlohmann::json::parse(text);
  document["schema"] = "windlass.trainer_state/1";
  document.erase("files");
  document.erase("hash");
  return document.dump(2) + "\n";
}

} // namespace windlass::test

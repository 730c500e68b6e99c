// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- UnknownKeys.h - the keys of a file that nobody reads ==================//
//
// Duty: refuses all keys of a document that its table of keys does not have, at once, and says what was
// meant: a key spelt nearly so, the same key elsewhere in the file, or ours for a word of other tools.
// Errors: BadInput, "training.json: lr: unknown key, did you mean \"optimizer.learning_rate\"?; ...".
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace windlass {

/// `known`: paths such as "optimizer.betas"; what lies below one of them is its reader's to judge.
Status refuseUnknownKeys(const nlohmann::json &document, const std::string &file,
                         std::span<const std::string_view> known);

} // namespace windlass

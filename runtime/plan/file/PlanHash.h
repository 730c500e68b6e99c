// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- PlanHash.h - the last line of a plan.json =============================//
//
// Duty: a plan.json ends with a line of its own, `"hash":"<32 digits>"}`, the
// XXH3-128 of every byte before that line. A file that lost or changed a byte is
// known by it, even where the rest still reads as a plan. It finds accidents, not
// attackers: whoever changes a plan on purpose writes its hash anew.
// Errors: bad input. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>
#include <string_view>

namespace windlass::plan {

inline constexpr const char *kHashKey = "hash";

/// Closes the text of a plan whose last field was written: adds ",", the line, and the closing brace.
std::string withHash(std::string text);

/// Whether `text` ends with the hash of what stands before.
Status checkHash(std::string_view text);

/// The same text with the hash it should have in place of the one it has; unchanged if it has none.
std::string rehashed(std::string text);

} // namespace windlass::plan

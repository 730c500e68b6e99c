// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- QuotedChanges.h - reads the changes that a refusal proposes ===========//
//
// Duty: reads the changes of a hardware file that the text of a refusal quotes. Units: bytes, as in the
// hardware file.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windlass::test {

/// A change such as "device.capacity 6098944 instead of 2097152".
struct Change {
  std::string tier;
  int64_t capacity = 0, before = 0;
};

using Changes = std::vector<Change>; ///< to be made together

/// The alternatives that follow "what would fit: " in a message.
std::vector<Changes> quotedChanges(const std::string &message);

} // namespace windlass::test

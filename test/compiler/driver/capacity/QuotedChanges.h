// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- QuotedChanges.h - what a refusal says would fit =====================//
//
// Duty: the changes of a hardware file that the text of a refusal quotes. Units: bytes, as the file has them.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace windlass::test {

/// "device.capacity 6098944 instead of 2097152"
struct Change {
  std::string tier;
  int64_t capacity = 0, before = 0;
};

using Changes = std::vector<Change>; ///< to be made together

/// What stands behind "what would fit: ", alternative by alternative.
std::vector<Changes> quotedChanges(const std::string &message);

} // namespace windlass::test

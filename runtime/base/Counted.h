// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Counted.h - a number and its noun =====================================//
//
// Duty: for screens and messages: one of a thing is not "1 things".
// Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Units.h"
#include <string>
#include <string_view>

namespace windlass {

/// "1 layer", "4 layers", "2 micro-batches", "3,257,856 parameters": `noun` is the singular.
inline std::string counted(int64_t count, std::string_view noun) {
  std::string text = formatCount(count) + " " + std::string(noun);
  if (count == 1)
    return text;
  const bool hisses = noun.ends_with("ch") || noun.ends_with("s") || noun.ends_with("x");
  return text + (hisses ? "es" : "s");
}

} // namespace windlass

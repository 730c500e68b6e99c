// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Patterns.h - regular expressions over names ===========================//
//
// Duty: matches names with a list of regular expressions; an expression matches if it is found anywhere in a
// name. Errors: BadInput: no regular expression; the caller adds its place. Threads: a value.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <regex>
#include <string>
#include <vector>

namespace windlass {

class Patterns {
public:
  static Result<Patterns> compile(const std::vector<std::string> &texts);

  bool match(const std::string &name) const;
  bool empty() const { return all.empty(); }

private:
  std::vector<std::regex> all;
};

} // namespace windlass

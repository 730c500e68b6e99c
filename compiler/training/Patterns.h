// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Patterns.h - regular expressions over names =========================//
//
// Duty: which names a list of regular expressions means; one matches where it is found in a name.
// Errors: BadInput: no regular expression; the caller says where it stands.
// Threads: a value.
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/training/Patterns.h"

#include <algorithm>

namespace windlass {

Result<Patterns> Patterns::compile(const std::vector<std::string> &texts) {
  Patterns patterns;
  for (const std::string &text : texts) {
    try {
      patterns.all.emplace_back(text);
    } catch (const std::regex_error &) {
      return Status::badInput("must be a regular expression, is \"" + text + "\"");
    }
  }
  return patterns;
}

bool Patterns::match(const std::string &name) const {
  return std::ranges::any_of(all, [&](const std::regex &one) { return std::regex_search(name, one); });
}

} // namespace windlass

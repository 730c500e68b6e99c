// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/driver/capacity/QuotedChanges.h"

#include <algorithm>
#include <regex>

namespace windlass::test {

std::vector<Changes> quotedChanges(const std::string &message) {
  static const std::regex change(R"((and |, or |: )(\w+)\.capacity (\d+) instead of (\d+))");
  std::vector<Changes> alternatives;
  const std::string quoted =
      message.substr(std::min(message.find(": ", message.find("what would fit")), message.size()));
  for (std::sregex_iterator match(quoted.begin(), quoted.end(), change), end; match != end; ++match) {
    if ((*match)[1] != "and ")
      alternatives.emplace_back();
    alternatives.back().push_back({(*match)[2], std::stoll((*match)[3]), std::stoll((*match)[4])});
  }
  return alternatives;
}

} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Findings.h - the faults a check has found ===========================//
//
// Duty: collects messages, each once, up to a number people can read.
// Threads: one check, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace windlass::plan {

class Findings {
public:
  void add(std::string text) {
    if (texts.size() < kMost && known.insert(text).second)
      texts.push_back(std::move(text));
  }
  bool none() const { return texts.empty(); }
  bool full() const { return texts.size() == kMost; }
  std::vector<std::string> take() { return std::move(texts); }

private:
  static constexpr size_t kMost = 1000;
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
};

} // namespace windlass::plan

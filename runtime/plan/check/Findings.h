// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Findings.h - the faults a check has found =============================//
//
// Duty: collects messages, each once, up to a number people can read.
// Threads: one check, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
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

  /// Adds to what was looked at: instructions replayed, ranges of bytes compared.
  void look(int64_t at) { looks += at; }
  int64_t looked() const { return looks; }

private:
  static constexpr size_t kMost = 1000;
  std::vector<std::string> texts;
  std::unordered_set<std::string> known;
  int64_t looks = 0;
};

} // namespace windlass::plan

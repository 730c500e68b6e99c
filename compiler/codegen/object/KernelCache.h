// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelCache.h - object files of kernels, by key =======================//
//
// Duty: caches object files of kernels, by a key of everything that their code depends on, for processes that
// compile equal kernels many times, as tests do. No entry is ever dropped. Threads: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>

namespace windlass::codegen {

class KernelCache {
public:
  /// The object file of an equal kernel; empty if there is none.
  std::string find(const std::string &key);
  void keep(const std::string &key, const std::string &object);
  int64_t hits() const;

private:
  mutable std::mutex mutex;
  std::unordered_map<std::string, std::string> objects;
  int64_t found = 0;
};

} // namespace windlass::codegen

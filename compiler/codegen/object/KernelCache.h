// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- KernelCache.h - code of kernels that were compiled before ============//
//
// Duty: object files of kernels by all that their code follows from, for a process that compiles equal
// kernels again and again, as tests do. Nothing is ever dropped. Threads: any.
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
  /// The object file of an equal kernel; empty where there was none.
  std::string find(const std::string &key);
  void keep(const std::string &key, const std::string &object);
  int64_t hits() const;

private:
  mutable std::mutex mutex;
  std::unordered_map<std::string, std::string> objects;
  int64_t found = 0;
};

} // namespace windlass::codegen

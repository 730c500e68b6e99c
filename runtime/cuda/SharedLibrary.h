// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- SharedLibrary.h - a library that this machine may have ================//
//
// Duty: opens one of NVIDIA's libraries at run time, so that one binary runs where it is installed and where
// it is not, and looks up what a table names (Driver.def, BlasLt.def, Nccl.def).
// Ownership: what was loaded stays loaded, for NVIDIA's libraries keep threads of their own.
// Errors: CannotFit naming the library, or the function and the release that brought it, that is not there.
// Threads: pure functions but for the loading, which the system locks.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <functional>
#include <span>
#include <string>

namespace windlass::cuda {

/// Null: there is no such symbol.
using FindSymbol = std::function<void *(const char *symbol)>;

class SharedLibrary {
public:
  /// The first of `files` that can be loaded. `what` names the library for people.
  static Result<SharedLibrary> open(std::string what, std::span<const char *const> files);
  /// A library that is loaded already: tests bring one of their own.
  SharedLibrary(std::string what, std::string file, FindSymbol find)
      : what(std::move(what)), file(std::move(file)), find(std::move(find)) {}

  /// `since`: the release that brought the symbol, as CUDA numbers releases (12040 is 12.4).
  template <typename Function> Status bind(const char *symbol, int since, Function *&bound) const {
    bound = reinterpret_cast<Function *>(find(symbol));
    return bound ? Status::ok() : lacks(symbol, since);
  }

private:
  Status lacks(const char *symbol, int since) const;

  std::string what, file;
  FindSymbol find;
};

/// 12040 as "12.4".
std::string releaseText(int release);
/// How every refusal of this room begins: what a machine lacks that a plan for "cuda" is to run on.
Status needs(const std::string &what);

} // namespace windlass::cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ObjectFolder.h - object files of earlier processes ====================//
//
// Duty: keeps object files in a folder, for later processes that make the same ones. The key of a file is
// everything that it is made of; the program itself, and the libraries that it has loaded, are added to every
// key by their build IDs. Of files that were not used for a week, and of the oldest beyond 1 GiB, the folder
// is cleared from time to time.
// Errors: BadInput for a folder that cannot be made or written. A file that cannot be written is not kept,
// and one that is not whole is not found. Threads, processes: any.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <string>

namespace windlass::codegen {

class ObjectFolder {
public:
  /// Makes the folder, if it is not there.
  static Result<ObjectFolder> open(const std::string &path);

  /// The object file that was kept with an equal key; empty if there is none.
  std::string find(const std::string &key) const;
  void keep(const std::string &key, const std::string &object) const;

private:
  explicit ObjectFolder(std::string path) : path(std::move(path)) {}
  std::string fileOf(const std::string &key) const;

  std::string path;
};

} // namespace windlass::codegen

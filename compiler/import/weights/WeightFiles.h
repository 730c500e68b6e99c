// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- WeightFiles.h - the tensors of some safetensors files, by name ========//
//
// Duty: opens one .safetensors file, the files an index of shards names, or a
// folder with either, and reads their headers only.
// Errors: Status names the file, the tensor, the rule and the value found.
// Threads: const after opening.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Safetensors.h"
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace windlass {

class WeightFiles {
public:
  /// A tensor and the file that holds it.
  struct Tensor {
    const SafetensorsReader *file = nullptr;
    const TensorEntry *entry = nullptr;
    int64_t offset() const { return file->placeOf(*entry); } ///< bytes from the file's start
  };

  static Result<WeightFiles> open(const std::string &path);
  /// The weights in a folder: model.safetensors, or its index; empty if it holds neither.
  static std::string inFolder(const std::string &folder);

  const std::map<std::string, Tensor> &tensors() const { return byName; }

private:
  Status add(const std::string &path);
  Status addIndexed(const std::string &index);

  std::vector<std::unique_ptr<SafetensorsReader>> files;
  std::map<std::string, Tensor> byName;
};

} // namespace windlass

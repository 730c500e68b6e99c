// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExternalData.h - weights that stand in a file beside the model ======//
//
// Duty: the file and range that a tensor's "external_data" names, which must be an
// ordinary file in the model's own folder or below: no absolute path, no "..", no
// link on the way that leads out.
// Errors: BadInput with the rule and the value found.
// Threads: pure functions, but for the file system.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Status.h"
#include <cstdint>
#include <map>
#include <string>

namespace windlass::onnx {

struct FileRange {
  std::string file;
  int64_t offset = 0;
};

/// `model` is the path of the ONNX file, `keys` the tensor's entries (location, offset, length),
/// `bytes` what the tensor's type and shape take.
Result<FileRange> resolveExternal(const std::string &model, const std::map<std::string, std::string> &keys,
                                  int64_t bytes);

} // namespace windlass::onnx

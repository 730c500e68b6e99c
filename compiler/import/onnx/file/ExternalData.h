// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ExternalData.h - weights in a file beside the model ===================//
//
// Duty: resolves a tensor's "external_data" to a file and a range. The file must be an ordinary file in the
// model's folder or below: no absolute path, no "..", no link that leads out of the folder. Errors: BadInput
// with the rule and the value found. Threads: pure functions, but for the file system.
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

/// `model`: path of the ONNX file. `keys`: the tensor's entries (location, offset, length). `bytes`: the
/// bytes of the tensor by type and shape.
Result<FileRange> resolveExternal(const std::string &model, const std::map<std::string, std::string> &keys,
                                  int64_t bytes);

} // namespace windlass::onnx

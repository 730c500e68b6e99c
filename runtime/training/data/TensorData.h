// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorData.h - examples from a .safetensors file ======================//
//
// Duty: one tensor per model input, of the input's name; dimension 0 counts the
// examples, the others are the input's. Labels stand as they are used (shifted
// already; -100 counts for nothing). Whole numbers may be I32, I64 or U8, others F32.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Safetensors.h"
#include "runtime/training/data/DataSource.h"

namespace windlass {

class TensorData final : public DataSource {
public:
  static Result<std::unique_ptr<DataSource>> open(const std::string &path, const plan::Plan &plan);
  Status read(const plan::Input &input, int64_t example, std::span<std::byte> out) const override;

private:
  explicit TensorData(SafetensorsReader file) : file(std::move(file)) {}
  Result<int64_t> examplesOf(const plan::Input &input) const;
  Status checkValues(const plan::Input &input) const;

  SafetensorsReader file;
};

} // namespace windlass

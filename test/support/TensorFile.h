// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- TensorFile.h - small safetensors files for tests ======================//
//
// Duty: writes tensors of f32, or of the raw bits of another type, to a file.
// Errors: fail the calling test.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/base/Safetensors.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace windlass::test {

struct TestTensor {
  std::string type;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
};

template <typename Element>
TestTensor tensorOf(const std::string &type, std::vector<int64_t> shape, const std::vector<Element> &values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {type, std::move(shape), {bytes.begin(), bytes.end()}};
}

/// f32 elements 1, 2, 3, ... times `scale`.
inline TestTensor countingTensor(std::vector<int64_t> shape, float scale = 1) {
  std::vector<float> values(static_cast<size_t>(
      std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<int64_t>())));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = scale * static_cast<float>(i + 1);
  return tensorOf("F32", std::move(shape), values);
}

inline std::string writeTensors(const std::string &path, const std::map<std::string, TestTensor> &tensors) {
  std::vector<TensorEntry> entries;
  for (const auto &[name, tensor] : tensors)
    entries.push_back({name, tensor.type, tensor.shape});
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(path, std::move(entries));
  EXPECT_TRUE(writer) << writer.status().message();
  for (const TensorEntry &entry : writer->tensors())
    EXPECT_TRUE(writer->write(entry, 0, tensors.at(entry.name).bytes));
  EXPECT_TRUE(writer->finish());
  return path;
}

} // namespace windlass::test

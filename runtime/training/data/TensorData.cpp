// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/TensorData.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "runtime/training/data/Fingerprint.h"
#include <algorithm>
#include <array>
#include <cstring>

namespace windlass {
namespace {

bool isWhole(const plan::Input &input) { return input.type == plan::ElementType::I32; }

/// A whole number of a tensor of type I32, I64 or U8.
int64_t wholeAt(const std::string &type, const std::byte *at) {
  if (type == "U8")
    return std::to_integer<int64_t>(*at);
  if (type == "I32") {
    int32_t value = 0;
    std::memcpy(&value, at, sizeof value);
    return value;
  }
  int64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

} // namespace

Result<std::unique_ptr<DataSource>> TensorData::open(const std::string &path, const plan::Plan &plan) {
  Result<SafetensorsReader> file = SafetensorsReader::open(path);
  if (!file)
    return file.status();
  std::unique_ptr<TensorData> data(new TensorData(file.take()));
  int64_t examples = -1;
  for (const plan::Input &input : plan.inputs) {
    Result<int64_t> count = data->examplesOf(input);
    if (!count)
      return count.status().in(path + ": tensor \"" + input.name + "\"");
    if (examples >= 0 && *count != examples)
      return Status::badInput(path + ": tensor \"" + input.name + "\" holds " + counted(*count, "example") +
                              ", but \"" + plan.inputs[0].name + "\" holds " + std::to_string(examples));
    examples = *count;
    WINDLASS_TRY(data->checkValues(input).in(path + ": tensor \"" + input.name + "\""));
  }
  WINDLASS_TRY(
      data->split(std::max<int64_t>(examples, 0), plan.training.validationFraction, path, "examples"));
  data->text = "tensors, " + counted(examples, "example");
  Result<std::string> fingerprint = fingerprintOf({&path, 1});
  WINDLASS_TRY(fingerprint.status());
  data->fingerprintText = fingerprint.take();
  return std::unique_ptr<DataSource>(std::move(data));
}

Result<int64_t> TensorData::examplesOf(const plan::Input &input) const {
  const TensorEntry *entry = file.find(input.name);
  if (!entry)
    return Status::badInput("missing; the file must hold one tensor for each input of the model");
  const bool typeFits = isWhole(input) ? entry->type == "I32" || entry->type == "I64" || entry->type == "U8"
                                       : entry->type == "F32";
  if (!typeFits)
    return Status::badInput("type " + entry->type + " cannot feed an input of " +
                            (isWhole(input) ? "whole numbers (I32, I64 or U8)" : "F32"));
  const bool shapeFits = entry->shape.size() == input.shape.size() && !entry->shape.empty() &&
                         std::equal(entry->shape.begin() + 1, entry->shape.end(), input.shape.begin() + 1);
  if (!shapeFits)
    return Status::badInput("shape " + formatShape(entry->shape) + " does not fit the input's " +
                            formatShape(input.shape) + " after dimension 0, the examples");
  return entry->shape[0];
}

Status TensorData::checkValues(const plan::Input &input) const {
  if (!isWhole(input))
    return Status::ok();
  const TensorEntry &entry = *file.find(input.name);
  const int64_t valueBytes = tensorTypeBytes(entry.type);
  std::vector<std::byte> buffer(1 << 20);
  for (int64_t at = 0; at < entry.bytes; at += std::ssize(buffer)) {
    std::span chunk(buffer.data(),
                    static_cast<size_t>(std::min<int64_t>(entry.bytes - at, std::ssize(buffer))));
    WINDLASS_TRY(file.read(entry, at, chunk));
    for (size_t i = 0; i < chunk.size(); i += valueBytes) {
      const int64_t value = wholeAt(entry.type, chunk.data() + i);
      if (value >= 0 && value < input.bound)
        continue;
      if (holdsLabels(input) && value == input.ignored)
        continue;
      return Status::badInput(
          "element " + std::to_string((at + static_cast<int64_t>(i)) / valueBytes) + " has value " +
          std::to_string(value) + ", outside [0, " + std::to_string(input.bound) + ")" +
          (holdsLabels(input) ? " and not the ignored " + std::to_string(input.ignored) : ""));
    }
  }
  return Status::ok();
}

Status TensorData::read(const plan::Input &input, int64_t example, std::span<std::byte> out) const {
  const TensorEntry &entry = *file.find(input.name);
  if (!isWhole(input))
    return file.read(entry, example * std::ssize(out), out);
  const int64_t valueBytes = tensorTypeBytes(entry.type);
  int64_t at = example * rowElements(input) * valueBytes;
  std::array<std::byte, 4096> buffer;
  for (int64_t left = rowElements(input) * valueBytes; left > 0;) {
    std::span chunk(buffer.data(), static_cast<size_t>(std::min<int64_t>(left, std::ssize(buffer))));
    WINDLASS_TRY(file.read(entry, at, chunk));
    for (size_t i = 0; i < chunk.size(); i += valueBytes) {
      const int32_t value = static_cast<int32_t>(wholeAt(entry.type, chunk.data() + i));
      std::memcpy(out.data(), &value, sizeof value);
      out = out.subspan(sizeof value);
    }
    at += std::ssize(chunk);
    left -= std::ssize(chunk);
  }
  return Status::ok();
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/states/StoredValues.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace windlass {
namespace {

template <typename Value> Value load(const std::byte *from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

float valueAt(plan::StoredType type, const std::byte *from) {
  switch (type) {
  case plan::StoredType::F64:
    return static_cast<float>(load<double>(from));
  case plan::StoredType::F32:
    return load<float>(from);
  case plan::StoredType::F16:
  case plan::StoredType::PackedF16:
    return widenF16(load<uint16_t>(from));
  case plan::StoredType::BF16:
  case plan::StoredType::PackedBF16:
    return widenBf16(load<uint16_t>(from));
  }
  return 0;
}

/// Whether the file's bytes are the state's.
bool isSameType(plan::StoredType stored, plan::ElementType type) {
  return (stored == plan::StoredType::F32 && type == plan::ElementType::F32) ||
         (stored == plan::StoredType::BF16 && type == plan::ElementType::BF16) ||
         (stored == plan::StoredType::F16 && type == plan::ElementType::F16) ||
         (stored == plan::StoredType::F64 && type == plan::ElementType::F64);
}

/// Elements [first, first + count) in memory, each of `width` bytes.
Status readElements(const StoredTensor &tensor, int64_t first, size_t count, size_t width,
                    std::span<std::byte> out) {
  if (!tensor.packed)
    return tensor.file->readAt(tensor.begin + first * static_cast<int64_t>(width), out.first(count * width));
  std::vector<uint16_t> bits(count);
  WINDLASS_TRY(tensor.packed->read(first, bits));
  std::memcpy(out.data(), bits.data(), count * width);
  return Status::ok();
}

} // namespace

Status readStored(const StoredTensor &tensor, int64_t first, plan::ElementType type,
                  std::span<std::byte> out) {
  const size_t toBytes = static_cast<size_t>(plan::bytesOf(type));
  const size_t fromBytes = tensor.packed ? sizeof(uint16_t) : static_cast<size_t>(plan::bytesOf(tensor.type));
  if (isSameType(tensor.type, type))
    return tensor.file->readAt(tensor.begin + first * static_cast<int64_t>(fromBytes), out);
  std::array<std::byte, 4096> buffer;
  while (!out.empty()) {
    const size_t count = std::min(out.size() / toBytes, buffer.size() / fromBytes);
    WINDLASS_TRY(readElements(tensor, first, count, fromBytes, buffer));
    for (size_t i = 0; i < count; ++i)
      storeElement(type, valueAt(tensor.type, buffer.data() + i * fromBytes), out.data() + i * toBytes);
    out = out.subspan(count * toBytes);
    first += static_cast<int64_t>(count);
  }
  return Status::ok();
}

Status readTransposed(const StoredTensor &tensor, int64_t rows, int64_t columns, int64_t first,
                      plan::ElementType type, std::span<std::byte> out) {
  const int64_t toBytes = plan::bytesOf(type);
  const int64_t last = first + std::ssize(out) / toBytes - 1;
  if (last < first)
    return Status::ok();
  // A column of the tensor is a row of the file: what is wanted of it lies in one piece.
  std::vector<std::byte> piece(static_cast<size_t>((last / columns - first / columns + 1) * toBytes));
  for (int64_t column = 0; column < columns; ++column) {
    const int64_t begin = first / columns + (column < first % columns);
    const int64_t end = last / columns + (column <= last % columns);
    if (begin >= end)
      continue;
    const std::span values = std::span(piece).first(static_cast<size_t>((end - begin) * toBytes));
    WINDLASS_TRY(readStored(tensor, column * rows + begin, type, values));
    for (int64_t row = begin; row < end; ++row)
      std::memcpy(out.data() + (row * columns + column - first) * toBytes,
                  values.data() + (row - begin) * toBytes, static_cast<size_t>(toBytes));
  }
  return Status::ok();
}

float loadElement(plan::ElementType type, const std::byte *from) {
  switch (type) {
  case plan::ElementType::F32:
    return load<float>(from);
  case plan::ElementType::BF16:
    return widenBf16(load<uint16_t>(from));
  case plan::ElementType::F16:
    return widenF16(load<uint16_t>(from));
  case plan::ElementType::F64:
    return static_cast<float>(load<double>(from));
  case plan::ElementType::I32:
    return static_cast<float>(load<int32_t>(from));
  }
  return 0;
}

void storeElement(plan::ElementType type, float value, std::byte *to) {
  switch (type) {
  case plan::ElementType::F32:
    std::memcpy(to, &value, sizeof value);
    return;
  case plan::ElementType::BF16: {
    const uint16_t rounded = roundToBf16(value);
    std::memcpy(to, &rounded, sizeof rounded);
    return;
  }
  case plan::ElementType::F16: {
    const uint16_t rounded = roundToF16(value);
    std::memcpy(to, &rounded, sizeof rounded);
    return;
  }
  case plan::ElementType::F64: {
    const double wide = value;
    std::memcpy(to, &wide, sizeof wide);
    return;
  }
  case plan::ElementType::I32: {
    const int32_t whole = static_cast<int32_t>(value);
    std::memcpy(to, &whole, sizeof whole);
    return;
  }
  }
}

std::vector<std::byte> multiplied(plan::ElementType type, std::span<const std::byte> in, double factor) {
  const size_t count = in.size() / static_cast<size_t>(plan::bytesOf(type));
  std::vector<std::byte> out(count * sizeof(float));
  for (size_t i = 0; i < count; ++i) {
    const float value = loadElement(type, in.data() + i * static_cast<size_t>(plan::bytesOf(type)));
    storeElement(plan::ElementType::F32, value * static_cast<float>(factor), out.data() + i * sizeof(float));
  }
  return out;
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/ReadTensor.h"

#include "compiler/import/onnx/file/ExternalData.h"
#include "compiler/import/onnx/file/Onnx.pb.h"
#include <cstring>
#include <filesystem>

namespace windlass::onnx {
namespace {

constexpr int64_t kLargest = INT64_C(1) << 31;
constexpr int64_t kElements = INT64_C(1) << 42;

/// The elements of a typed field as the bytes of `Stored`.
template <typename Stored, typename Field> std::string packed(const Field &field) {
  std::string bytes(static_cast<size_t>(field.size()) * sizeof(Stored), '\0');
  for (int i = 0; i < field.size(); ++i) {
    const Stored value = static_cast<Stored>(field.Get(i));
    std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(Stored), &value, sizeof(Stored));
  }
  return bytes;
}

/// The bytes of a tensor from its typed field. Half types and integers narrower than 32 bits are in
/// int32_data.
std::string typedBytes(const wire::Tensor &source, DataType type) {
  switch (type) {
  case DataType::Undefined:
    return {};
  case DataType::Float:
    return packed<float>(source.float_data());
  case DataType::Double:
    return packed<double>(source.double_data());
  case DataType::Int64:
    return packed<int64_t>(source.int64_data());
  case DataType::Int32:
    return packed<int32_t>(source.int32_data());
  case DataType::Uint8:
  case DataType::Bool:
    return packed<uint8_t>(source.int32_data());
  case DataType::Float16:
  case DataType::BFloat16:
    return packed<uint16_t>(source.int32_data());
  }
  return {};
}

Status fillExternal(const wire::Tensor &source, const std::string &path, Tensor &tensor) {
  std::map<std::string, std::string> keys;
  for (const wire::Entry &entry : source.external_data())
    keys[entry.key()] = entry.value();
  Result<FileRange> range = resolveExternal(path, keys, tensor.byteSize());
  if (!range)
    return range.status();
  tensor.file = range->file;
  tensor.offset = range->offset;
  return Status::ok();
}

bool isHalf(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }

/// The elements' place in the model's own file, if all of them lie there in one piece.
void fillPlace(const wire::Tensor &source, const std::string &path, const TensorPlace &place,
               Tensor &tensor) {
  ByteRange range = source.has_raw_data() ? place.raw : ByteRange();
  if (!source.has_raw_data() && tensor.type == DataType::Float)
    range = place.floats;
  if (!source.has_raw_data() && tensor.type == DataType::Double)
    range = place.doubles;
  tensor.varints = !source.has_raw_data() && isHalf(tensor.type) && place.integers.begin >= 0 &&
                   place.integerCount == elementsOf(tensor.shape);
  if (tensor.varints)
    range = place.integers;
  if (range.begin < 0 || (!tensor.varints && range.bytes != tensor.byteSize()))
    return;
  tensor.file = std::filesystem::absolute(path).lexically_normal().string();
  tensor.offset = range.begin;
}

} // namespace

Status checkShape(const Shape &shape) {
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 0 || extent > kLargest)
      return Status::badInput("a dimension must be from 0 to 2^31, is " + std::to_string(extent));
    if (extent != 0 && elements > kElements / extent)
      return Status::badInput("must have at most 2^42 elements");
    elements *= extent;
  }
  return shape.size() <= 16 ? Status::ok() : Status::badInput("must have at most 16 dimensions");
}

Result<Tensor> readTensor(wire::Tensor &source, const std::string &path, const TensorPlace *place) {
  const std::string name = "tensor \"" + source.name() + "\"";
  if (!isDataType(source.data_type()))
    return Status::badInput(name +
                            ": data type must be float, float16, bfloat16, double, int64, int32, "
                            "uint8 or bool, is ONNX's number " +
                            std::to_string(source.data_type()));
  Tensor tensor;
  tensor.type = static_cast<DataType>(source.data_type());
  tensor.shape.assign(source.dims().begin(), source.dims().end());
  if (Status valid = checkShape(tensor.shape); !valid)
    return valid.in(name);
  constexpr int kExternal = 1;
  if (source.data_location() == kExternal) {
    if (Status found = fillExternal(source, path, tensor); !found)
      return found.in(name);
    return tensor;
  }
  if (place)
    fillPlace(source, path, *place, tensor);
  constexpr int64_t kKept = 1 << 16; ///< bytes; larger tensors stay in the file, and are read when needed
  if (!tensor.file.empty() && !tensor.varints && tensor.byteSize() > kKept)
    return tensor;
  constexpr int32_t kMostBits = 0xFFFF;
  if (isHalf(tensor.type))
    for (int32_t bits : source.int32_data())
      if (bits < 0 || bits > kMostBits)
        return Status::badInput(name + ": a " + std::string(wordOf(tensor.type)) +
                                " in int32_data must be from 0 to 65535, is " + std::to_string(bits));
  tensor.bytes =
      source.has_raw_data() ? std::move(*source.mutable_raw_data()) : typedBytes(source, tensor.type);
  if (static_cast<int64_t>(tensor.bytes.size()) != tensor.byteSize())
    return Status::badInput(name + ": must have " + std::to_string(tensor.byteSize()) + " bytes, as " +
                            describe(tensor.shape) + " of " + std::string(wordOf(tensor.type)) +
                            " takes, has " + std::to_string(tensor.bytes.size()));
  return tensor;
}

} // namespace windlass::onnx

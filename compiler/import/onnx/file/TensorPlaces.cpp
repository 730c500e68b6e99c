// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/TensorPlaces.h"

#include "compiler/import/onnx/file/Onnx.pb.h"
#include <algorithm>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>
#include <map>
#include <optional>

namespace windlass::onnx {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

/// Calls `visit(number, bytes)` at the first byte of every field that has a length, up to the current limit.
template <typename Visit> void forEachField(CodedInputStream &stream, Visit visit) {
  while (const uint32_t tag = stream.ReadTag()) {
    uint32_t bytes = 0;
    if (WireFormatLite::GetTagWireType(tag) != WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!WireFormatLite::SkipField(&stream, tag))
        return;
      continue;
    }
    if (!stream.ReadVarint32(&bytes))
      return;
    const CodedInputStream::Limit outer = stream.PushLimit(static_cast<int>(bytes));
    visit(WireFormatLite::GetTagFieldNumber(tag), static_cast<int64_t>(bytes));
    stream.Skip(stream.BytesUntilLimit());
    stream.PopLimit(outer);
  }
}

/// Counts varints: the last byte of each, and no other byte, has its upper bit clear.
int64_t countVarints(std::string_view bytes) {
  return std::ranges::count_if(bytes, [](char byte) { return (byte & 0x80) == 0; });
}

TensorPlace placeOf(CodedInputStream &tensor, std::string_view model) {
  TensorPlace place;
  std::map<int, int> pieces;
  forEachField(tensor, [&](int number, int64_t bytes) {
    const bool isWhole = ++pieces[number] == 1 || number == wire::Tensor::kRawDataFieldNumber;
    const ByteRange here = isWhole ? ByteRange{tensor.CurrentPosition(), bytes} : ByteRange();
    if (number == wire::Tensor::kInt32DataFieldNumber) {
      place.integers = here;
      if (isWhole)
        place.integerCount =
            countVarints(model.substr(static_cast<size_t>(here.begin), static_cast<size_t>(here.bytes)));
    }
    if (number == wire::Tensor::kRawDataFieldNumber)
      place.raw = here;
    if (number == wire::Tensor::kFloatDataFieldNumber)
      place.floats = here;
    if (number == wire::Tensor::kDoubleDataFieldNumber)
      place.doubles = here;
  });
  return place;
}

/// Adds the place of the tensor that a node has as an attribute, under the name of the node's first result.
void addPlaceOfNode(CodedInputStream &stream, std::string_view model, TensorPlaces &places) {
  std::string result;
  std::optional<TensorPlace> place;
  forEachField(stream, [&](int ofNode, int64_t bytes) {
    if (ofNode == wire::Node::kOutputFieldNumber && result.empty())
      result = model.substr(static_cast<size_t>(stream.CurrentPosition()), static_cast<size_t>(bytes));
    if (ofNode == wire::Node::kAttributeFieldNumber)
      forEachField(stream, [&](int ofAttribute, int64_t) {
        if (ofAttribute == wire::Attribute::kTFieldNumber)
          place = placeOf(stream, model);
      });
  });
  if (place)
    places.results.emplace(result, *place);
}

} // namespace

TensorPlaces placesOfTensors(std::string_view model) {
  CodedInputStream stream(reinterpret_cast<const uint8_t *>(model.data()), static_cast<int>(model.size()));
  TensorPlaces places;
  forEachField(stream, [&](int ofModel, int64_t) {
    if (ofModel != wire::Model::kGraphFieldNumber)
      return;
    forEachField(stream, [&](int ofGraph, int64_t) {
      if (ofGraph == wire::Graph::kInitializerFieldNumber)
        places.initializers.push_back(placeOf(stream, model));
      if (ofGraph == wire::Graph::kNodeFieldNumber)
        addPlaceOfNode(stream, model, places);
    });
  });
  return places;
}

} // namespace windlass::onnx

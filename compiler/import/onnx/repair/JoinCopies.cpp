// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/JoinCopies.h"

#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/repair/CheckFolding.h"
#include "compiler/import/onnx/rewrite/BindDimensions.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

/// Elements of a tensor that an exporter computed of a parameter.
class Computed {
public:
  static Result<Computed> read(const Tensor &tensor) {
    Computed computed;
    computed.shape = tensor.shape;
    computed.width = static_cast<size_t>(bytesOf(tensor.type));
    WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) { computed.bytes += bytes; }));
    return computed;
  }

  bool isUniform() const { return repeats(bytes, width); }

  /// The number of leading dimensions over which one slice of more than one element is repeated.
  size_t copiedDims() const {
    for (size_t dims = shape.size() - 1; dims > 0; --dims)
      if (const size_t slice = bytesFrom(dims);
          shape[dims - 1] > 1 && slice > width && slice < bytes.size() && repeats(bytes, slice))
        return dims;
    return 0;
  }

  /// Whether the slice behind `dims` dimensions has two equal rows, other than rows of one number.
  bool hasEqualRows(size_t dims) const {
    const std::string_view slice = std::string_view(bytes).substr(0, bytesFrom(dims));
    const size_t row = bytesFrom(shape.size() - 1);
    std::set<std::string_view> seen;
    for (size_t at = 0; at < slice.size(); at += row)
      if (const std::string_view here = slice.substr(at, row);
          !seen.insert(here).second && !repeats(here, width))
        return true;
    return false;
  }

private:
  size_t bytesFrom(size_t dim) const {
    return static_cast<size_t>(elementsOf({shape.begin() + static_cast<std::ptrdiff_t>(dim), shape.end()})) *
           width;
  }
  /// Whether each byte equals the byte `period` before it.
  static bool repeats(std::string_view text, size_t period) {
    return text.substr(period) == text.substr(0, text.size() - period);
  }

  Shape shape;
  size_t width = 0;
  std::string bytes;
};

/// Whether the first dimension of a tensor has the size of the batch, which must be fixed and more than 1.
bool isOverBatch(const Shape &shape, int64_t batch) { return batch > 1 && shape[0] == batch; }

/// Whether a trained tensor may be copies of a parameter: an exporter made it, from more than one transposed
/// parameter.
bool mayBeCopies(const Graph &graph, const Parameter &row, int64_t batch) {
  const Value &value = graph.at(row.value);
  const Weight &weight = *value.weight;
  const bool isMade = weight.mark == Mark::None && (isGenerated(value.name) || !weight.foldedFrom.empty());
  return row.trainable && isMade && value.shape.size() > 1 && elementsOf(value.shape) > 0 &&
         (weight.isFoldedWithOthers || isOverBatch(value.shape, batch));
}

/// Whether the tensor is rows that were looked up in a table: modules name tables "weight", and no product
/// reads the tensor.
bool isLookup(const Graph &graph, const Parameter &row) {
  const Weight &weight = *graph.at(row.value).weight;
  return weight.isFoldedWithOthers &&
         (isLookedUp(graph.at(row.value)) || leafOfName(weight.foldedFrom) == "weight") &&
         std::ranges::none_of(graph.nodes, [&](const auto &node) {
           const bool isProduct =
               node->is("MatMul") || node->is("Gemm") || node->is("Conv") || node->is("ConvTranspose");
           return isProduct && std::ranges::count(node->inputs, row.value) > 0;
         });
}

Status refuse(const Graph &graph, const Parameter &row, const std::string &found) {
  const Value &value = graph.at(row.value);
  return Status::badInput(
      "tensor \"" + row.initializer + "\": was computed from the parameter " + value.weight->foldedFrom +
      ", and must be it or copies of it, is " + describe(value.shape) + " " + found +
      "; export without the exporter's optimiser (optimize=False), or with a dynamic batch");
}

/// Makes the value of a row the single slice, and its readers read an expansion of the slice.
Status join(Graph &graph, Parameter &row, size_t dims, NodeMaker &maker) {
  Value &value = graph.at(row.value);
  const Shape whole = value.shape;
  Weight slice = *value.weight;
  std::fill_n(slice.tensor.shape.begin(), dims, 1);
  if (!slice.tensor.bytes.empty())
    slice.tensor.bytes.resize(static_cast<size_t>(slice.tensor.byteSize()));
  value.shape = slice.tensor.shape;
  value.weight = std::make_shared<Weight>(std::move(slice));
  row.why += ", copies of one parameter over dimension" +
             (dims == 1 ? std::string(" 0") : "s 0 to " + std::to_string(dims - 1)) + " joined";
  const ValueId copies = maker.make("Expand", {row.value, maker.literal(Literal::ofIntegers(whole))});
  for (auto &node : graph.nodes)
    std::ranges::replace(node->inputs, row.value, copies);
  return maker.status();
}

} // namespace

Status joinCopies(Graph &graph, std::vector<Parameter> &rows) {
  NodeMaker::Nodes expands;
  NodeMaker maker(graph, expands);
  const int64_t batch = batchOf(graph);
  for (Parameter &row : rows) {
    if (!mayBeCopies(graph, row, batch))
      continue;
    const Weight &weight = *graph.at(row.value).weight;
    Result<Computed> computed = Computed::read(weight.tensor);
    if (!computed)
      return computed.status();
    const size_t dims = computed->copiedDims();
    if (computed->isUniform()) { // as in fresh parameters; it is not clear whether these are copies
      if (dims > 0 && weight.isFoldedWithOthers && isOverBatch(weight.tensor.shape, batch))
        return refuse(graph, row, "of one number, with a batch of " + std::to_string(batch));
      continue;
    }
    if (isLookup(graph, row) && computed->hasEqualRows(dims))
      return refuse(graph, row, "in which rows come again, but not all in turn");
    const bool isCopies = isRepeated(graph.at(row.value)) && !isLookedUp(graph.at(row.value));
    if (dims == 0 && isCopies && weight.tensor.shape[0] > 1)
      return refuse(graph, row, "in which no slices are equal");
    if (dims > 0)
      WINDLASS_TRY(join(graph, row, dims, maker));
  }
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(expands.begin()),
                     std::make_move_iterator(expands.end()));
  return Status::ok();
}

} // namespace windlass::onnx

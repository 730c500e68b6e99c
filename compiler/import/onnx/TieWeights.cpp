#include "compiler/import/onnx/TieWeights.h"

#include "compiler/import/onnx/Names.h"
#include "compiler/import/onnx/Rewrite.h"
#include <algorithm>
#include <cstring>

namespace windlass::onnx {
namespace {

/// What equal matrices have in common, however they stand.
struct Digest {
  uint64_t sum = 0; ///< of the scrambled elements, in any order
  bool isUniform = true;
};

uint64_t scrambled(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
  return bits ^ (bits >> 29);
}

Result<Digest> digestOf(const Tensor &tensor) {
  const size_t width = static_cast<size_t>(bytesOf(tensor.type));
  Digest digest;
  std::string first;
  WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) {
    if (first.empty())
      first = bytes.substr(0, width);
    for (size_t at = 0; at < bytes.size(); at += width) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + at, width);
      digest.sum += scrambled(bits);
      digest.isUniform &= bytes.compare(at, width, first) == 0;
    }
  }));
  return digest;
}

/// A parameter's elements, as the module has them.
class Matrix {
public:
  static Result<Matrix> read(const Graph &graph, const Parameter &row) {
    Matrix matrix;
    matrix.shape = graph.at(row.value).shape;
    matrix.isTurned = row.transposed;
    const Tensor &tensor = graph.at(row.value).weight->tensor;
    matrix.width = static_cast<size_t>(bytesOf(tensor.type));
    WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) { matrix.bytes += bytes; }));
    return matrix;
  }

  /// Whether element (r, c) of each is (r, c), or where it is turned (c, r), of the other.
  bool equals(const Matrix &other, bool turned) const {
    if (other.width != width || other.shape != (turned ? Shape{shape[1], shape[0]} : shape))
      return false;
    for (int64_t r = 0; r < shape[0]; ++r)
      for (int64_t c = 0; c < shape[1]; ++c)
        if (at(r, c) != (turned ? other.at(c, r) : other.at(r, c)))
          return false;
    return true;
  }

private:
  std::string_view at(int64_t r, int64_t c) const {
    const int64_t element = isTurned ? c * shape[0] + r : r * shape[1] + c;
    return std::string_view(bytes).substr(static_cast<size_t>(element) * width, width);
  }

  Shape shape;
  bool isTurned = false; ///< the file's tensor is the transpose
  size_t width = 0;
  std::string bytes;
};

void replaceInputs(Graph &graph, ValueId from, ValueId to) {
  for (auto &node : graph.nodes)
    std::ranges::replace(node->inputs, from, to);
}

/// The row among `others` that a row is the same as, as it stands or turned.
struct Twin {
  const Parameter *row = nullptr;
  bool isTurned = false;
};

Result<Twin> twinOf(const Graph &graph, const Parameter &row, const std::vector<Parameter *> &others) {
  if (others.empty())
    return Twin();
  Result<Matrix> own = Matrix::read(graph, row);
  if (!own)
    return own.status();
  Twin twin;
  for (const Parameter *other : others) {
    Result<Matrix> candidate = Matrix::read(graph, *other);
    if (!candidate)
      return candidate.status();
    if (own->equals(*candidate, false))
      return Twin{other, false};
    if (!twin.row && own->equals(*candidate, true))
      twin = {other, true};
  }
  return twin;
}

} // namespace

Status tieWeights(Graph &graph, std::vector<Parameter> &rows) {
  NodeMaker::Nodes transposes;
  NodeMaker maker(graph, transposes);
  std::map<uint64_t, std::vector<Parameter *>> known; ///< by the sum of their digest
  std::vector<Parameter *> order;                     // named ones first: theirs is the name that stays
  for (Parameter &row : rows)
    if (row.trainable && graph.at(row.value).shape.size() == 2)
      order.push_back(&row);
  std::ranges::stable_sort(order, {}, [](const Parameter *row) { return isGenerated(row->initializer); });
  for (Parameter *row : order) {
    Result<Digest> digest = digestOf(graph.at(row->value).weight->tensor);
    if (!digest)
      return digest.status();
    if (digest->isUniform)
      continue;
    std::vector<Parameter *> &alike = known[digest->sum];
    Result<Twin> twin = twinOf(graph, *row, alike);
    if (!twin)
      return twin.status();
    if (!twin->row) {
      alike.push_back(row);
      continue;
    }
    const ValueId kept = twin->row->value;
    replaceInputs(graph, row->value, twin->isTurned ? maker.transpose(kept, {1, 0}) : kept);
    row->why = "tied to " + twin->row->name + (twin->isTurned ? ", transposed" : "");
    row->trainable = false;
    row->tied = true;
  }
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(transposes.begin()),
                     std::make_move_iterator(transposes.end()));
  return maker.status();
}

} // namespace windlass::onnx

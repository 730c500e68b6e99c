#include "compiler/import/onnx/TieWeights.h"

#include "compiler/import/onnx/Names.h"
#include "compiler/import/onnx/Rewrite.h"
#include <algorithm>
#include <cstring>

namespace windlass::onnx {
namespace {

/// What equal matrices have in common.
struct Digest {
  uint64_t sum = 0;    ///< of the elements, each scrambled with its place
  uint64_t turned = 0; ///< the same of the transpose
  bool isUniform = true;
};

uint64_t scrambled(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
  return bits ^ (bits >> 29);
}

/// Of a parameter as the module has it: `shape` is the module's; `isTurned`: the tensor is its transpose.
Result<Digest> digestOf(const Tensor &tensor, const Shape &shape, bool isTurned) {
  const size_t width = static_cast<size_t>(bytesOf(tensor.type));
  const auto columns = static_cast<uint64_t>(shape[isTurned ? 0 : 1]);
  const auto rows = static_cast<uint64_t>(shape[isTurned ? 1 : 0]);
  Digest digest;
  std::string first;
  uint64_t place = 0;
  WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) {
    if (first.empty())
      first = bytes.substr(0, width);
    for (size_t at = 0; at < bytes.size(); at += width, ++place) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + at, width);
      digest.sum += scrambled(scrambled(bits) + place);
      digest.turned += scrambled(scrambled(bits) + place % columns * rows + place / columns);
      digest.isUniform &= bytes.compare(at, width, first) == 0;
    }
  }));
  if (isTurned)
    std::swap(digest.sum, digest.turned);
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

using Known = std::map<uint64_t, std::vector<Parameter *>>; ///< parameters, by the sum of their digest

/// The parameter that a row is the same as, as it stands or turned.
struct Twin {
  const Parameter *row = nullptr;
  bool isTurned = false;
};

Result<Twin> twinOf(const Graph &graph, const Parameter &row, const Digest &digest, const Known &known) {
  for (bool isTurned : {false, true}) {
    auto alike = known.find(isTurned ? digest.turned : digest.sum);
    if (alike == known.end())
      continue;
    Result<Matrix> own = Matrix::read(graph, row);
    if (!own)
      return own.status();
    for (const Parameter *other : alike->second) {
      Result<Matrix> candidate = Matrix::read(graph, *other);
      if (!candidate)
        return candidate.status();
      if (own->equals(*candidate, isTurned))
        return Twin{other, isTurned};
    }
  }
  return Twin();
}

} // namespace

Status tieWeights(Graph &graph, std::vector<Parameter> &rows) {
  NodeMaker::Nodes transposes;
  NodeMaker maker(graph, transposes);
  Known known;
  std::vector<Parameter *> order; // named ones first: theirs is the name that stays
  for (Parameter &row : rows)
    if (row.trainable && graph.at(row.value).shape.size() == 2)
      order.push_back(&row);
  std::ranges::stable_sort(order, {}, [](const Parameter *row) { return isGenerated(row->initializer); });
  for (Parameter *row : order) {
    const Value &value = graph.at(row->value);
    Result<Digest> digest = digestOf(value.weight->tensor, value.shape, row->transposed);
    if (!digest)
      return digest.status();
    if (digest->isUniform)
      continue;
    Result<Twin> twin = twinOf(graph, *row, *digest, known);
    if (!twin)
      return twin.status();
    if (!twin->row) {
      known[digest->sum].push_back(row);
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

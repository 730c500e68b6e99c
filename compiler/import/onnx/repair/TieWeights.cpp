// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/TieWeights.h"

#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include "runtime/base/NearestName.h"
#include <algorithm>
#include <cstring>

namespace windlass::onnx {
namespace {

/// Sums that are equal for equal matrices.
struct Digest {
  uint64_t sum = 0;    ///< of hashes of each element and its place
  uint64_t turned = 0; ///< the same for the transpose
  bool isUniform = true;
};

uint64_t scrambled(uint64_t bits) {
  bits = (bits ^ (bits >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
  return bits ^ (bits >> 29);
}

/// The digest of a parameter in the module's orientation. `shape`: in the module; `isTurned`: the tensor of
/// the file is the transpose.
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

/// The elements of a parameter, in the module's orientation.
class Elements {
public:
  static Result<Elements> read(const Graph &graph, const Parameter &row) {
    Elements elements;
    elements.shape = graph.at(row.value).shape;
    elements.isTurned = row.transposed;
    const Tensor &tensor = graph.at(row.value).weight->tensor;
    elements.width = static_cast<size_t>(bytesOf(tensor.type));
    WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) { elements.bytes += bytes; }));
    return elements;
  }

  /// Whether this equals `other`, or with `turned` the transpose of `other`.
  bool equal(const Elements &other, bool turned) const {
    if (turned && shape.size() != 2)
      return false;
    if (other.width != width || other.shape != (turned ? Shape{shape[1], shape[0]} : shape))
      return false;
    if (!turned && isTurned == other.isTurned)
      return bytes == other.bytes;
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

/// The source of an initializer: the parameter that it was computed from, or else its own name. Empty: an
/// exporter made up the name.
std::string sourceOf(const Graph &graph, const Parameter &row) {
  const std::string &source = graph.at(row.value).weight->foldedFrom;
  return !source.empty() ? source : isGenerated(row.initializer) ? "" : row.initializer;
}

/// Whether two equal tensors are one parameter. Tensors with two sources are two parameters. A row that the
/// module lists is no copy of a row with another name. Else a tensor without a source is a copy of a tensor
/// with one, and of another without one unless two modules read them.
bool isCopy(const Graph &graph, const Parameter &row, const Parameter &other) {
  const std::string own = sourceOf(graph, row), of = sourceOf(graph, other);
  if (!own.empty() && !of.empty())
    return own == of;
  if (std::ranges::count(graph.moduleParameters, row.name) > 0 && row.name != other.name)
    return false;
  if (!own.empty() || !of.empty() || isGenerated(row.name) || isGenerated(other.name))
    return true;
  return graph.numbersCalls && leafOfName(row.name) == leafOfName(other.name) &&
         (isLaterCall(scopeOfName(row.name), scopeOfName(other.name)) ||
          isLaterCall(scopeOfName(other.name), scopeOfName(row.name)));
}

/// A parameter that a row is equal to, perhaps transposed.
struct Twin {
  const Parameter *row = nullptr;
  bool isTurned = false;
};

class Ties {
public:
  Ties(Graph &graph, std::vector<Parameter> &rows) : graph(graph), rows(rows), maker(graph, transposes) {}

  Status tieNamed(const std::string &name, const std::string &other);
  Status tieCopies();
  /// Inserts the nodes that transpose tied parameters, at the beginning of the graph.
  Status finish() {
    graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(transposes.begin()),
                       std::make_move_iterator(transposes.end()));
    return maker.status();
  }

private:
  Result<Parameter *> find(const std::string &name);
  Status tieOne(Parameter &row);
  Result<Twin> twinOf(const Parameter &row, const Digest &digest, bool isCopied) const;
  void join(Parameter &row, const Twin &twin);

  Graph &graph;
  std::vector<Parameter> &rows;
  NodeMaker::Nodes transposes;
  NodeMaker maker;
  std::map<uint64_t, std::vector<Parameter *>> known; ///< by the sum of their digest
};

Result<Parameter *> Ties::find(const std::string &name) {
  std::vector<std::string_view> names;
  for (Parameter &row : rows)
    if (row.trainable) {
      if (row.name == name)
        return &row;
      names.push_back(row.name);
    }
  const std::string_view nearest = nearestName(name, names);
  return Status::badInput("--tie: the file has no parameter \"" + name + "\"" +
                          (nearest.empty() ? "" : " (\"" + std::string(nearest) + "\" is one)"));
}

Status Ties::tieNamed(const std::string &name, const std::string &other) {
  Result<Parameter *> kept = find(name), row = find(other);
  if (!kept || !row)
    return kept ? row.status() : kept.status();
  if (*kept == *row)
    return Status::ok();
  Result<Elements> first = Elements::read(graph, **kept), second = Elements::read(graph, **row);
  if (!first || !second)
    return first ? second.status() : first.status();
  for (bool isTurned : {false, true})
    if (second->equal(*first, isTurned)) {
      join(**row, {*kept, isTurned});
      return Status::ok();
    }
  return Status::badInput("--tie " + name + "=" + other + ": must be equal, and differ (" +
                          describe(graph.at((*kept)->value).shape) + " and " +
                          describe(graph.at((*row)->value).shape) + ")");
}

Status Ties::tieCopies() {
  std::vector<Parameter *> order; // those with names first, since their names are kept
  for (Parameter &row : rows)
    if (row.trainable && graph.at(row.value).shape.size() == 2)
      order.push_back(&row);
  std::ranges::stable_sort(order, {}, [](const Parameter *row) { return isGenerated(row->initializer); });
  for (Parameter *row : order)
    WINDLASS_TRY(tieOne(*row));
  return Status::ok();
}

Status Ties::tieOne(Parameter &row) {
  const Value &value = graph.at(row.value);
  Result<Digest> digest = digestOf(value.weight->tensor, value.shape, row.transposed);
  if (!digest)
    return digest.status();
  if (digest->isUniform)
    return Status::ok();
  for (bool isCopied : {true, false}) {
    Result<Twin> twin = twinOf(row, *digest, isCopied);
    if (!twin)
      return twin.status();
    if (twin->row && isCopied) {
      join(row, *twin);
      return Status::ok();
    }
    if (twin->row)
      row.why += ", equal to " + twin->row->name + " and apart";
  }
  known[digest->sum].push_back(&row);
  return Status::ok();
}

/// An equal parameter among the known ones: with `isCopied` one that the row is a copy of (isCopy), else one
/// that it is not a copy of.
Result<Twin> Ties::twinOf(const Parameter &row, const Digest &digest, bool isCopied) const {
  for (bool isTurned : {false, true}) {
    auto alike = known.find(isTurned ? digest.turned : digest.sum);
    if (alike == known.end())
      continue;
    for (const Parameter *other : alike->second) {
      if (isCopy(graph, row, *other) != isCopied)
        continue;
      Result<Elements> own = Elements::read(graph, row), candidate = Elements::read(graph, *other);
      if (!own || !candidate)
        return own ? candidate.status() : own.status();
      if (own->equal(*candidate, isTurned))
        return Twin{other, isTurned};
    }
  }
  return Twin();
}

void Ties::join(Parameter &row, const Twin &twin) {
  const ValueId kept = twin.row->value;
  replaceInputs(graph, row.value, twin.isTurned ? maker.transpose(kept, {1, 0}) : kept);
  row.why = "tied to " + twin.row->name + (twin.isTurned ? ", transposed" : "");
  row.trainable = false;
  row.tied = true;
}

} // namespace

Status tieWeights(Graph &graph, const OnnxOptions &options, std::vector<Parameter> &rows) {
  Ties ties(graph, rows);
  for (const auto &[name, other] : options.ties)
    WINDLASS_TRY(ties.tieNamed(name, other));
  if (options.tie)
    WINDLASS_TRY(ties.tieCopies());
  return ties.finish();
}

} // namespace windlass::onnx

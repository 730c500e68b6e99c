#include "compiler/import/onnx/TieWeights.h"

#include "compiler/import/onnx/Names.h"
#include "compiler/import/onnx/Rewrite.h"
#include "runtime/base/Hash.h"
#include <algorithm>

namespace windlass::onnx {
namespace {

bool isUniform(const std::string &bytes, size_t width) {
  for (size_t at = width; at < bytes.size(); at += width)
    if (bytes.compare(at, width, bytes, 0, width) != 0)
      return false;
  return true;
}

std::string transposed(const std::string &bytes, const Shape &shape, size_t width) {
  const size_t rows = static_cast<size_t>(shape[0]), columns = static_cast<size_t>(shape[1]);
  std::string result(bytes.size(), '\0');
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c)
      std::copy_n(bytes.data() + (r * columns + c) * width, width, result.data() + (c * rows + r) * width);
  return result;
}

std::string fingerprint(const Shape &shape, const std::string &bytes) {
  return describe(shape) + " " + hashOfBytes(bytes);
}

void replaceInputs(Graph &graph, ValueId from, ValueId to) {
  for (auto &node : graph.nodes)
    std::ranges::replace(node->inputs, from, to);
}

} // namespace

Status tieWeights(Graph &graph, std::vector<Parameter> &rows) {
  NodeMaker::Nodes transposes;
  NodeMaker maker(graph, transposes);
  std::map<std::string, Parameter *> known;
  std::vector<Parameter *> order; // named ones first: theirs is the name that stays
  for (Parameter &row : rows)
    if (row.trainable && graph.at(row.value).shape.size() == 2)
      order.push_back(&row);
  std::ranges::stable_sort(order, {}, [](const Parameter *row) { return isGenerated(row->initializer); });
  for (Parameter *row : order) {
    const Tensor &tensor = graph.at(row->value).weight->tensor;
    const size_t width = static_cast<size_t>(bytesOf(tensor.type));
    Result<std::string> stored = bytesOfTensor(tensor);
    if (!stored)
      return stored.status();
    if (isUniform(*stored, width))
      continue;
    const Shape shape = graph.at(row->value).shape, flipped = {shape[1], shape[0]};
    const std::string other = transposed(*stored, tensor.shape, width);
    const std::string &own = row->transposed ? other : *stored, &across = row->transposed ? *stored : other;
    if (auto same = known.find(fingerprint(shape, own)); same != known.end()) {
      replaceInputs(graph, row->value, same->second->value);
      row->why = "tied to " + same->second->name;
    } else if (auto turned = known.find(fingerprint(flipped, across)); turned != known.end()) {
      replaceInputs(graph, row->value, maker.transpose(turned->second->value, {1, 0}));
      row->why = "tied to " + turned->second->name + ", transposed";
    } else {
      known[fingerprint(shape, own)] = row;
      continue;
    }
    row->trainable = false;
  }
  graph.nodes.insert(graph.nodes.begin(), std::make_move_iterator(transposes.begin()),
                     std::make_move_iterator(transposes.end()));
  return maker.status();
}

} // namespace windlass::onnx

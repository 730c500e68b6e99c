// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/graph/Model.h"

#include "runtime/base/Bf16.h"
#include "runtime/base/DurableFile.h"
#include "runtime/base/F16.h"
#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

namespace windlass::onnx {
namespace {

template <typename Stored> Stored load(const char *at) {
  Stored value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

int64_t integerAt(DataType type, const char *at) {
  switch (type) {
  case DataType::Int32:
    return load<int32_t>(at);
  case DataType::Int64:
    return load<int64_t>(at);
  case DataType::Uint8:
  case DataType::Bool:
    return load<uint8_t>(at);
  case DataType::Undefined:
  case DataType::Float:
  case DataType::Double:
  case DataType::Float16:
  case DataType::BFloat16:
    break;
  }
  return 0;
}

} // namespace

Status visitBytes(const Tensor &tensor, const std::function<void(std::string_view)> &visit) {
  constexpr int64_t kPiece = 1 << 20; ///< a multiple of every element's bytes
  if (!tensor.bytes.empty() || tensor.byteSize() == 0) {
    visit(tensor.bytes);
    return Status::ok();
  }
  Result<File> file = File::openForReading(tensor.file);
  std::string piece;
  for (int64_t read = 0; file && read < tensor.byteSize(); read += std::ssize(piece)) {
    piece.resize(static_cast<size_t>(std::min(tensor.byteSize() - read, kPiece)));
    if (Status status = file->readAt(tensor.offset + read, std::as_writable_bytes(std::span(piece))); !status)
      return Status::badInput(status.message());
    visit(piece);
  }
  return file ? Status::ok() : Status::badInput(file.status().message());
}

double realAt(DataType type, const char *bytes) {
  switch (type) {
  case DataType::Float:
    return load<float>(bytes);
  case DataType::Double:
    return load<double>(bytes);
  case DataType::Float16:
    return widenF16(load<uint16_t>(bytes));
  case DataType::BFloat16:
    return widenBf16(load<uint16_t>(bytes));
  case DataType::Undefined:
  case DataType::Int32:
  case DataType::Int64:
  case DataType::Uint8:
  case DataType::Bool:
    break;
  }
  return static_cast<double>(integerAt(type, bytes));
}

Result<Literal> literalOf(const Tensor &tensor) {
  Literal literal = Literal::filled(tensor.type, tensor.shape, 0);
  const size_t width = static_cast<size_t>(bytesOf(tensor.type));
  int64_t i = 0;
  Status read = visitBytes(tensor, [&](std::string_view bytes) {
    for (size_t at = 0; at < bytes.size(); at += width, ++i)
      if (literal.isFloat())
        literal.set(i, realAt(tensor.type, bytes.data() + at));
      else
        literal.setInteger(i, integerAt(tensor.type, bytes.data() + at));
  });
  return read ? Result<Literal>(std::move(literal)) : Result<Literal>(read);
}

Result<bool> isUniform(const Tensor &tensor) {
  const size_t width = static_cast<size_t>(bytesOf(tensor.type));
  std::optional<double> first;
  bool isSame = true;
  WINDLASS_TRY(visitBytes(tensor, [&](std::string_view bytes) {
    for (size_t at = 0; isSame && at < bytes.size(); at += width) {
      const double value = realAt(tensor.type, bytes.data() + at);
      first = first.value_or(value);
      isSame = value == *first;
    }
  }));
  return isSame;
}

ValueId Graph::add(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::find(std::string_view wanted) const {
  auto found = std::ranges::find(values, wanted, &Value::name);
  return found == values.end() ? kAbsent : static_cast<ValueId>(found - values.begin());
}

std::string Graph::parameterOf(const std::string &argument) const {
  auto found = tracedParameters.find(argument.starts_with('%') ? argument.substr(1) : "");
  return found == tracedParameters.end() ? "" : found->second;
}

bool Graph::isGiven(const Node &node, const std::string &parameter) const {
  return std::ranges::any_of(node.call.arguments,
                             [&](const std::string &argument) { return parameterOf(argument) == parameter; });
}

const Node *Graph::producer(ValueId id, std::string_view op) const {
  const Node *node = id == kAbsent ? nullptr : at(id).producer;
  return node && node->is(op) ? node : nullptr;
}

std::vector<ValueId> Graph::sourcesOf(ValueId value) const {
  std::set<ValueId> seen;
  std::vector<ValueId> sources, left = {value};
  while (!left.empty()) {
    const ValueId id = left.back();
    left.pop_back();
    if (id == kAbsent || at(id).literal || !seen.insert(id).second)
      continue;
    if (const Node *node = at(id).producer)
      left.insert(left.end(), node->inputs.begin(), node->inputs.end());
    else
      sources.push_back(id);
  }
  return sources;
}

bool Graph::dependsOnData(ValueId value) const {
  return std::ranges::any_of(sourcesOf(value), [&](ValueId source) { return !at(source).weight; });
}

void Graph::replaceUses(ValueId from, ValueId to) {
  for (auto &node : nodes)
    std::ranges::replace(node->inputs, from, to);
  std::ranges::replace(outputs, from, to);
  std::ranges::replace(lossOutputs, from, to);
}

void Graph::removeDead() {
  std::set<ValueId> live(outputs.begin(), outputs.end());
  std::vector<std::unique_ptr<Node>> kept;
  for (size_t i = nodes.size(); i-- > 0;) {
    Node &node = *nodes[i];
    if (std::ranges::any_of(node.outputs, [&](ValueId id) { return id != kAbsent && live.contains(id); })) {
      live.insert(node.inputs.begin(), node.inputs.end());
      kept.push_back(std::move(nodes[i]));
      continue;
    }
    for (ValueId id : node.outputs)
      if (id != kAbsent)
        at(id).producer = nullptr;
  }
  std::ranges::reverse(kept);
  nodes = std::move(kept);
}

} // namespace windlass::onnx

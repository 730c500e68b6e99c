#include "compiler/import/onnx/Model.h"

#include "compiler/import/onnx/ExternalData.h"
#include "runtime/base/Bf16.h"
#include "runtime/base/F16.h"
#include <algorithm>
#include <cstring>
#include <set>

namespace windlass::onnx {
namespace {

template <typename Stored> Stored load(const char *at) {
  Stored value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

} // namespace

Result<std::string> bytesOfTensor(const Tensor &tensor) {
  return tensor.file.empty() ? Result<std::string>(tensor.bytes)
                             : readRange({tensor.file, tensor.offset}, tensor.byteSize());
}

Result<Literal> literalOf(const Tensor &tensor) {
  Result<std::string> bytes = bytesOfTensor(tensor);
  if (!bytes)
    return bytes.status();
  Literal literal = Literal::filled(tensor.type, tensor.shape, 0);
  const int64_t width = bytesOf(tensor.type);
  for (int64_t i = 0; i < literal.size(); ++i) {
    const char *at = bytes->data() + i * width;
    switch (tensor.type) {
    case DataType::Undefined:
      break;
    case DataType::Float:
      literal.set(i, load<float>(at));
      break;
    case DataType::Double:
      literal.set(i, load<double>(at));
      break;
    case DataType::Float16:
      literal.set(i, widenF16(load<uint16_t>(at)));
      break;
    case DataType::BFloat16:
      literal.set(i, widenBf16(load<uint16_t>(at)));
      break;
    case DataType::Int32:
      literal.setInteger(i, load<int32_t>(at));
      break;
    case DataType::Int64:
      literal.setInteger(i, load<int64_t>(at));
      break;
    case DataType::Uint8:
    case DataType::Bool:
      literal.setInteger(i, load<uint8_t>(at));
      break;
    }
  }
  return literal;
}

ValueId Graph::add(Value value) {
  values.push_back(std::move(value));
  return static_cast<ValueId>(values.size() - 1);
}

ValueId Graph::find(std::string_view wanted) const {
  auto found = std::ranges::find(values, wanted, &Value::name);
  return found == values.end() ? kAbsent : static_cast<ValueId>(found - values.begin());
}

const Node *Graph::producer(ValueId id, std::string_view op) const {
  const Node *node = id == kAbsent ? nullptr : at(id).producer;
  return node && node->is(op) ? node : nullptr;
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
    if (std::ranges::any_of(node.outputs, [&](ValueId id) { return live.contains(id); })) {
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

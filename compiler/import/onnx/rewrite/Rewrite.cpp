// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/rewrite/Rewrite.h"

#include "compiler/import/onnx/rewrite/FoldConstants.h"

namespace windlass::onnx {

ValueId NodeMaker::add(std::unique_ptr<Node> node) {
  Value result;
  result.producer = node.get();
  const ValueId id = graph.add(std::move(result));
  node->outputs = {id};
  node->scope = scope;
  if (Status typed = inferNode(graph, *node); !typed && failure)
    failure = Status::internal("a rewrite made a wrong " + node->op + ": " + typed.message());
  into->push_back(std::move(node));
  return id;
}

ValueId NodeMaker::make(const std::string &op, std::vector<ValueId> inputs, Attributes attributes) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->inputs = std::move(inputs);
  node->attributes = std::move(attributes);
  return add(std::move(node));
}

ValueId NodeMaker::makeOwn(const std::string &op, std::vector<ValueId> inputs, Attributes attributes) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->domain = kOwnDomain;
  node->inputs = std::move(inputs);
  node->attributes = std::move(attributes);
  return add(std::move(node));
}

ValueId NodeMaker::reshape(ValueId id, const Shape &shape) {
  return graph.at(id).shape == shape ? id : make("Reshape", {id, literal(Literal::ofIntegers(shape))});
}

ValueId NodeMaker::transpose(ValueId id, const std::vector<int64_t> &perm) {
  return make("Transpose", {id}, {{"perm", perm}});
}

ValueId NodeMaker::literal(Literal literal) {
  Value value;
  value.type = literal.type;
  value.shape = literal.shape;
  value.literal = std::make_shared<Literal>(std::move(literal));
  return graph.add(std::move(value));
}

bool NodeMaker::isReadOnce(ValueId id) const {
  const auto readers = uses->find(id);
  return readers != uses->end() && readers->second.size() == 1 && !std::ranges::count(graph.outputs, id);
}

Status rewrite(Graph &graph, const Replacement &replace) {
  const Uses uses = usesOf(graph);
  NodeMaker::Nodes old = std::move(graph.nodes), made;
  graph.nodes.clear();
  for (size_t i = 0; i < old.size(); ++i) {
    NodeMaker maker(graph, made, old[i]->scope, &uses);
    const ValueId result = replace(*old[i], maker);
    if (!maker.status())
      return maker.status();
    made.push_back(std::move(old[i]));
    if (result == kAbsent)
      continue;
    const ValueId former = made.back()->outputs[0];
    if (graph.at(result).name.empty())
      graph.at(result).name = graph.at(former).name;
    for (size_t j = i + 1; j < old.size(); ++j)
      for (ValueId &input : old[j]->inputs)
        input = input == former ? result : input;
    for (ValueId &output : graph.outputs)
      output = output == former ? result : output;
  }
  graph.nodes = std::move(made);
  graph.removeDead();
  return Status::ok();
}

} // namespace windlass::onnx

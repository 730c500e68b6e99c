// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/repair/Detach.h"

#include "compiler/import/onnx/file/Reader.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/rewrite/Rewrite.h"
#include <algorithm>
#include <set>

namespace windlass::onnx {
namespace {

constexpr std::string_view kDetach = "detach";

/// Consecutive nodes of one call, and their inputs that other nodes make.
struct Spelling {
  std::vector<Node *> nodes;
  std::vector<ValueId *> reads;

  const Node &first() const { return *nodes.front(); }
  const std::vector<std::string> tensors() const { return first().call.tensors(); }
};

class Settler {
public:
  explicit Settler(Graph &graph) : graph(graph) {
    for (ValueId id = 0; id < std::ssize(graph.values); ++id)
      names.emplace(graph.at(id).name, id);
  }

  Status run() {
    takeIdentities();
    for (Spelling &spelling : spellings())
      WINDLASS_TRY(settle(spelling));
    WINDLASS_TRY(checkCopies());
    insertDetaches();
    return Status::ok();
  }

private:
  void takeIdentities();
  std::vector<Spelling> spellings();
  Status settle(Spelling &spelling);
  Status checkCopies() const;
  void insertDetaches();
  ValueId find(const std::string &name) const;
  ValueId named(const std::string &tensor) const;
  bool isLost(const std::string &tensor) const;
  bool isOf(ValueId read, const std::vector<std::string> &lost) const;
  std::set<ValueId> byName(const Spelling &spelling, const std::vector<std::string> &lost) const;
  bool detachByPlace(Spelling &spelling);
  void detach(ValueId &read, const Node &reader);

  Graph &graph;
  std::map<std::string, ValueId> names;
  std::map<ValueId, std::pair<const Node *, ValueId>>
      detached; ///< by value: its first reader, and the detached value
  std::set<std::string> settledLines;
};

/// Makes the node a Detach of our own domain, which later steps do not remove as they would an Identity.
void becomeDetach(Node &node) {
  node.op = "Detach";
  node.domain = kOwnDomain;
}

bool stopsGradient(const Node &node) { return node.op == "Detach" && node.domain == kOwnDomain; }

void Settler::takeIdentities() {
  for (auto &node : graph.nodes)
    if (node->is("Identity") && node->call.isOf("aten.detach")) {
      becomeDetach(*node);
      settledLines.insert(node->detachingLine);
    }
}

std::vector<Spelling> Settler::spellings() {
  std::vector<Spelling> all;
  for (auto &node : graph.nodes) {
    if (all.empty() || node->call.operation.empty() || !(node->call == all.back().first().call))
      all.emplace_back();
    all.back().nodes.push_back(node.get());
  }
  for (Spelling &spelling : all)
    for (Node *node : spelling.nodes)
      for (ValueId &read : node->inputs)
        if (read != kAbsent && !std::ranges::count(spelling.nodes, graph.at(read).producer))
          spelling.reads.push_back(&read);
  return all;
}

ValueId Settler::find(const std::string &name) const {
  auto found = names.find(name);
  return found == names.end() ? kAbsent : found->second;
}

/// The value that a call names; kAbsent if an optimiser removed or renamed it.
ValueId Settler::named(const std::string &tensor) const {
  const ValueId id = find(tensor);
  if (id != kAbsent)
    return id;
  const std::string parameter = graph.parameterOf("%" + tensor);
  return parameter.empty() ? kAbsent : find(parameter);
}

/// Whether an argument of a call is a result of detach() that no node makes.
bool Settler::isLost(const std::string &tensor) const {
  if (operationOf(tensor) != kDetach)
    return false;
  const ValueId id = find(tensor);
  return id == kAbsent || graph.at(id).weight;
}

/// Whether an optimiser computed this initializer through one of the lost values.
bool Settler::isOf(ValueId read, const std::vector<std::string> &lost) const {
  const Value &value = graph.at(read);
  return std::ranges::any_of(lost, [&](const std::string &tensor) {
    return value.name == tensor ||
           (value.weight && std::ranges::count(value.weight->foldedThrough, tensor) > 0);
  });
}

/// The values that the nodes read and that no other argument of the call names. Empty if some other argument
/// is not in the file either.
std::set<ValueId> Settler::byName(const Spelling &spelling, const std::vector<std::string> &lost) const {
  std::set<ValueId> given, left;
  for (const std::string &tensor : spelling.tensors())
    if (!isLost(tensor)) {
      given.insert(named(tensor));
      if (named(tensor) == kAbsent)
        return {};
    }
  for (const ValueId *read : spelling.reads)
    if (!given.contains(*read) && (!graph.at(*read).weight || isOf(*read, lost)))
      left.insert(*read);
  return left;
}

/// Detaches by position: if the nodes read as many tensors as the call has, in the order of the call.
bool Settler::detachByPlace(Spelling &spelling) {
  const std::vector<std::string> tensors = spelling.tensors();
  if (tensors.size() != spelling.reads.size())
    return false;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const ValueId id = isLost(tensors[i]) ? kAbsent : named(tensors[i]);
    if (id != kAbsent && id != *spelling.reads[i])
      return false;
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (isLost(tensors[i]))
      detach(*spelling.reads[i], spelling.first());
  return true;
}

Status Settler::settle(Spelling &spelling) {
  std::vector<std::string> lost;
  for (const std::string &tensor : spelling.tensors())
    if (isLost(tensor) && !std::ranges::count(lost, tensor))
      lost.push_back(tensor);
  if (lost.empty())
    return Status::ok();
  settledLines.insert(spelling.first().detachingLine);
  if (const std::set<ValueId> left = byName(spelling, lost); left.size() == lost.size()) {
    for (ValueId *read : spelling.reads)
      if (left.contains(*read))
        detach(*read, spelling.first());
    return Status::ok();
  }
  if (detachByPlace(spelling))
    return Status::ok();
  return Status::badInput(placeOf(graph, spelling.first()) + ": the file says that it reads \"" + lost[0] +
                          "\", the result of detach(), and not of which value; export with optimize=False");
}

/// Refuses a lost copy of a detached value: it is named as a copy, and only the module's line, which the file
/// quotes, shows the detach.
Status Settler::checkCopies() const {
  static const std::set<std::string_view> copies = {"_to_copy", "alias",   "clone",   "contiguous", "expand",
                                                    "flatten",  "reshape", "squeeze", "unsqueeze",  "view"};
  for (const auto &node : graph.nodes) {
    if (node->detachingLine.empty() || settledLines.contains(node->detachingLine))
      continue;
    for (const std::string &tensor : node->call.tensors())
      if (copies.contains(operationOf(tensor)) && named(tensor) == kAbsent)
        return Status::badInput(placeOf(graph, *node) + ": the line it was traced from, \"" +
                                node->detachingLine + "\", calls detach(), and the file lacks \"" + tensor +
                                "\", which may be of it; export with optimize=False");
  }
  return Status::ok();
}

/// Makes a reader read the detached value instead. One Detach node per value is inserted later, before its
/// first reader.
void Settler::detach(ValueId &read, const Node &reader) {
  auto [entry, isNew] = detached.try_emplace(read, &reader, kAbsent);
  if (isNew) {
    Value value = graph.at(read);
    value.name += ".detached";
    while (graph.find(value.name) != kAbsent)
      value.name += "'";
    value.weight = nullptr;
    value.producer = nullptr;
    entry->second.second = graph.add(std::move(value));
  }
  read = entry->second.second;
}

void Settler::insertDetaches() {
  std::vector<std::unique_ptr<Node>> nodes;
  for (auto &node : graph.nodes) {
    for (const auto &[id, made] : detached)
      if (made.first == node.get()) {
        auto own = std::make_unique<Node>();
        becomeDetach(*own);
        own->scope = node->scope;
        own->inputs = {id};
        own->outputs = {made.second};
        graph.at(made.second).producer = own.get();
        nodes.push_back(std::move(own));
      }
    nodes.push_back(std::move(node));
  }
  graph.nodes = std::move(nodes);
}

} // namespace

Status settleDetached(Graph &graph) { return Settler(graph).run(); }

void dropIdleDetaches(Graph &graph) {
  std::set<ValueId> reached; // values that depend on a parameter
  for (ValueId id = 0; id < std::ssize(graph.values); ++id)
    if (graph.at(id).weight && !graph.at(id).literal)
      reached.insert(id);
  for (auto &node : graph.nodes) {
    const bool isReached =
        std::ranges::any_of(node->inputs, [&](ValueId id) { return reached.contains(id); });
    const bool isDetach = stopsGradient(*node);
    if (isDetach && !(isReached && isFloat(graph.at(node->outputs[0]).type)))
      graph.replaceUses(node->outputs[0], node->inputs[0]);
    if (isReached && !isDetach)
      reached.insert(node->outputs.begin(), node->outputs.end());
    reached.erase(kAbsent);
  }
  graph.removeDead();
}

void fixDetached(const Graph &graph, ParameterTable &parameters) {
  std::set<ValueId> read,
      reaching(graph.outputs.begin(), graph.outputs.end()); // `reaching`: through paths with gradients
  for (size_t i = graph.nodes.size(); i-- > 0;) {
    const Node &node = *graph.nodes[i];
    read.insert(node.inputs.begin(), node.inputs.end());
    if (!stopsGradient(node) &&
        std::ranges::any_of(node.outputs, [&](ValueId id) { return reaching.contains(id); }))
      reaching.insert(node.inputs.begin(), node.inputs.end());
    reaching.erase(kAbsent);
  }
  if (std::ranges::none_of(graph.nodes, [](const auto &node) { return stopsGradient(*node); }))
    return;
  for (Parameter &row : parameters.rows)
    if (row.trainable && read.contains(row.value) && !reaching.contains(row.value)) {
      row.trainable = false;
      row.why += "; has no gradient: what reads it is detached";
    }
}

} // namespace windlass::onnx

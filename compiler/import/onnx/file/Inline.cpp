// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/onnx/file/Inline.h"

#include "compiler/import/onnx/file/Onnx.pb.h"
#include <compare>
#include <map>

namespace windlass::onnx {
namespace {

constexpr int kDeepest = 64; ///< calls within calls

class Inliner {
public:
  explicit Inliner(wire::Model &model) : model(model) {}

  Status run() {
    for (const wire::Function &function : model.functions())
      if (!functions.emplace(Key(function.domain(), function.name(), function.overload()), &function).second)
        return Status::badInput("function \"" + function.name() + "\": is defined twice");
    if (functions.empty())
      return Status::ok();
    auto *nodes = model.mutable_graph()->mutable_node();
    google::protobuf::RepeatedPtrField<wire::Node> written;
    written.Swap(nodes);
    for (wire::Node &node : written)
      WINDLASS_TRY(expand(std::move(node), 0));
    return Status::ok();
  }

private:
  using Names = std::map<std::string, std::string>;

  /// What a call names.
  struct Key {
    Key(const std::string &domain, std::string name, std::string overload)
        : domain(isStandard(domain) ? "" : domain), name(std::move(name)), overload(std::move(overload)) {}
    auto operator<=>(const Key &) const = default;
    std::string domain, name, overload;
  };

  const wire::Function *callee(const wire::Node &node) const {
    auto found = functions.find(Key(node.domain(), node.op_type(), node.overload()));
    return found == functions.end() ? nullptr : found->second;
  }

  Status expand(wire::Node &&node, int depth) {
    const wire::Function *function = callee(node);
    if (!function) {
      model.mutable_graph()->mutable_node()->Add(std::move(node));
      return Status::ok();
    }
    if (depth == kDeepest || model.graph().node_size() >= kMostNodes || calls >= kMostNodes)
      return Status::badInput("function \"" + function->name() + "\": calls nest more than " +
                              std::to_string(kDeepest) + " deep, or are or make more than " +
                              std::to_string(kMostNodes) + " nodes");
    if (node.input_size() > function->input_size() || node.output_size() > function->output_size())
      return Status::badInput("node \"" + node.name() + "\": calls function \"" + function->name() +
                              "\" with more inputs or outputs than it has");
    Names names;
    for (int i = 0; i < function->input_size(); ++i)
      names[function->input(i)] = i < node.input_size() ? node.input(i) : "";
    const std::string prefix = "@" + std::to_string(++calls) + "/";
    for (int i = 0; i < function->output_size(); ++i)
      names[function->output(i)] =
          i < node.output_size() && !node.output(i).empty() ? node.output(i) : prefix + function->output(i);
    for (const wire::Node &inner : function->node())
      WINDLASS_TRY(expand(instance(inner, *function, node, names, prefix), depth + 1));
    return Status::ok();
  }

  /// A node of the body with the names and attributes of this call.
  static wire::Node instance(const wire::Node &inner, const wire::Function &function, const wire::Node &call,
                             Names &names, const std::string &prefix) {
    wire::Node node = inner;
    auto rename = [&](std::string &name) {
      if (!name.empty())
        name = names.try_emplace(name, prefix + name).first->second;
    };
    for (std::string &name : *node.mutable_input())
      rename(name);
    for (std::string &name : *node.mutable_output())
      rename(name);
    node.set_name(call.name() + "/" + inner.name());
    if (node.metadata_props().empty())
      *node.mutable_metadata_props() = call.metadata_props();
    google::protobuf::RepeatedPtrField<wire::Attribute> attributes;
    for (wire::Attribute &attribute : *node.mutable_attribute())
      if (attribute.ref_attr_name().empty())
        *attributes.Add() = attribute;
      else if (const wire::Attribute *given = argument(attribute.ref_attr_name(), function, call)) {
        *attributes.Add() = *given;
        attributes[attributes.size() - 1].set_name(attribute.name());
      }
    node.mutable_attribute()->Swap(&attributes);
    return node;
  }

  /// The attribute of the call, or else the default of the function.
  static const wire::Attribute *argument(const std::string &name, const wire::Function &function,
                                         const wire::Node &call) {
    for (const auto *attributes : {&call.attribute(), &function.attribute_proto()})
      for (const wire::Attribute &attribute : *attributes)
        if (attribute.name() == name)
          return &attribute;
    return nullptr;
  }

  wire::Model &model;
  std::map<Key, const wire::Function *> functions;
  int64_t calls = 0;
};

} // namespace

Status inlineFunctions(wire::Model &model) { return Inliner(model).run(); }

} // namespace windlass::onnx

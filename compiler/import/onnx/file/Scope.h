// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Scope.h - the module that a node came from ============================//
//
// Duty: finds the module path of a node, "transformer.h.0.ln_1", from the metadata of PyTorch's newer
// exporter, or else from the path that the older exporter puts into the node's name. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace windlass::onnx {

namespace wire {
class Node;
}

std::string scopeOf(const wire::Node &node);
/// Whether the name of a node is a path of TorchScript's exporter, which numbers the calls of a module
/// (isLaterCall()).
bool hasPath(const wire::Node &node);
/// Whether such a path may be a later call of `module`: "block.norm_1" or "block_1.norm", of "block.norm".
bool isLaterCall(const std::string &path, const std::string &module);

/// Whether a module is in a scope, whose path may lack containers that are not called (ModuleDict):
/// "h.0.mlp.c_fc" is in "h.0.c_fc" and in "h.0".
bool isWithin(std::string_view module, std::string_view scope);

/// "transformer.h.0.ln_1" from "/transformer/h.0/ln_1/Add_1"; empty if the name is no path.
std::string scopeOfPath(const std::string &name);
/// The scope from a path of TorchScript's exporter, which writes the name of a container twice if the
/// container is called itself: "blocks.0.mlp.0" from "/blocks/blocks.0/mlp/mlp.0/Add". `isModule`: whether
/// parameters show that a module has this name; then "blocks.blocks.0" is meant.
std::string scopeOfCalls(const std::string &name, const std::function<bool(const std::string &)> &isModule);
/// The words between apostrophes.
std::vector<std::string> quotedItems(const std::string &list);
/// The last item but one of "['', 'transformer', 'transformer.h.0', 'addmm']".
std::string scopeOfList(const std::string &list);

} // namespace windlass::onnx

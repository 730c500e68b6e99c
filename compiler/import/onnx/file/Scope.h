// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Scope.h - which module of the source a node came from ===============//
//
// Duty: "transformer.h.0.ln_1" for a node, from the marks of PyTorch's newer
// exporter, or else from the path that the older one puts into the node's name.
// Threads: pure functions.
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
/// Whether that is a path of TorchScript's exporter, which numbers the calls of a module (isLaterCall()).
bool hasPath(const wire::Node &node);
/// Whether such a path may be of a later call of a module: "block.norm_1" or "block_1.norm", of "block.norm".
bool isLaterCall(const std::string &path, const std::string &module);

/// Whether a module stands in a scope, which lacks containers that are not called (ModuleDict):
/// "h.0.mlp.c_fc" in "h.0.c_fc" and in "h.0".
bool isWithin(std::string_view module, std::string_view scope);

/// "transformer.h.0.ln_1" from "/transformer/h.0/ln_1/Add_1"; empty if the name is no path.
std::string scopeOfPath(const std::string &name);
/// Where a container is called itself, TorchScript's exporter says its name twice: "blocks.0.mlp.0" from
/// "/blocks/blocks.0/mlp/mlp.0/Add". `isModule`: whether parameters show that a module has this name, so that
/// "blocks.blocks.0" is meant.
std::string scopeOfCalls(const std::string &name, const std::function<bool(const std::string &)> &isModule);
/// The words between apostrophes.
std::vector<std::string> quotedItems(const std::string &list);
/// The last but one of "['', 'transformer', 'transformer.h.0', 'addmm']".
std::string scopeOfList(const std::string &list);

} // namespace windlass::onnx

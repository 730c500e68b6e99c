// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeData.h - the node tests of the ONNX project =====================//
//
// Duty: one folder of ONNX's backend node tests: a model of few nodes, what goes in
// and what must come out. The models are of the operator set in which their operator
// was last changed; those older than Windlass reads are raised to it, which changes
// nothing.
// Errors: what cannot be read is a Status; its message is the reason of a skip.
// Threads: one folder, one thread.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/import/onnx/graph/Model.h"
#include <set>
#include <string>
#include <vector>

namespace windlass::test {

struct NodeData {
  std::string name;
  onnx::Graph graph;
  std::vector<onnx::Tensor> inputs, outputs; ///< in the graph's order
};

/// The folders of all node tests, sorted; none if the Debian package libonnx-testdata is not installed.
std::vector<std::string> nodeFolders();
std::string nodeFolder(const std::string &name);

/// The operators of a test, also of one that cannot be read.
std::set<std::string> operatorsOf(const std::string &folder);

Result<NodeData> readNodeData(const std::string &folder);

} // namespace windlass::test

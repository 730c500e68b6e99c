// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- NodeData.h - the node tests of the ONNX project =======================//
//
// Duty: reads a folder of ONNX's backend node tests: a model of a few nodes, its inputs and the expected
// outputs. A model has the operator set in which its operator was last changed. If its versions are older
// than Windlass reads, the reader raises their numbers, which leaves the operator the same.
// Errors: a Status if a folder cannot be read; its message is the reason to skip the test.
// Threads: one per folder.
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

/// The folders of all node tests, sorted; empty if the Debian package libonnx-testdata is not installed.
std::vector<std::string> nodeFolders();
std::string nodeFolder(const std::string &name);

/// The operators of a test, also if Windlass cannot read the test.
std::set<std::string> operatorsOf(const std::string &folder);

Result<NodeData> readNodeData(const std::string &folder);

} // namespace windlass::test

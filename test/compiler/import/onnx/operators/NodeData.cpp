// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/compiler/import/onnx/operators/NodeData.h"

#include "compiler/import/onnx/file/Onnx.pb.h"
#include "compiler/import/onnx/file/ReadTensor.h"
#include "compiler/import/onnx/file/Reader.h"
#include "runtime/base/File.h"
#include <algorithm>
#include <filesystem>

namespace windlass::test {
namespace {

constexpr const char *kNodes = "/usr/share/libonnx-testdata/data/node/";
constexpr int64_t kOldestIr = 7, kOldestOpset = 13;

Result<onnx::wire::Model> readModel(const std::string &folder) {
  Result<std::string> bytes = readFile(folder + "/model.onnx");
  if (!bytes)
    return bytes.status();
  onnx::wire::Model model;
  if (!model.ParseFromString(*bytes))
    return Status::badInput(folder + ": is no model");
  return model;
}

/// The bytes of a model, with versions that Windlass reads.
std::string raised(onnx::wire::Model model) {
  model.set_ir_version(std::max(model.ir_version(), kOldestIr));
  for (onnx::wire::OperatorSet &set : *model.mutable_opset_import())
    if (set.domain().empty())
      set.set_version(std::max(set.version(), kOldestOpset));
  return model.SerializeAsString();
}

/// Reads the tensors PREFIX_0.pb, PREFIX_1.pb, ...
Result<std::vector<onnx::Tensor>> readTensors(const std::string &prefix) {
  std::vector<onnx::Tensor> tensors;
  for (size_t i = 0;; ++i) {
    const std::string path = prefix + std::to_string(i) + ".pb";
    if (!std::filesystem::exists(path))
      return tensors;
    Result<std::string> bytes = readFile(path);
    if (!bytes)
      return bytes.status();
    onnx::wire::Tensor source;
    if (!source.ParseFromString(*bytes))
      return Status::badInput(path + ": is no tensor");
    Result<onnx::Tensor> tensor = onnx::readTensor(source, path);
    if (!tensor)
      return tensor.status();
    tensors.push_back(tensor.take());
  }
}

} // namespace

std::vector<std::string> nodeFolders() {
  const std::filesystem::path root = kNodes;
  std::vector<std::string> folders;
  if (std::filesystem::is_directory(root))
    for (const auto &entry : std::filesystem::directory_iterator(root))
      folders.push_back(entry.path());
  std::ranges::sort(folders);
  return folders;
}

std::string nodeFolder(const std::string &name) { return kNodes + name; }

std::set<std::string> operatorsOf(const std::string &folder) {
  std::set<std::string> operators;
  if (Result<onnx::wire::Model> model = readModel(folder))
    for (const onnx::wire::Node &node : model->graph().node())
      operators.insert(node.op_type());
  return operators;
}

Result<NodeData> readNodeData(const std::string &folder) {
  Result<onnx::wire::Model> model = readModel(folder);
  if (!model)
    return model.status();
  Result<onnx::Graph> graph = onnx::parseOnnx(raised(*model), folder + "/model.onnx");
  if (!graph)
    return graph.status();
  Result<std::vector<onnx::Tensor>> inputs = readTensors(folder + "/test_data_set_0/input_");
  Result<std::vector<onnx::Tensor>> outputs = readTensors(folder + "/test_data_set_0/output_");
  if (!inputs || !outputs)
    return inputs ? outputs.status() : inputs.status();
  return NodeData{std::filesystem::path(folder).filename(), graph.take(), inputs.take(), outputs.take()};
}

} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every file of the tests, with a node that lacks an operand or has one too many. If the operator needs the
// operand, the error names the file; no pass crashes.
#include "compiler/import/onnx/operators/Operator.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fuzz/MemoryFile.h"
#include "test/support/Folders.h"
#include <filesystem>
#include <fstream>
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

namespace wire = onnx::wire;

/// The files of the tests, the smallest first.
std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> found;
  for (const char *folder : {"/test/fixtures/onnx", "/test/fuzz/seeds/onnx"})
    for (const auto &entry : std::filesystem::directory_iterator(WINDLASS_SOURCE_DIR + std::string(folder)))
      if (entry.path().extension() == ".onnx")
        found.push_back(entry.path());
  std::ranges::sort(found, {},
                    [](const auto &path) { return std::pair(std::filesystem::file_size(path), path); });
  return found;
}

std::string bytesOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The operator of a node; null if it is not ONNX's own.
const onnx::Operator *operatorOf(const wire::Node &node) {
  onnx::Node plain;
  plain.op = node.op_type();
  return node.domain().empty() ? onnx::findOperator(plain) : nullptr;
}

/// A change of a node, and whether the node must then be refused.
struct Change {
  std::string what;
  wire::Node node;
  bool isWrong;
};

std::vector<Change> changesOf(const wire::Node &node, const onnx::Operator &op) {
  std::vector<Change> changes;
  const auto count = static_cast<size_t>(node.input_size());
  for (size_t i = 0; i < count; ++i) {
    Change absent{"input " + std::to_string(i) + " absent", node,
                  i < op.least || op.most == onnx::kUnlimited};
    absent.node.set_input(static_cast<int>(i), "");
    Change fewer{"inputs from " + std::to_string(i) + " dropped", node, i < op.least};
    fewer.node.mutable_input()->DeleteSubrange(static_cast<int>(i), static_cast<int>(count - i));
    changes.push_back(absent);
    changes.push_back(fewer);
  }
  Change more{"one more input", node, op.most <= count};
  more.node.add_input(count > 0 ? node.input(0) : "");
  Change none{"no results", node, true}, unnamed{"first result absent", node, true};
  none.node.clear_output();
  unnamed.node.set_output(0, "");
  changes.insert(changes.end(), {more, none, unnamed});
  return changes;
}

/// The error of the changed file; empty if it is accepted.
std::string errorOf(const std::string &bytes) {
  static const TrainingOptions training = *parseTraining(
      R"({"format": "windlass.training/1", "micro_batch": 2, "sequence": 8})", "training.json");
  const fuzz::MemoryFile file(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  Result<OnnxDescription> description = describeOnnx(file.path(), training, {});
  if (description)
    return {};
  const std::string message = description.status().message();
  EXPECT_EQ(description.status().code(), ExitCode::BadInput) << message;
  EXPECT_TRUE(message.starts_with(file.path() + ": ")) << message;
  return message;
}

/// Nodes of one kind have the same operator and the same numbers of operands and results. Only the first of
/// each kind over all files is changed.
using Kind = std::tuple<std::string, int, int>;

TEST(OnnxOperands, nodesWithoutThemAreRefused) {
  std::set<Kind> seen;
  int tried = 0;
  for (const std::filesystem::path &path : files()) {
    wire::Model model;
    if (!model.ParseFromString(bytesOf(path)))
      continue;
    for (wire::Node &node : *model.mutable_graph()->mutable_node()) {
      const onnx::Operator *op = operatorOf(node);
      if (!op || !seen.insert({node.op_type(), node.input_size(), node.output_size()}).second)
        continue;
      const wire::Node whole = node;
      for (const Change &change : changesOf(whole, *op)) {
        node = change.node;
        const std::string error = errorOf(model.SerializeAsString());
        EXPECT_TRUE(!change.isWrong || !error.empty())
            << path.filename() << ": " << whole.op_type() << " \"" << whole.name() << "\", " << change.what;
        ++tried;
      }
      node = whole;
    }
  }
  EXPECT_GT(tried, 300);
}

} // namespace

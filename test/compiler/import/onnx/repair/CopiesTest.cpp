// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of parameters that the newer exporter's optimiser made over a fixed batch are joined.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <fstream>

using namespace windlass;
using namespace windlass::test;

namespace {

using Shape = std::vector<int64_t>;
using Floats = std::vector<float>;

constexpr int64_t kBatch = 4;

/// The mean of a linear layer of 2 features and of a tensor "expand", which was computed from other
/// parameters and is cut to its first two features, for a batch of `rows`.
class Copies : public ::testing::Test {
protected:
  /// `sources` is the optimiser's list of the tensors that it read, such as "['cls', 'val_1']"; empty if
  /// there is none.
  Result<OnnxDescription> describeWith(const Shape &shape, const Floats &values, const std::string &sources,
                                       const std::string &initializer = "expand") {
    ModelMaker maker(18);
    const int64_t rows = isOpen ? -1 : kBatch;
    maker.input("x", {rows, 2});
    maker.weight("fc.weight", {2, 2}, {1, 2, 3, 4});
    mark("fc.weight", maker);
    maker.weight(initializer, shape, values);
    if (!sources.empty()) {
      onnx::wire::Value *info = maker.graph().add_value_info();
      info->set_name(initializer);
      addEntry(info->mutable_metadata_props(), "pkg.onnxscript.optimizer.folded_from", sources);
    }
    addEntry(maker.graph().mutable_metadata_props(), "pkg.torch.export.ExportedProgram.graph_signature",
             "p_cls: PARAMETER target='cls'\np_fc: PARAMETER target='fc.weight'\n"
             "p_types: PARAMETER target='types.weight'\np_positions: PARAMETER target='positions.weight'\n");
    maker.node("MatMul", {"x", "fc.weight"}, "y");
    maker.node("ReduceMean", {"y"}, "mean");
    onnx::wire::Node &reader = maker.node("ReduceMean", {initializer}, "shift");
    if (!call.empty())
      addEntry(reader.mutable_metadata_props(), "pkg.torch.onnx.fx_node",
               "%y : [num_users=1] = call_function[target=torch.ops." + call + ")");
    addSum(maker);
    TrainingOptions training;
    training.microBatch = kBatch;
    return describeOnnx(folder.write("made.onnx", maker.bytes()), training, {});
  }

  std::string errorCalled(const std::string &initializer, const std::string &sources,
                          const Shape &shape = {3, 2}) {
    Result<OnnxDescription> description = describeWith(shape, {1, 2, 3, 4, 5, 6}, sources, initializer);
    const std::string message = description ? "" : description.status().message();
    return message.substr(std::min(message.size(), message.find(": ") + 2));
  }

  std::string errorWith(const Shape &shape, const Floats &values, const std::string &sources) {
    Result<OnnxDescription> description = describeWith(shape, values, sources);
    const std::string message = description ? "" : description.status().message();
    return message.substr(std::min(message.size(), message.find(": ") + 2));
  }

  static void mark(const std::string &name, ModelMaker &maker) {
    onnx::wire::Value *info = maker.graph().add_value_info();
    info->set_name(name);
    addEntry(info->mutable_metadata_props(), "pkg.torch.export.graph_signature.InputSpec.kind", "PARAMETER");
  }

  static void addSum(ModelMaker &maker) {
    maker.node("Add", {"mean", "shift"}, "sum");
    maker.loss("ReduceSum", "sum");
  }

  static Shape shapeOf(const OnnxDescription &description, const std::string &name) {
    const auto &params = description.document["params"];
    return params.contains(name) ? params[name]["shape"].get<Shape>() : Shape();
  }

  /// The values that a run reads for a parameter with `count` elements.
  static Floats startOf(const OnnxDescription &description, const std::string &name, int64_t count) {
    Floats values(static_cast<size_t>(count));
    for (const onnx::FirstValues &first : description.values)
      if (first.parameter == name) {
        std::ifstream stream(first.file, std::ios::binary);
        stream.seekg(first.offset);
        stream.read(reinterpret_cast<char *>(values.data()), count * int64_t(sizeof(float)));
      }
    return values;
  }

  /// The shapes to which the document expands values.
  static std::vector<Shape> expansionsOf(const OnnxDescription &description) {
    std::vector<Shape> shapes;
    for (const auto &op : description.document["ops"])
      if (op["op"] == "expand")
        shapes.push_back(op["shape"].get<Shape>());
    return shapes;
  }

  TemporaryFolder folder;
  bool isOpen = false;
  std::string
      call; ///< as recorded for the tensor's reader: "aten.add.Tensor](args = (%x, %cls), kwargs = {}"
};

const Floats kFourTimes = {1, 2, 1, 2, 1, 2, 1, 2};

/// ViT's class token: one slice for each example.
TEST_F(Copies, overTheBatchAreOneParameter) {
  Result<OnnxDescription> found = describeWith({kBatch, 1, 2}, kFourTimes, "['cls', 'val_1']");
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(shapeOf(*found, "cls"), (Shape{1, 1, 2}));
  EXPECT_EQ(startOf(*found, "cls", 2), (Floats{1, 2}));
  EXPECT_EQ(expansionsOf(*found), (std::vector<Shape>{{kBatch, 1, 2}})) << "so that its gradients are added";
  EXPECT_NE(found->report.find("computed from cls, copies of one parameter over dimension 0 joined"),
            std::string::npos)
      << found->report;
}

/// BERT's types of tokens: for every token the same row of a table, of which the file has nothing else.
TEST_F(Copies, ofARowAreOneRow) {
  Floats values;
  for (int i = 0; i < 3; ++i)
    values.insert(values.end(), kFourTimes.begin(), kFourTimes.end());
  const std::string sources = "['types.token_type_ids', 'types.weight', 'val_1']";
  for (const Shape &shape : {Shape{kBatch, 3, 2}, Shape{1, 12, 2}, Shape{12, 2}}) {
    Result<OnnxDescription> found = describeWith(shape, values, sources);
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(shapeOf(*found, "types.weight"), (Shape{1, 2}));
    EXPECT_EQ(startOf(*found, "types.weight", 2), (Floats{1, 2}));
    EXPECT_EQ(expansionsOf(*found), std::vector<Shape>{shape});
    EXPECT_EQ(found->report.find("over dimensions 0 to 1 joined") != std::string::npos, shape.size() == 3);
  }
}

/// Rows of positions, which are the same for each example.
TEST_F(Copies, ofRowsKeepTheRowsApart) {
  Result<OnnxDescription> found = describeWith(
      {kBatch, 2, 2}, {5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6, 7, 8}, "['positions.weight', 'val_1']");
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(shapeOf(*found, "positions.weight"), (Shape{2, 2}));
  EXPECT_EQ(startOf(*found, "positions.weight", 4), (Floats{5, 6, 7, 8}));
}

/// Rows that repeat, but not in turn, were rows of a table. The file does not show which rows they were.
TEST_F(Copies, thatDoNotComeInTurnAreRefused) {
  EXPECT_EQ(
      errorWith({1, 4, 2}, {1, 2, 3, 4, 3, 4, 1, 2}, "['types.weight', 'val_1']"),
      "tensor \"expand\": was computed from the parameter types.weight, and must be it or copies of it, "
      "is 1x4x2 in which rows come again, but not all in turn; export without the exporter's optimiser "
      "(optimize=False), or with a dynamic batch");
  EXPECT_EQ(errorWith({1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}, "['types.weight', 'val_1']"), "");
}

/// Zeros may be copies of one token or the initial rows of positions.
TEST_F(Copies, ofOneNumberAreRefused) {
  const Floats zeros(8, 0);
  EXPECT_EQ(
      errorWith({kBatch, 1, 2}, zeros, "['cls', 'val_1']"),
      "tensor \"expand\": was computed from the parameter cls, and must be it or copies of it, is 4x1x2 "
      "of one number, with a batch of 4; export without the exporter's optimiser (optimize=False), or with "
      "a dynamic batch");
  EXPECT_EQ(errorWith({2, 2, 2}, zeros, "['cls', 'val_1']"), "") << "no batch";
  EXPECT_EQ(errorWith({kBatch, 2}, zeros, "['cls']"), "") << "it was turned at most";
  isOpen = true;
  EXPECT_EQ(errorWith({kBatch, 1, 2}, zeros, "['cls', 'val_1']"), "") << "over no batch of fixed size";
}

const std::string kLost =
    "parameters of which only what was computed from them is left, and cannot be trained; "
    "export with optimize=False:\n  ";

/// If more than moves were computed from a parameter, the parameter cannot be recovered.
TEST_F(Copies, ofWhatWasComputedAreRefused) {
  const std::string rule = kLost;
  EXPECT_EQ(errorCalled("exp", "['cls']"), rule + "\"exp\", exp of cls");
  EXPECT_EQ(errorCalled("add_12", "['cls', 'val_1']"), rule + "\"add_12\", add of cls");
  EXPECT_EQ(errorCalled("val_7", "['cls', 'fc.weight', 'mul_3']"), rule + "\"val_7\", of cls and fc.weight");
  for (const char *moved : {"contiguous", "alias", "val_7"})
    EXPECT_EQ(errorCalled(moved, "['cls', 'val_1']"), "") << moved;
  EXPECT_EQ(errorCalled("exp", "['angles.freqs', 'val_1']"), "") << "no parameter of the module";
  EXPECT_EQ(errorCalled("view", "['cls', 'div_1', 'val_1']"), rule + "\"view\", div of cls") << "moved again";
  EXPECT_EQ(errorCalled("view", "['arange', 'cls', 'embedding', 'exp']"), rule + "\"view\", exp of cls");
  EXPECT_EQ(errorCalled("view", "['cls', 'angles.exp']"), "") << "a buffer, of whatever name";
}

/// A tensor that the exporter did not compute is the module's, whatever its values.
TEST_F(Copies, ofPeopleAreParametersOfTheirOwn) {
  Result<OnnxDescription> found = describeWith({kBatch, 2}, kFourTimes, "", "cls");
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(expansionsOf(*found), std::vector<Shape>());
}

/// A bias of relative positions: the file does not show which dimension has the rows.
TEST_F(Copies, ofRowsInAnotherOrderAreRefused) {
  EXPECT_EQ(errorCalled("permute", "['cls', 'embedding', 'index']"),
            kLost + "\"permute\", permute of rows of cls");
  EXPECT_EQ(errorCalled("view", "['cls', 'index', 't', 'val_3']"), kLost + "\"view\", t of rows of cls");
  EXPECT_EQ(errorCalled("permute_1", "['cls']", {1, 3, 2}), kLost + "\"permute_1\", permute of cls");
  EXPECT_EQ(errorCalled("view", "['cls', 'index', 'attn.places', 'val_3']"), "");
}

/// For a matrix the dimensions are known.
TEST_F(Copies, thatWereTransposedAreTurnedBack) {
  Result<OnnxDescription> found = describeWith({3, 2}, {1, 2, 3, 4, 5, 6}, "['clone', 'cls']", "t");
  ASSERT_TRUE(found) << found.status().message();
  EXPECT_EQ(shapeOf(*found, "cls"), (Shape{2, 3}));
  EXPECT_NE(found->report.find("computed from cls, stored transposed"), std::string::npos) << found->report;
}

/// A call multiplies the parameter by a number of its own before it meets data.
TEST_F(Copies, thatACallMultipliesAreRefused) {
  const std::string refusal = kLost + "\"val_7\", a multiple of cls";
  call = "aten.add.Tensor](args = (%y, %cls), kwargs = {alpha: 2}";
  EXPECT_EQ(errorCalled("val_7", "['cls', 'val_1']"), refusal);
  call = "aten.scaled_dot_product_attention.default](args = (%cls, %y, %y), kwargs = {}";
  EXPECT_EQ(errorCalled("val_7", "['cls', 'val_1']"), refusal);
  EXPECT_EQ(errorCalled("val_7", "['cls']"), "") << "it was turned at most";
  call = "aten.add.Tensor](args = (%y, %cls), kwargs = {}";
  EXPECT_EQ(errorCalled("val_7", "['cls', 'val_1']"), "");
}

/// Places are also computed from numbers, so that a product may belong to them or to the table.
TEST_F(Copies, ofRowsBehindAProductAreTold) {
  for (const auto &[operation, isNoted] : {std::pair{"mul", true}, {"add", false}}) {
    Result<OnnxDescription> found = describeWith(
        {3, 2}, {1, 2, 3, 4, 5, 6}, std::string("['arange', 'cls', '") + operation + "']", "embedding_1");
    ASSERT_TRUE(found) << found.status().message();
    EXPECT_EQ(found->report.find("note        cls: rows of it were looked up, and \"mul\" was computed "
                                 "before; if of the table") != std::string::npos,
              isNoted)
        << found->report;
  }
}

/// An optimiser may name its tensors like those of modules. Such a name shows no operation.
TEST_F(Copies, resultsMayBeCalledLikeTensorsOfModules) {
  EXPECT_EQ(errorCalled("cls.made", "['cls']"), "");
  EXPECT_EQ(errorCalled("cls.made", "['cls', 'made.of']"), "");
}

} // namespace

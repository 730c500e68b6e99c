// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged or hostile files give one error that names the place, and no crash.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/Folders.h"
#include "test/support/Mutate.h"
#include <filesystem>
#include <fstream>

using namespace windlass;
using namespace windlass::test;

namespace {

TEST(OnnxReader, readsWhatItShould) {
  Result<onnx::Graph> graph = onnx::parseOnnx(linearModel().bytes(), "made.onnx");
  ASSERT_TRUE(graph) << graph.status().message();
  EXPECT_EQ(graph->nodes.size(), 4u);
  EXPECT_EQ(graph->nodes[0]->scope, "fc");
  EXPECT_EQ(graph->inputs.size(), 2u);
  EXPECT_EQ(graph->opset, 17);
}

/// Every prefix of a file, and a file that is no ONNX at all.
TEST(OnnxReader, truncatedFiles) {
  const std::string whole = linearModel().bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    Result<onnx::Graph> graph = onnx::parseOnnx(whole.substr(0, size), "cut.onnx");
    EXPECT_TRUE(graph || graph.status().message().starts_with("cut.onnx: ")) << size;
  }
  EXPECT_EQ(onnx::parseOnnx("", "cut.onnx").status().message(),
            "cut.onnx: must be an ONNX file, and is damaged or something else (0 bytes)");
  EXPECT_FALSE(onnx::parseOnnx("{\"format\": \"windlass.model/1\"}", "cut.onnx"));
}

/// Random damage to real exports gives a result or an error.
TEST(OnnxReader, mutatedFiles) {
  TemporaryFolder folder;
  std::mt19937_64 random(7);
  TrainingOptions training;
  training.microBatch = 4;
  size_t refused = 0;
  const int kChanges = 150;
  for (const char *name : {"mlp_mse.script.13.onnx", "mlp_cross_entropy.dynamo.20.raw.onnx"}) {
    std::ifstream file(std::string(WINDLASS_SOURCE_DIR) + "/test/fixtures/onnx/" + name, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(file), {}};
    ASSERT_FALSE(whole.empty()) << name;
    for (int i = 0; i < kChanges; ++i) {
      const std::string path = folder.write("mutated.onnx", mutated(mutated(whole, random), random));
      Result<OnnxDescription> description = describeOnnx(path, training, {});
      refused += !description;
      EXPECT_TRUE(description || description.status().code() != ExitCode::Internal) << path;
    }
  }
  EXPECT_GT(refused, 0u);
}

/// A field in protobuf's encoding: its number, its length in groups of 7 bits, and its bytes.
std::string field(int number, const std::string &bytes) {
  std::string text{static_cast<char>(number << 3 | 2)};
  size_t left = bytes.size();
  for (; left >= 0x80; left >>= 7)
    text += static_cast<char>(left | 0x80);
  return text + static_cast<char>(left) + bytes;
}

/// The last piece alone has as many bytes as the tensor, so that the whole list has too many.
TEST(OnnxReader, listsInPiecesThatAreTooLong) {
  constexpr int kElements = 20000; // more than are kept in memory
  onnx::wire::Tensor head, tail;
  head.set_name("large.weight");
  head.set_data_type(static_cast<int>(onnx::DataType::Float));
  head.add_dims(kElements);
  head.add_float_data(1);
  for (int i = 0; i < kElements; ++i)
    tail.add_float_data(static_cast<float>(i));
  const std::string tensor =
      field(onnx::wire::Graph::kInitializerFieldNumber, head.SerializeAsString() + tail.SerializeAsString());
  TemporaryFolder folder;
  const std::string path =
      folder.write("long.onnx", linearModel().bytes() + field(onnx::wire::Model::kGraphFieldNumber, tensor));
  Result<onnx::Graph> graph = onnx::readOnnx(path);
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.status().message(),
            path + ": tensor \"large.weight\": must have 80000 bytes, as 20000 of float takes, has 80004");
}

struct Damage {
  const char *name;
  void (*make)(ModelMaker &);
  const char *message;
};

void PrintTo(const Damage &damage, std::ostream *out) { *out << damage.name; }

class OnnxDamage : public ::testing::TestWithParam<Damage> {};

TEST_P(OnnxDamage, isRefused) {
  ModelMaker maker = linearModel();
  GetParam().make(maker);
  EXPECT_EQ(maker.readError(), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Each, OnnxDamage,
    ::testing::Values(
        Damage{"irVersion", [](ModelMaker &m) { m.model.set_ir_version(99); },
               "made.onnx: IR version must be from 3 to 11, is 99"},
        Damage{"operatorSet", [](ModelMaker &m) { m.model.mutable_opset_import(0)->set_version(9); },
               "made.onnx: operator set must be from 13 to 23, is 9; export with an opset_version in that "
               "range, or convert the file: onnx.version_converter.convert_version(model, 13)"},
        Damage{"newerOperatorSet", [](ModelMaker &m) { m.model.mutable_opset_import(0)->set_version(24); },
               "made.onnx: operator set must be from 13 to 23, is 24; export with an opset_version in that "
               "range"},
        Damage{"noGraph", [](ModelMaker &m) { m.model.clear_graph(); },
               "made.onnx: must be an ONNX model, and holds no graph"},
        Damage{
            "trainingInformation", [](ModelMaker &m) { m.model.add_training_info("x"); },
            "made.onnx: holds ONNX training information, which is not read; Windlass derives gradients and "
            "updates itself: export the forward model"},
        Damage{"twoValuesOfOneName", [](ModelMaker &m) { m.node("Relu", {"x"}, "prediction"); },
               "made.onnx: node \"/prediction\" (Relu): the name \"prediction\" is given to two values"},
        Damage{"nameInAnotherEncoding", [](ModelMaker &m) { m.node("Relu", {"x"}, "h\xff", "act"); },
               "made.onnx: node \"act\" (Relu): a value's name must be UTF-8, is \"h\uFFFD\""},
        Damage{"scopeInAnotherEncoding",
               [](ModelMaker &m) {
                 addEntry(m.node("Relu", {"x"}, "h", "act").mutable_metadata_props(),
                          "pkg.torch.onnx.name_scopes", "['', 'm\xff', 'act']");
               },
               "made.onnx: node \"act\" (Relu): its scope must be UTF-8, is \"m\uFFFD\""},
        Damage{"circle",
               [](ModelMaker &m) {
                 m.node("Add", {"x", "b"}, "a");
                 m.node("Relu", {"a"}, "b");
               },
               "made.onnx: node \"/a\" (Add): reads \"b\", which is no input, no initializer and no result "
               "of an "
               "earlier node"},
        Damage{"missingInput", [](ModelMaker &m) { m.node("Relu", {"nowhere"}, "a"); },
               "made.onnx: node \"/a\" (Relu): reads \"nowhere\", which is no input, no initializer and no "
               "result "
               "of an earlier node"},
        Damage{"missingOutput", [](ModelMaker &m) { m.output("nowhere"); },
               "made.onnx: output \"nowhere\": is the result of no node"},
        Damage{"negativeSize", [](ModelMaker &m) { m.weight("w", {-2, 3}, {}); },
               "made.onnx: tensor \"w\": a dimension must be from 0 to 2^31, is -2"},
        Damage{"hugeSize", [](ModelMaker &m) { m.weight("w", {1 << 30, 1 << 30}, {}); },
               "made.onnx: tensor \"w\": must have at most 2^42 elements"},
        Damage{"tooFewBytes", [](ModelMaker &m) { m.weight("w", {4}, {1, 2}); },
               "made.onnx: tensor \"w\": must have 16 bytes, as 4 of float takes, has 8"},
        Damage{"unknownType", [](ModelMaker &m) { m.weight("w", {1}, {1}).set_data_type(8); },
               "made.onnx: tensor \"w\": data type must be float, float16, bfloat16, double, int64, int32, "
               "uint8 or "
               "bool, is ONNX's number 8"},
        Damage{"inputWithoutType", [](ModelMaker &m) { m.graph().add_input()->set_name("z"); },
               "made.onnx: input \"z\": must be a tensor of a known type and rank"}),
    [](const auto &info) { return std::string(info.param.name); });

//===----------------------------------------------------------------------===//
// External data
//===----------------------------------------------------------------------===//

class OnnxExternal : public ::testing::Test {
protected:
  OnnxExternal() : maker(linearModel()), tensor(maker.weight("w", {2}, {})) {
    tensor.clear_raw_data();
    tensor.set_data_location(1);
  }

  std::string errorWith(const std::string &location, const std::string &offset = "0",
                        const std::string &length = "8") {
    tensor.clear_external_data();
    for (const auto &[key, value] :
         {std::pair("location", location), std::pair("offset", offset), std::pair("length", length)}) {
      tensor.add_external_data()->set_key(key);
      tensor.mutable_external_data(tensor.external_data_size() - 1)->set_value(value);
    }
    return maker.readError(folder / "model.onnx");
  }

  bool fails(const std::string &error, const std::string &part) const {
    return error.find("tensor \"w\": external data: " + part) != std::string::npos;
  }

  TemporaryFolder folder;
  ModelMaker maker;
  onnx::wire::Tensor &tensor;
};

TEST_F(OnnxExternal, isReadWhereItShould) {
  folder.write("data", std::string("skip\0\0\x80\x3f\0\0\0\x40", 12));
  EXPECT_EQ(errorWith("data", "4"), "");
  Result<onnx::Graph> graph = onnx::parseOnnx(maker.bytes(), folder / "model.onnx");
  ASSERT_TRUE(graph);
  Result<onnx::Literal> literal = onnx::literalOf(graph->at(graph->find("w")).weight->tensor);
  ASSERT_TRUE(literal) << literal.status().message();
  EXPECT_EQ(literal->reals, (std::vector<double>{1, 2}));
}

TEST_F(OnnxExternal, mayNotLeaveTheFolder) {
  const std::string outside =
      "../" + std::filesystem::path(folder / "x").parent_path().filename().string() + "/data";
  folder.write("data", "12345678");
  std::filesystem::create_symlink("/etc/passwd", folder / "link");
  EXPECT_TRUE(fails(errorWith(outside), "location must stay in the model's folder, is"));
  EXPECT_TRUE(fails(errorWith("/etc/passwd"), "location must stay in the model's folder, is"));
  EXPECT_TRUE(fails(errorWith("link"), "\"link\" is a link out of the model's folder"));
}

TEST_F(OnnxExternal, mustBeThereAndLargeEnough) {
  folder.write("data", "12345678");
  EXPECT_TRUE(fails(errorWith("gone"), "\"gone\" must be a file beside the model, and is not there"));
  EXPECT_TRUE(fails(errorWith("data", "4"), "bytes 4 to 12 of \"data\" are beyond its end at 8"));
  EXPECT_TRUE(fails(errorWith("data", "18446744073709551615"), "offset must be a number of bytes, is"));
  EXPECT_TRUE(fails(errorWith("data", "-4"), "offset must be a number of bytes, is"));
  EXPECT_TRUE(fails(errorWith("data", "0", "4"), "length must be 8 as type and shape say, is 4"));
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

onnx::wire::Function &addFunction(ModelMaker &maker, const std::string &name, const std::string &calls) {
  onnx::wire::Function *function = maker.model.add_functions();
  function->set_domain("mine");
  function->set_name(name);
  function->add_input("a");
  function->add_output("b");
  onnx::wire::Node *node = function->add_node();
  node->set_op_type(calls);
  node->set_domain(calls == "Relu" ? "" : "mine");
  node->add_input("a");
  node->add_output("b");
  return *function;
}

TEST(OnnxFunctions, areInlined) {
  ModelMaker maker = linearModel();
  addFunction(maker, "outer", "inner");
  addFunction(maker, "inner", "Relu");
  maker.node("outer", {"x"}, "called").set_domain("mine");
  maker.node("outer", {"called"}, "twice").set_domain("mine");
  Result<onnx::Graph> graph = onnx::parseOnnx(maker.bytes(), "made.onnx");
  ASSERT_TRUE(graph) << graph.status().message();
  ASSERT_EQ(graph->nodes.size(), 6u);
  EXPECT_EQ(graph->nodes[4]->op, "Relu");
  EXPECT_EQ(graph->at(graph->nodes[5]->outputs[0]).name, "twice");
  EXPECT_EQ(graph->nodes[5]->inputs, graph->nodes[4]->outputs);
}

TEST(OnnxFunctions, thatCallEachOtherAreRefused) {
  ModelMaker maker = linearModel();
  addFunction(maker, "ping", "pong");
  addFunction(maker, "pong", "ping");
  maker.node("ping", {"x"}, "called").set_domain("mine");
  EXPECT_EQ(maker.readError(),
            "made.onnx: function \"ping\": calls nest more than 64 deep, or are or make more than "
            "1048576 nodes");
}

/// The standard domain has two spellings, for functions and for calls.
TEST(OnnxFunctions, replaceStandardOperators) {
  for (const char *defined : {"", "ai.onnx"})
    for (const char *called : {"", "ai.onnx"}) {
      ModelMaker maker = linearModel();
      addFunction(maker, "Gelu", "Relu").set_domain(defined);
      maker.node("Gelu", {"x"}, "called").set_domain(called);
      maker.node("Tanh", {"called"}, "other").set_domain(called);
      Result<onnx::Graph> graph = onnx::parseOnnx(maker.bytes(), "made.onnx");
      ASSERT_TRUE(graph) << graph.status().message();
      const size_t count = graph->nodes.size();
      ASSERT_GE(count, 2u);
      EXPECT_EQ(graph->nodes[count - 2]->op, "Relu") << defined << ", " << called;
      EXPECT_EQ(graph->nodes[count - 1]->op, "Tanh") << defined << ", " << called;
    }
}

TEST(OnnxFunctions, thatShareANameAreRefused) {
  ModelMaker maker = linearModel();
  addFunction(maker, "twice", "Relu");
  addFunction(maker, "twice", "Relu").set_overload("other");
  maker.node("twice", {"x"}, "called").set_domain("mine");
  EXPECT_EQ(maker.readError(), "");
  addFunction(maker, "twice", "Relu");
  EXPECT_EQ(maker.readError(), "made.onnx: function \"twice\": is defined twice");
}

} // namespace

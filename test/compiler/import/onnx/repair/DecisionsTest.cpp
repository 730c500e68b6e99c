// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decisions on initializers: parameters have the module's names, and are tied and split as in the module.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "compiler/import/onnx/file/Scope.h"
#include "compiler/import/onnx/graph/Names.h"
#include "compiler/import/onnx/operators/Operator.h"
#include "runtime/base/File.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fixtures/Fixture.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <set>

using namespace windlass;
using namespace windlass::test;

namespace {

Result<OnnxDescription> describeFile(const std::string &path, const OnnxOptions &options = {}) {
  TrainingOptions training;
  training.microBatch = 4;
  training.sequence = 16;
  return describeOnnx(path, training, options);
}

/// All parameters of a document with their shapes, including those of repeated blocks.
std::map<std::string, std::vector<int64_t>> parametersIn(const nlohmann::json &document) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto &[name, param] : document["params"].items())
    shapes[name] = param["shape"].get<std::vector<int64_t>>();
  for (const auto &op : document["ops"])
    for (int64_t i = 0; op.contains("block") && i < op["repeat"]; ++i)
      for (const auto &[name, param] : document["blocks"][op["block"]]["params"].items()) {
        std::string prefix = op["prefix"];
        prefix.replace(prefix.find("{i}"), 3, std::to_string(i));
        shapes[prefix + "." + name] = param["shape"].get<std::vector<int64_t>>();
      }
  return shapes;
}

std::set<std::string> namesIn(const nlohmann::json &object) {
  std::set<std::string> names;
  for (const auto &[name, value] : object.items())
    names.insert(name);
  return names;
}

std::map<std::string, std::vector<int64_t>> parametersOf(const Fixture &fixture) {
  std::map<std::string, std::vector<int64_t>> shapes;
  for (const auto &[name, tensor] : fixture.all())
    if (name.starts_with("initial/"))
      shapes[name.substr(8)] = tensor.shape;
  return shapes;
}

/// Every export of a model has the module's parameters, with the module's shapes.
TEST(OnnxDecisions, exportsHaveTheModulesParameters) {
  struct Family {
    const char *fixture;
    std::vector<const char *> files;
  };
  for (const Family &family :
       {Family{"gpt2/f32.safetensors",
               {"gpt2.script.13.raw", "gpt2.script.17", "gpt2.dynamo.18", "gpt2_sdpa.script.17",
                "gpt2_sdpa.dynamo.20.raw", "gpt2_sdpa.dynamo.23"}},
        Family{"llama/f32.safetensors",
               {"llama.script.13.raw", "llama.script.17", "llama.dynamo.18", "llama_sdpa.script.17",
                "llama_sdpa.dynamo.20.raw", "llama_sdpa.dynamo.23"}},
        Family{"bert/f32.safetensors",
               {"bert.script.13.raw", "bert.script.17", "bert.dynamo.18", "bert_sdpa.script.17",
                "bert_sdpa.dynamo.20.raw", "bert_sdpa.dynamo.23"}},
        Family{"onnx/fresh.f32.safetensors", {"fresh.script.17", "fresh.dynamo.18"}},
        Family{"onnx/resnet.f32.safetensors",
               {"resnet.script.13.raw", "resnet.script.17.raw", "resnet.dynamo.20.raw"}},
        Family{"onnx/resnet_frozen.f32.safetensors",
               {"resnet_frozen.script.13.raw", "resnet_frozen.dynamo.23.raw"}},
        Family{"onnx/dropped.f32.safetensors",
               {"dropped.script.13.raw", "dropped.script.17.raw", "dropped.dynamo.20.raw"}},
        Family{"onnx/fresh_norms.f32.safetensors", {"fresh_norms.script.17.raw", "fresh_norms.dynamo.18"}},
        Family{"onnx/mlp_mse.f32.safetensors",
               {"mlp_mse.script.13", "mlp_mse.script.17.raw", "mlp_mse.script.17.static", "mlp_mse.dynamo.18",
                "mlp_mse.dynamo.20.raw", "mlp_mse.dynamo.23"}}}) {
    for (const char *file : family.files) {
      const Fixture fixture = fixtureFor(file, family.fixture);
      Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
      ASSERT_TRUE(description) << description.status().message();
      EXPECT_EQ(parametersIn(description->document), parametersOf(fixture)) << file;
    }
  }
}

std::map<std::string, int> countOps(const nlohmann::json &ops) {
  std::map<std::string, int> count;
  for (const auto &op : ops)
    ++count[op.contains("block") ? "repeat" : op["op"].get<std::string>()];
  count.erase("reshape");
  return count;
}

using Counts = std::map<std::string, int>;

/// Composite operations are recognised and layers are found: the import has the operations of the module.
TEST(OnnxDecisions, gpt2IsOneLayerRepeated) {
  for (const char *file : {"gpt2.script.13.raw", "gpt2.script.17", "gpt2.dynamo.18", "gpt2_sdpa.script.17",
                           "gpt2_sdpa.dynamo.23", "gpt2_sdpa.dynamo.20.raw"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &document = description->document;
    // The newer exporter's optimiser looks up the positions itself.
    const bool isFolded = std::string(file) == "gpt2.dynamo.18" || std::string(file) == "gpt2_sdpa.dynamo.23";
    Counts expected = {{"embedding", 2}, {"constant", 1},   {"positions", 1}, {"add", 1},
                       {"repeat", 1},    {"layer_norm", 1}, {"matmul", 1},    {"cross_entropy", 1}};
    if (isFolded)
      expected = {{"embedding", 1},  {"add", 1},    {"repeat", 1},
                  {"layer_norm", 1}, {"matmul", 1}, {"cross_entropy", 1}};
    EXPECT_EQ(countOps(document["ops"]), expected) << file;
    EXPECT_EQ(countOps(document["blocks"]["transformer.h"]["ops"]),
              (Counts{{"layer_norm", 2}, {"matmul", 4}, {"add", 6}, {"attention", 1}, {"gelu", 1}}))
        << file;
  }
}

/// Rotary embedding, grouped heads, RMS norm and SiLU, in the forms of both exporters.
TEST(OnnxDecisions, llamaIsOneLayerRepeated) {
  for (const char *file : {"llama.script.13.raw", "llama.script.17", "llama.dynamo.18",
                           "llama_sdpa.script.17", "llama_sdpa.dynamo.20.raw", "llama_sdpa.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &document = description->document, &layer = document["blocks"]["model.layers"];
    EXPECT_EQ(countOps(layer["ops"]), (Counts{{"rms_norm", 2},
                                              {"matmul", 7},
                                              {"constant", 2},
                                              {"rotary", 2},
                                              {"attention", 1},
                                              {"add", 9},
                                              {"silu", 1},
                                              {"mul", 1}}))
        << file;
    for (const auto &op : layer["ops"])
      if (op["op"] == "attention") {
        EXPECT_EQ(op["heads"], 4);
        EXPECT_EQ(op["kv_heads"], 2);
        EXPECT_EQ(op["causal"], true);
        EXPECT_FALSE(op.contains("scale"));
      }
  }
}

/// An additive mask computed from data is passed with the hidden state from layer to layer.
TEST(OnnxDecisions, bertIsOneLayerRepeated) {
  for (const char *file : {"bert.script.13.raw", "bert.script.17", "bert.dynamo.18", "bert_sdpa.script.17",
                           "bert_sdpa.dynamo.20.raw", "bert_sdpa.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &document = description->document;
    ASSERT_TRUE(document.contains("blocks")) << file << document["ops"].dump(1);
    const nlohmann::json &layer = document["blocks"]["bert.encoder.layer"];
    Counts expected = {{"layer_norm", 2}, {"matmul", 6}, {"add", 8}, {"attention", 1}, {"gelu", 1}};
    const bool isGuarded = std::string(file).starts_with("bert_sdpa"); // a query that sees no key has 0
    if (isGuarded)
      expected.insert({{"where", 1}, {"constant", 1}});
    EXPECT_EQ(countOps(layer["ops"]), expected) << file;
    for (const auto &op : layer["ops"])
      if (op["op"] == "attention") {
        EXPECT_EQ(op["in"].size(), 4u);
        EXPECT_EQ(op["causal"], false);
      }
    EXPECT_EQ(layer["in"].size(), isGuarded ? 3u : 2u) << file;
  }
}

TEST(OnnxDecisions, vitIsOneLayerRepeated) {
  for (const char *file : {"vit.script.13.raw", "vit.script.17", "vit.dynamo.18", "vit_sdpa.script.17",
                           "vit_sdpa.dynamo.20.raw", "vit_sdpa.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &document = description->document;
    EXPECT_EQ(countOps(document["ops"])["conv"], 1) << file;
    ASSERT_TRUE(document.contains("blocks")) << file << document["ops"].dump(1);
    EXPECT_EQ(countOps(document["blocks"]["vit.layers"]["ops"]),
              (Counts{{"layer_norm", 2}, {"matmul", 6}, {"add", 8}, {"attention", 1}, {"gelu", 1}}))
        << file;
  }
}

/// Sizes of the batch are names in the document, so that one sequence can be computed, too.
TEST(OnnxDecisions, causalLanguageModelsSample) {
  for (const char *file :
       {"gpt2.script.13.raw", "gpt2.script.17", "gpt2.dynamo.18", "gpt2_sdpa.script.17",
        "gpt2_sdpa.dynamo.20.raw", "gpt2_sdpa.dynamo.23", "llama.script.13.raw", "llama.script.17",
        "llama.dynamo.18", "llama_sdpa.script.17", "llama_sdpa.dynamo.20.raw", "llama_sdpa.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    const nlohmann::json &document = description->document;
    EXPECT_EQ(document.value("outputs", nlohmann::json()), nlohmann::json({"logits"})) << file;
    EXPECT_EQ(document["ops"].back()["in"][0], "logits") << file;
    for (const auto &op : document["blocks"].front()["ops"])
      EXPECT_EQ(op.value("batch", nlohmann::json("B")), "B") << file;
  }
  for (const char *file : {"bert.dynamo.18", "mlp_cross_entropy.dynamo.18"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_FALSE(description->document.contains("outputs")) << file;
  }
}

/// The line of a report about a tensor.
std::string lineAbout(const std::string &report, const std::string &name) {
  const size_t begin = report.find("\n" + name + " ");
  return begin == std::string::npos ? "" : report.substr(begin + 1, report.find('\n', begin + 1) - begin - 1);
}

/// Frozen parameters stay parameters. A buffer that a pattern trains becomes a parameter.
TEST(OnnxDecisions, patternsSayWhatIsTrained) {
  ModelMaker maker = linearModel();
  maker.weight("running_mean", {3}, {1, 2, 3});
  maker.node("Add", {"prediction", "running_mean"}, "moved", "/fc/Add_1");
  maker.node("ReduceMean", {"moved"}, "mean");
  maker.graph().mutable_output(0)->set_name("mean");
  TemporaryFolder folder;
  const std::string path = folder.write("made.onnx", maker.bytes());
  auto describeWith = [&](std::vector<std::string> freeze, std::vector<std::string> trainable) {
    TrainingOptions training;
    training.microBatch = 4;
    training.freeze = std::move(freeze);
    training.trainable = std::move(trainable);
    return describeOnnx(path, training, {});
  };
  Result<OnnxDescription> plain = describeWith({}, {});
  ASSERT_TRUE(plain) << plain.status().message();
  EXPECT_EQ(namesIn(plain->document["params"]), (std::set<std::string>{"fc.bias", "fc.weight"}));
  EXPECT_NE(lineAbout(plain->report, "running_mean").find(" fixed "), std::string::npos) << plain->report;
  Result<OnnxDescription> decided = describeWith({"."}, {"weight", "mean"});
  ASSERT_TRUE(decided) << decided.status().message();
  EXPECT_EQ(namesIn(decided->document["params"]),
            (std::set<std::string>{"fc.bias", "fc.weight", "running_mean"}));
  EXPECT_NE(lineAbout(decided->report, "fc.bias").find(" frozen "), std::string::npos) << decided->report;
  for (const char *trained : {"fc.weight", "running_mean"})
    EXPECT_NE(lineAbout(decided->report, trained).find(" trained "), std::string::npos) << decided->report;
}

/// The newer exporter's optimiser removes a bias of zeros. The file's signature lists the parameters of the
/// module.
TEST(OnnxDecisions, lostBiasesAreTheModules) {
  for (const char *file : {"zero_biases.dynamo.18", "zero_biases.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(parametersIn(description->document), parametersOf(Fixture("onnx/zero_biases.f64.safetensors")))
        << file;
    EXPECT_EQ(description->document["params"]["first.bias"]["init"], 0);
    EXPECT_NE(lineAbout(description->report, "first.bias").find("zeros that the exporter dropped"),
              std::string::npos)
        << description->report;
  }
}

/// Without a signature the report names the layers.
TEST(OnnxDecisions, layersThatMayHaveLostTheirBiasAreNamed) {
  auto noteOf = [&](const char *file, bool isStripped) {
    onnx::wire::Model model;
    EXPECT_TRUE(model.ParseFromString(*readFile(Fixture::folder() + "onnx/" + file + ".onnx")));
    if (isStripped)
      model.mutable_graph()->clear_metadata_props();
    TemporaryFolder folder;
    Result<OnnxDescription> description = describeFile(folder.write("made.onnx", model.SerializeAsString()));
    EXPECT_TRUE(description) << description.status().message();
    const size_t at = description ? description->report.find("note        no bias") : std::string::npos;
    return at == std::string::npos ? ""
                                   : description->report.substr(at, description->report.find('.', at) - at);
  };
  EXPECT_EQ(noteOf("mlp_mse.dynamo.18", true), "note        no bias: second");
  EXPECT_EQ(noteOf("mlp_mse.dynamo.18", false), "") << "the module has none";
  for (const char *file : {"mlp_mse.dynamo.20.raw", "mlp_mse.script.13", "llama_sdpa.dynamo.20.raw"})
    EXPECT_EQ(noteOf(file, true), "") << file;
}

/// Exporters write a group norm as an instance norm of ones and zeros, and fold its weights to channels x 1 x
/// 1.
TEST(OnnxDecisions, groupNormsHaveTheirWeights) {
  for (const char *file : {"cnn.script.17", "cnn.dynamo.18", "cnn.dynamo.23"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(parametersIn(description->document), parametersOf(Fixture("onnx/cnn.f32.safetensors"))) << file;
  }
}

/// A buffer above the limit of values that are computed before the run is a frozen parameter.
TEST(OnnxDecisions, largeBuffersAreFrozenParameters) {
  ModelMaker maker = linearModel();
  const int64_t rows = onnx::kMostLiteral / 2 + 1;
  maker.weight("cos_cached", {rows, 2}, std::vector<float>(static_cast<size_t>(2 * rows), 0.5F));
  maker.node("ReduceMean", {"cos_cached"}, "shift", "/Mean");
  maker.node("Add", {"prediction", "shift"}, "moved", "/fc/Add_1");
  maker.node("ReduceMean", {"moved"}, "mean");
  maker.graph().mutable_output(0)->set_name("mean");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(description->document["params"]["cos_cached"]["group"], "frozen");
  EXPECT_FALSE(description->document["params"]["fc.weight"].contains("group"));
  EXPECT_EQ(std::ranges::count(description->values, "cos_cached", &onnx::FirstValues::parameter), 1);
}

/// TorchScript's exporter merges equal tensors, and leaves an Identity with the name of the other.
TEST(OnnxDecisions, mergedVectorsAreSplit) {
  ModelMaker maker = linearModel();
  maker.weight("first.scale", {3}, {1, 1, 1});
  maker.node("Identity", {"first.scale"}, "second.scale");
  maker.node("Mul", {"prediction", "first.scale"}, "scaled", "/first/Mul");
  maker.node("Mul", {"scaled", "second.scale"}, "twice", "/second/Mul");
  maker.node("ReduceMean", {"twice"}, "mean");
  maker.graph().mutable_output(0)->set_name("mean");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(namesIn(description->document["params"]),
            (std::set<std::string>{"fc.bias", "fc.weight", "first.scale", "second.scale"}));
}

/// With the newer exporter only the readers of the tensor show the merge.
TEST(OnnxDecisions, vectorsMergedAcrossModulesAreSplit) {
  ModelMaker maker = linearModel();
  maker.weight("first.weight", {3}, {1, 1, 1});
  maker.node("Mul", {"prediction", "first.weight"}, "scaled", "/first/Mul");
  maker.node("Mul", {"scaled", "first.weight"}, "twice", "/second/Mul");
  maker.node("ReduceMean", {"twice"}, "mean");
  maker.graph().mutable_output(0)->set_name("mean");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_TRUE(description) << description.status().message();
  EXPECT_EQ(namesIn(description->document["params"]),
            (std::set<std::string>{"fc.bias", "fc.weight", "first.weight", "second.weight"}));
}

/// TorchScript's exporter numbers the calls of a module: "norm_1" is a second call of "norm", and has no
/// parameters of its own.
TEST(OnnxDecisions, modulesThatAreCalledAgainKeepTheirParameters) {
  for (const char *file : {"recurring.script.17.raw", "recurring.dynamo.20.raw"}) {
    Result<OnnxDescription> description = describeFile(Fixture::folder() + "onnx/" + file + ".onnx");
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(parametersIn(description->document), parametersOf(Fixture("onnx/recurring.f32.safetensors")))
        << file;
  }
}

/// The newer exporter marks parameters, and names a table that it computed after the operation: "cos".
TEST(OnnxDecisions, tablesOfMarkedFilesAreConstants) {
  for (bool isMarked : {true, false}) {
    ModelMaker maker = linearModel();
    maker.weight("cos", {3}, {1, 0.5F, 0});
    maker.node("Mul", {"prediction", "cos"}, "turned");
    maker.node("ReduceMean", {"turned"}, "mean");
    maker.graph().mutable_output(0)->set_name("mean");
    for (const char *name : {"fc.weight", "fc.bias"}) {
      onnx::wire::Value *info = maker.graph().add_value_info();
      info->set_name(name);
      addEntry(info->mutable_metadata_props(),
               isMarked ? "pkg.torch.export.graph_signature.InputSpec.kind" : "other", "InputKind.PARAMETER");
    }
    Result<OnnxDescription> description = describeModel(maker);
    ASSERT_TRUE(description) << description.status().message();
    EXPECT_EQ(description->document["params"].contains("cos"), !isMarked);
  }
}

TEST(OnnxDecisions, unsupportedOperatorsAreListedAtOnce) {
  ModelMaker maker = linearModel();
  maker.node("LSTM", {"x"}, "a", "/rnn/LSTM");
  maker.node("LSTM", {"a"}, "b", "/rnn/LSTM_1");
  maker.node("Fancy", {"b"}, "c").set_domain("com.example");
  Result<OnnxDescription> description = describeModel(maker);
  ASSERT_FALSE(description);
  const std::string &message = description.status().message();
  EXPECT_TRUE(
      message.ends_with("operators that are not supported:\n"
                        "  LSTM, 2 nodes\n"
                        "    node \"/rnn/LSTM\" (LSTM) in rnn\n"
                        "    node \"/rnn/LSTM_1\" (LSTM) in rnn\n"
                        "  com.example.Fancy, 1 node\n"
                        "    node \"/c\" (com.example.Fancy)\n"
                        "  docs/onnx.md says which are, and how to export so that a file has no others"))
      << message;
}

TEST(OnnxDecisions, operatorsHaveTheirInputs) {
  auto errorOf = [](const std::string &op, const std::vector<std::string> &inputs) {
    ModelMaker maker = linearModel();
    maker.node(op, inputs, "a");
    maker.node("Add", {"a", "loss"}, "sum");
    maker.output("sum");
    Result<OnnxDescription> description = describeModel(maker);
    const std::string message = description ? "" : description.status().message();
    return message.substr(std::min(message.size(), message.find(": ") + 2));
  };
  EXPECT_EQ(errorOf("Add", {"x"}), "node \"/a\" (Add): must have 2 inputs, has 1");
  EXPECT_EQ(errorOf("Less", {"x", "x", "x"}), "node \"/a\" (Less): must have 2 inputs, has 3");
  EXPECT_EQ(errorOf("Div", {"x", ""}), "node \"/a\" (Div): input 1 must be given");
  EXPECT_EQ(errorOf("Exp", {}), "node \"/a\" (Exp): must have 1 input, has 0");
  EXPECT_EQ(errorOf("Max", {}), "node \"/a\" (Max): must have 1 or more inputs, has 0");
  EXPECT_EQ(errorOf("Max", {"x", "", "x"}), "node \"/a\" (Max): input 1 must be given");
  EXPECT_EQ(errorOf("Concat", {"x", ""}), "node \"/a\" (Concat): input 1 must be given");
}

TEST(OnnxDecisions, dimensions) {
  auto errorOf = [](ModelMaker maker, const OnnxOptions &options) {
    Result<OnnxDescription> description = describeModel(maker, options);
    const std::string message = description ? "" : description.status().message();
    return message.substr(std::min(message.size(), message.find(": ") + 2));
  };
  ModelMaker open = linearModel();
  open.graph()
      .mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("width");
  OnnxOptions options;
  EXPECT_EQ(errorOf(open, options),
            "dimensions without a size: \"width\" (input \"x\"); give them with --dim NAME=SIZE");
  options.dims = {{"width", 2}};
  EXPECT_EQ(errorOf(open, options), "");
  options.dims = {{"width", 2}, {"widt", 3}};
  EXPECT_EQ(errorOf(open, options), "--dim widt: is no dimension of an input (\"width\" is)");
  options.dims = {{"batch", 3}};
  EXPECT_EQ(errorOf(linearModel(), options), "input \"x\": must begin with the micro-batch of 4 examples, "
                                             "begins with 3; train with that micro-batch, "
                                             "or export with a dynamic first dimension");
}

} // namespace

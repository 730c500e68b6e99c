// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sources of initial values: those of graph JSON, Hugging Face folders, and given files; and all errors.
#include "compiler/import/weights/Weights.h"

#include "mlir/IR/Diagnostics.h"
#include "runtime/base/Hash.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/TensorFile.h"
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;
using Tensors = std::map<std::string, TestTensor>;

class WeightsTest : public testing::Test {
protected:
  WeightsTest() {
    context.getDiagEngine().registerHandler([&](Diagnostic &note) { said += note.str(); });
  }

  /// x . w, where w has 3 x 2 elements from `source`.
  std::string linear(const json &source, bool hasInit = true) {
    json model = json::parse(R"({
      "format": "windlass.model/1",
      "dims": {"B": "batch", "I": 3, "O": 2},
      "inputs": {"x": {"role": "features", "shape": ["B", "I"]}, "y": {"role": "targets", "shape": ["B", "O"]}},
      "params": {"w": {"shape": ["I", "O"]}},
      "ops": [{"op": "matmul", "in": ["x", "w"], "out": "z"}, {"op": "mse", "in": ["z", "y"], "out": "e"}],
      "loss": "e"})");
    model["params"]["w"]["source"] = source;
    if (hasInit)
      model["params"]["w"]["init"] = {{"normal", 0.5}};
    return folder.write("model.json", model.dump());
  }

  /// A GPT-2 of one layer, and the tensors that transformers saves of it.
  Tensors gpt2() {
    std::filesystem::create_directory(folder / "hf");
    folder.write("hf/config.json", R"({"model_type": "gpt2", "n_layer": 1, "n_embd": 4, "n_head": 2,
        "n_positions": 4, "vocab_size": 5, "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0})");
    Tensors tensors;
    const std::map<std::string, std::vector<int64_t>> shapes = {{"wte.weight", {5, 4}},
                                                                {"wpe.weight", {4, 4}},
                                                                {"ln_f.weight", {4}},
                                                                {"ln_f.bias", {4}},
                                                                {"h.0.ln_1.weight", {4}},
                                                                {"h.0.ln_1.bias", {4}},
                                                                {"h.0.ln_2.weight", {4}},
                                                                {"h.0.ln_2.bias", {4}},
                                                                {"h.0.attn.c_attn.weight", {4, 12}},
                                                                {"h.0.attn.c_attn.bias", {12}},
                                                                {"h.0.attn.c_proj.weight", {4, 4}},
                                                                {"h.0.attn.c_proj.bias", {4}},
                                                                {"h.0.mlp.c_fc.weight", {4, 16}},
                                                                {"h.0.mlp.c_fc.bias", {16}},
                                                                {"h.0.mlp.c_proj.weight", {16, 4}},
                                                                {"h.0.mlp.c_proj.bias", {4}}};
    for (const auto &[name, shape] : shapes)
      tensors["transformer." + name] = countingTensor(shape);
    return tensors;
  }

  OwningOpRef<ModuleOp> import(const std::string &model, const std::string &weights = "") {
    auto module = importModel(context, model, trainingOf(1), {}, weights);
    EXPECT_TRUE(module) << module.status().message();
    return module ? module.take() : nullptr;
  }
  std::string refusal(const std::string &model, const std::string &weights = "") {
    auto module = importModel(context, model, trainingOf(1), {}, weights);
    EXPECT_FALSE(module);
    EXPECT_EQ(module.status().code(), ExitCode::BadInput) << module.status().message();
    return module.status().message();
  }
  graph::SourceAttr sourceOf(ModuleOp module, const std::string &name) {
    auto state = module.lookupSymbol<graph::StateOp>(name);
    return state ? state.getInit().getSource() : graph::SourceAttr();
  }
  void expectSource(ModuleOp module, const std::string &name, const std::string &file,
                    const std::string &tensor) {
    graph::SourceAttr source = sourceOf(module, name);
    ASSERT_TRUE(source) << name;
    SafetensorsReader reader = SafetensorsReader::open(file).take();
    EXPECT_EQ(source.getFile().str(), file);
    EXPECT_EQ(source.getTensor().str(), tensor);
    EXPECT_EQ(source.getOffset(), reader.placeOf(*reader.find(tensor)));
    EXPECT_EQ(source.getElement().str(), reader.find(tensor)->type);
  }

  MLIRContext context;
  TemporaryFolder folder;
  std::string said;
};

TEST_F(WeightsTest, aSourceOfAGraphJsonIsFoundInItsFile) {
  const std::string file =
      writeTensors(folder / "m.safetensors", {{"a", countingTensor({7})}, {"t", countingTensor({2, 3})}});
  auto module = import(linear({{"file", "m.safetensors"}, {"tensor", "t"}, {"transposed", true}}, false));
  ASSERT_TRUE(module);
  expectSource(*module, "w", file, "t");
  EXPECT_TRUE(sourceOf(*module, "w").getTransposed());
  auto files = (*module)->getAttrOfType<ArrayAttr>("windlass.weights");
  ASSERT_TRUE(files && files.size() == 1);
  auto record = cast<DictionaryAttr>(files[0]);
  EXPECT_EQ(record.getAs<StringAttr>("path").str(), file);
  EXPECT_EQ(record.getAs<StringAttr>("hash").str(), *hashOfFile(file));
  EXPECT_EQ(record.getAs<IntegerAttr>("bytes").getInt(), std::ssize(readText(file)));
  EXPECT_FALSE(module->lookupSymbol("w")->hasAttr(kNoInitialiser));
}

/// A number has no dimension in files, and one dimension of one element in the graph.
TEST_F(WeightsTest, aNumberIsFoundInItsFile) {
  const std::string file = writeTensors(folder / "m.safetensors", {{"s", countingTensor({})}});
  auto model = nlohmann::json::parse(readText(linear({{"file", "m.safetensors"}})));
  model["params"]["w"].erase("source");
  model["params"]["s"] = {{"shape", nlohmann::json::array()}, {"source", {{"file", "m.safetensors"}}}};
  model["ops"][0]["out"] = "h";
  const nlohmann::json scaled = {{"op", "mul"}, {"in", {"h", "s"}}, {"out", "z"}};
  model["ops"].insert(model["ops"].begin() + 1, scaled);
  auto module = import(folder.write("model.json", model.dump()));
  ASSERT_TRUE(module);
  expectSource(*module, "s", file, "s");
  auto state = module->lookupSymbol<graph::StateOp>("s");
  EXPECT_EQ(cast<RankedTensorType>(state.getType()).getShape(), ArrayRef<int64_t>({1}));
  writeTensors(folder / "m.safetensors", {{"s", countingTensor({1})}});
  EXPECT_EQ(refusal(folder / "model.json"),
            file + ": the weights do not fit the model:\n  \"s\" has shape [1], the model wants []");
}

TEST_F(WeightsTest, withoutWeightsTheInitialiserCounts) {
  auto module = import(linear({{"file", "m.safetensors"}}), "none"); // the file does not exist
  ASSERT_TRUE(module);
  EXPECT_FALSE(sourceOf(*module, "w"));
  EXPECT_FALSE((*module)->hasAttr("windlass.weights"));
  EXPECT_EQ(refusal(linear({{"file", "m.safetensors"}}, false), "none"),
            folder / "model.json: parameter \"w\" has no \"init\" to start from without its weights");
}

TEST_F(WeightsTest, aSourceThatDoesNotFitIsRefused) {
  const std::string file =
      writeTensors(folder / "m.safetensors", {{"w", countingTensor({2, 3})},
                                              {"i", tensorOf<int32_t>("I32", {3, 2}, {1, 2, 3, 4, 5, 6})}});
  const std::string all = file + ": the weights do not fit the model:\n  ";
  EXPECT_EQ(refusal(linear({{"file", "m.safetensors"}})),
            all + "\"w\" has shape [2, 3], the model wants [3, 2]");
  EXPECT_EQ(refusal(linear({{"file", "m.safetensors"}, {"tensor", "v"}})),
            all + "\"v\", for \"w\", is missing");
  EXPECT_EQ(refusal(linear({{"file", "m.safetensors"}, {"tensor", "i"}})),
            all + "\"i\" has type I32, not F64, F32, F16 or BF16");
  EXPECT_EQ(refusal(linear({{"file", "n.safetensors"}})),
            folder / "n.safetensors: cannot open: No such file or directory");
}

TEST_F(WeightsTest, aSourceStaysInTheModelsFolder) {
  TemporaryFolder outside;
  writeTensors(outside / "m.safetensors", {{"w", countingTensor({3, 2})}});
  const std::string place =
      folder / "model.json: params.w.source.file: must name a file in the model's folder, is ";
  for (const std::string &path :
       {std::string("../m.safetensors"), outside / "m.safetensors", std::string("a/../../m")})
    EXPECT_TRUE(refusal(linear({{"file", path}})).starts_with(place)) << path;
  std::filesystem::create_symlink(outside / "m.safetensors", folder / "link.safetensors");
  EXPECT_EQ(refusal(linear({{"file", "link.safetensors"}})),
            folder / "link.safetensors: leads out of the model's folder");
}

TEST_F(WeightsTest, everyRepetitionHasATensorOfItsOwn) {
  json model = json::parse(R"({
    "format": "windlass.model/1",
    "dims": {"B": "batch", "D": 2},
    "inputs": {"x": {"role": "features", "shape": ["B", "D"]}, "y": {"role": "targets", "shape": ["B", "D"]}},
    "blocks": {"layer": {"in": ["x"], "params": {"w": {"shape": ["D", "D"], "source": {"file": "m", "tensor": "old.{i}"}}},
               "ops": [{"op": "matmul", "in": ["x", "w"], "out": "y"}], "out": ["y"]}},
    "ops": [{"repeat": 2, "block": "layer", "carry": ["x"], "name": "h.{i}"},
            {"op": "mse", "in": ["x", "y"], "out": "e"}],
    "loss": "e"})");
  const std::string file =
      writeTensors(folder / "m", {{"old.0", countingTensor({2, 2})}, {"old.1", countingTensor({2, 2})}});
  auto module = import(folder.write("model.json", model.dump()));
  ASSERT_TRUE(module);
  expectSource(*module, "h.0.w", file, "old.0");
  expectSource(*module, "h.1.w", file, "old.1");
}

TEST_F(WeightsTest, aHuggingFaceFolderBringsItsWeights) {
  Tensors tensors = gpt2();
  const std::string file = writeTensors(folder / "hf/model.safetensors", tensors);
  for (const char *model : {"hf", "hf/config.json"}) {
    auto module = import(folder / model);
    ASSERT_TRUE(module);
    expectSource(*module, "transformer.h.0.mlp.c_fc.weight", file, "transformer.h.0.mlp.c_fc.weight");
    EXPECT_EQ(said, "");
  }
  auto module = import(folder / "hf", "none");
  ASSERT_TRUE(module);
  EXPECT_FALSE(sourceOf(*module, "transformer.wte.weight"));
}

TEST_F(WeightsTest, aBaseModelsTensorsLackThePrefix) {
  Tensors tensors;
  for (const auto &[name, tensor] : gpt2())
    tensors[name.substr(std::string("transformer.").size())] = tensor;
  tensors["h.0.attn.bias"] = tensorOf<uint8_t>("U8", {1, 1, 2, 2}, {1, 0, 1, 1}); // the causal mask
  tensors["lm_head.weight"] = tensors["wte.weight"];
  const std::string file = writeTensors(folder / "hf/model.safetensors", tensors);
  auto module = import(folder / "hf");
  ASSERT_TRUE(module);
  expectSource(*module, "transformer.h.0.ln_1.bias", file, "h.0.ln_1.bias");
  EXPECT_EQ(said, "");
}

/// Versions of transformers differ in which of two such tensors they take.
TEST_F(WeightsTest, aTiedTensorWithValuesOfItsOwnIsRefused) {
  Tensors tensors = gpt2();
  tensors["lm_head.weight"] = tensors["transformer.wte.weight"];
  writeTensors(folder / "hf/model.safetensors", tensors);
  EXPECT_TRUE(import(folder / "hf"));
  tensors["lm_head.weight"].bytes.back() ^= std::byte(1);
  const std::string file = writeTensors(folder / "hf/model.safetensors", tensors);
  EXPECT_EQ(refusal(folder / "hf"),
            file + ": \"lm_head.weight\" and \"transformer.wte.weight\" have different values, but the "
                   "configuration ties them; with \"tie_word_embeddings\": false each has its own");
}

/// The first checkpoints of BERT have other names for the parameters of layer norms.
TEST_F(WeightsTest, oldNamesOfLayerNormsAreKnown) {
  std::string model = readText(linear({{"file", "x"}, {"tensor", "x"}}));
  for (size_t at = model.find("\"w\""); at != std::string::npos; at = model.find("\"w\"", at))
    model.replace(at, 3, "\"a.LayerNorm.weight\"");
  const std::string path = folder.write("model.json", model),
                    weights = writeTensors(folder / "old.safetensors",
                                           {{"a.LayerNorm.gamma", countingTensor({3, 2})}});
  auto module = import(path, weights);
  ASSERT_TRUE(module);
  expectSource(*module, "a.LayerNorm.weight", weights, "a.LayerNorm.gamma");
  EXPECT_EQ(said, "");
}

TEST_F(WeightsTest, allThatDoesNotFitIsListedAtOnce) {
  Tensors tensors = gpt2();
  tensors.erase("transformer.ln_f.bias");
  tensors["transformer.wpe.weight"] = countingTensor({8, 4});
  tensors["transformer.h.0.attn.rotary"] = countingTensor({4});
  const std::string file = writeTensors(folder / "hf/model.safetensors", tensors);
  EXPECT_EQ(refusal(folder / "hf"),
            file + ": the weights do not fit the model:"
                   "\n  \"transformer.ln_f.bias\" is missing"
                   "\n  \"transformer.wpe.weight\" has shape [8, 4], the model wants [4, 4]"
                   "\n  \"transformer.h.0.attn.rotary\" is not in the model");
}

TEST_F(WeightsTest, whatIsLeftOverIsSaid) {
  Tensors tensors = gpt2();
  tensors["score.weight"] = countingTensor({2, 4});
  writeTensors(folder / "hf/model.safetensors", tensors);
  ASSERT_TRUE(import(folder / "hf"));
  EXPECT_EQ(said, folder / "hf/model.safetensors: tensors that the model does not use:"
                           "\n  \"score.weight\" is not in the model");
}

TEST_F(WeightsTest, shardsAreFoundThroughTheirIndex) {
  Tensors first, second;
  json index = {{"metadata", {{"total_size", 1}}}, {"weight_map", json::object()}};
  for (const auto &[name, tensor] : gpt2()) {
    const bool isFirst = name < "transformer.l";
    (isFirst ? first : second)[name] = tensor;
    index["weight_map"][name] = isFirst ? "model-1.safetensors" : "model-2.safetensors";
  }
  const std::string one = writeTensors(folder / "hf/model-1.safetensors", first);
  const std::string two = writeTensors(folder / "hf/model-2.safetensors", second);
  const std::string path = folder.write("hf/model.safetensors.index.json", index.dump());
  auto module = import(folder / "hf");
  ASSERT_TRUE(module);
  expectSource(*module, "transformer.h.0.mlp.c_fc.weight", one, "transformer.h.0.mlp.c_fc.weight");
  expectSource(*module, "transformer.wte.weight", two, "transformer.wte.weight");
  EXPECT_EQ((*module)->getAttrOfType<ArrayAttr>("windlass.weights").size(), 2u);

  auto refused = [&](const std::string &tensor, const std::string &shard) {
    json wrong = index;
    wrong["weight_map"][tensor] = shard;
    folder.write("hf/model.safetensors.index.json", wrong.dump());
    return refusal(folder / "hf");
  };
  EXPECT_EQ(refused("transformer.wte.weight", "../model-2.safetensors"),
            path + ": weight_map.transformer.wte.weight: must name a file beside the index, is "
                   "\"../model-2.safetensors\"");
  EXPECT_EQ(refused("transformer.wte.weight", "model-1.safetensors"),
            path + ": weight_map: tensor \"transformer.wte.weight\" is not in \"model-1.safetensors\"");
  EXPECT_NE(refused("transformer.wte.weight", "model-3.safetensors").find("model-3.safetensors: cannot open"),
            std::string::npos);
  folder.write("hf/model.safetensors.index.json", "{}");
  EXPECT_EQ(refusal(folder / "hf"), path + ": weight_map: is missing");
}

TEST_F(WeightsTest, aPickleIsNotPassedOver) {
  gpt2();
  folder.write("hf/pytorch_model.bin", "PK");
  EXPECT_TRUE(refusal(folder / "hf").starts_with(folder / "hf/pytorch_model.bin: pickles are not read"));
  EXPECT_TRUE(import(folder / "hf", "none"));
}

TEST_F(WeightsTest, weightsCanBeGivenForAnyModel) {
  std::filesystem::create_directory(folder / "checkpoint");
  const std::string file =
      writeTensors(folder / "checkpoint/model.safetensors", {{"w", countingTensor({3, 2})}});
  const std::string model = linear({{"file", "nowhere.safetensors"}});
  for (const std::string &weights : {file, folder / "checkpoint"}) {
    auto module = import(model, weights);
    ASSERT_TRUE(module);
    expectSource(*module, "w", file, "w");
  }
  EXPECT_EQ(refusal(model, folder.path),
            folder.path + ": holds neither model.safetensors nor model.safetensors.index.json");
}

} // namespace

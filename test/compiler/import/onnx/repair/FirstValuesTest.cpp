// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The initial values of an ONNX model's parameters are those of the module, wherever and however the exporter
// stored them. Values that cannot be read in place are refused.
#include "compiler/import/weights/Weights.h"
#include "test/compiler/import/ImportTesting.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/fixtures/Fixture.h"
#include "test/runtime/training/TemporaryFolder.h"

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

using Doubles = std::vector<double>;

template <typename Stored> Doubles elementsAt(const std::string &file, int64_t offset, int64_t count) {
  std::vector<Stored> elements(static_cast<size_t>(count));
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(offset);
  EXPECT_TRUE(stream.read(reinterpret_cast<char *>(elements.data()), count * int64_t(sizeof(Stored))))
      << file;
  return {elements.begin(), elements.end()};
}

/// The values that a run reads for a state, by a reader of this test.
Doubles valuesOf(graph::StateOp state) {
  const graph::SourceAttr source = state.getInit().getSource();
  const auto type = cast<RankedTensorType>(state.getType());
  const int64_t count = type.getNumElements();
  const Doubles stored = source.getElement() == "F64"
                             ? elementsAt<double>(source.getFile().str(), source.getOffset(), count)
                             : elementsAt<float>(source.getFile().str(), source.getOffset(), count);
  if (!source.getTransposed())
    return stored;
  const int64_t rows = type.getDimSize(0), columns = type.getDimSize(1);
  Doubles turned;
  for (int64_t at = 0; at < count; ++at)
    turned.push_back(stored[static_cast<size_t>(at % columns * rows + at / columns)]);
  return turned;
}

//===----------------------------------------------------------------------===//
// Exports of PyTorch
//===----------------------------------------------------------------------===//

struct Export {
  const char *name, *fixture;
};

class OnnxExport : public ::testing::TestWithParam<Export> {};

TEST_P(OnnxExport, startsFromTheModulesValues) {
  MLIRContext context;
  const std::string file = fixturePath("onnx/" + std::string(GetParam().name) + ".onnx");
  auto module = importOrFail(context, file, trainingOf(4));
  ASSERT_TRUE(module);
  const Fixture fixture = fixtureFor(GetParam().name, GetParam().fixture);
  auto states = statesOf(*module);
  size_t compared = 0;
  for (const auto &[name, tensor] : fixture.all()) {
    if (!name.starts_with("initial/"))
      continue;
    const std::string parameter = name.substr(8);
    ASSERT_TRUE(states.contains(parameter)) << parameter;
    ASSERT_TRUE(states.at(parameter).getInit().getSource()) << parameter;
    EXPECT_EQ(valuesOf(states.at(parameter)), tensor.data) << parameter;
    ++compared;
  }
  EXPECT_EQ(compared, states.size());
  EXPECT_EQ((*module)->getAttrOfType<ArrayAttr>("windlass.weights").size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, OnnxExport,
                         ::testing::Values(Export{"gpt2.script.13.raw", "gpt2/f32.safetensors"},
                                           Export{"gpt2.script.17", "gpt2/f32.safetensors"},
                                           Export{"gpt2.dynamo.18", "gpt2/f32.safetensors"},
                                           Export{"gpt2_sdpa.script.17", "gpt2/f32.safetensors"},
                                           Export{"gpt2_sdpa.dynamo.20.raw", "gpt2/f32.safetensors"},
                                           Export{"gpt2_sdpa.dynamo.23", "gpt2/f32.safetensors"},
                                           Export{"llama.script.13.raw", "llama/f32.safetensors"},
                                           Export{"llama.script.17", "llama/f32.safetensors"},
                                           Export{"llama.dynamo.18", "llama/f32.safetensors"},
                                           Export{"llama_sdpa.script.17", "llama/f32.safetensors"},
                                           Export{"llama_sdpa.dynamo.20.raw", "llama/f32.safetensors"},
                                           Export{"llama_sdpa.dynamo.23", "llama/f32.safetensors"},
                                           Export{"bert.script.13.raw", "bert/f32.safetensors"},
                                           Export{"bert.script.17", "bert/f32.safetensors"},
                                           Export{"bert.dynamo.18", "bert/f32.safetensors"},
                                           Export{"bert_sdpa.script.17", "bert/f32.safetensors"},
                                           Export{"bert_sdpa.dynamo.20.raw", "bert/f32.safetensors"},
                                           Export{"bert_sdpa.dynamo.23", "bert/f32.safetensors"},
                                           Export{"vit.script.13.raw", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"vit.script.17", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"vit.dynamo.18", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"vit_sdpa.script.17", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"vit_sdpa.dynamo.20.raw", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"vit_sdpa.dynamo.23", "onnx/vit_sdpa.f32.safetensors"},
                                           Export{"cnn.script.17", "onnx/cnn.f32.safetensors"},
                                           Export{"cnn.dynamo.18", "onnx/cnn.f32.safetensors"},
                                           Export{"fresh.script.17", "onnx/fresh.f32.safetensors"},
                                           Export{"fresh.dynamo.18", "onnx/fresh.f32.safetensors"},
                                           Export{"mlp_mse.script.13", "onnx/mlp_mse.f32.safetensors"},
                                           Export{"mlp_mse.script.17.raw", "onnx/mlp_mse.f32.safetensors"},
                                           Export{"mlp_mse.script.17.static", "onnx/mlp_mse.f32.safetensors"},
                                           Export{"mlp_mse.dynamo.18", "onnx/mlp_mse.f32.safetensors"},
                                           Export{"mlp_mse.dynamo.20.raw", "onnx/mlp_mse.f32.safetensors"},
                                           Export{"mlp_mse.dynamo.23", "onnx/mlp_mse.f32.safetensors"}),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::ranges::replace(name, '.', '_');
                           return name;
                         });

//===----------------------------------------------------------------------===//
// The encodings of a tensor
//===----------------------------------------------------------------------===//

class OnnxFirstValues : public ::testing::Test {
protected:
  OnnxFirstValues() : maker(linearModel()) {}

  onnx::wire::Tensor &weight() { return *maker.graph().mutable_initializer(0); }

  Result<OwningOpRef<ModuleOp>> import(const std::string &weights = "") {
    return importModel(context, folder.write("made.onnx", maker.bytes()), trainingOf(4), {}, weights);
  }

  /// The initial values of fc.weight.
  Doubles values() {
    Result<OwningOpRef<ModuleOp>> module = import();
    EXPECT_TRUE(module) << module.status().message();
    if (!module)
      return {};
    return valuesOf(statesOf(**module).at("fc.weight"));
  }

  const Doubles expected = {1, 2, 3, 4, 5, 6};
  MLIRContext context;
  TemporaryFolder folder;
  ModelMaker maker;
};

TEST_F(OnnxFirstValues, inRawData) {
  EXPECT_EQ(values(), expected);
  maker.model.set_producer_name("a"); // adds one byte before the tensors, for odd offsets
  EXPECT_EQ(values(), expected);
}

TEST_F(OnnxFirstValues, inListsOfNumbers) {
  weight().clear_raw_data();
  for (double value : expected)
    weight().add_float_data(static_cast<float>(value));
  EXPECT_EQ(values(), expected);
  weight().clear_float_data();
  weight().set_data_type(static_cast<int>(onnx::DataType::Double));
  for (double value : expected)
    weight().add_double_data(value);
  EXPECT_EQ(values(), expected);
}

/// A field of fewer than 128 bytes, in protobuf's encoding.
std::string field(int number, const std::string &bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

/// Protobuf permits a writer to cut lists and messages into pieces.
TEST_F(OnnxFirstValues, inPieces) {
  onnx::wire::Tensor head = weight(), tail;
  maker.graph().mutable_initializer()->DeleteSubrange(0, 1);
  head.clear_raw_data();
  for (float value : {1.F, 2.F, 3.F})
    head.add_float_data(value);
  for (float value : {4.F, 5.F, 6.F})
    tail.add_float_data(value);
  auto importWith = [&](const std::string &tensor) {
    const std::string graph = field(onnx::wire::Graph::kInitializerFieldNumber, tensor);
    const std::string bytes = maker.bytes() + field(onnx::wire::Model::kGraphFieldNumber, graph);
    return importModel(context, folder.write("cut.onnx", bytes), trainingOf(4));
  };
  Result<OwningOpRef<ModuleOp>> cut = importWith(head.SerializeAsString() + tail.SerializeAsString());
  ASSERT_FALSE(cut);
  EXPECT_TRUE(cut.status().message().ends_with("parameters start from:\n  \"fc.weight\""));
  head.MergeFrom(tail); // one list again, in the second piece of the graph
  Result<OwningOpRef<ModuleOp>> whole = importWith(head.SerializeAsString());
  ASSERT_TRUE(whole) << whole.status().message();
  EXPECT_EQ(valuesOf(statesOf(**whole).at("fc.weight")), expected);
}

TEST_F(OnnxFirstValues, inAFileBesideTheModel) {
  weight().clear_raw_data();
  weight().set_data_location(1);
  for (const auto &[key, value] : {std::pair("location", "made.data"), std::pair("offset", "3")}) {
    weight().add_external_data()->set_key(key);
    weight().mutable_external_data(weight().external_data_size() - 1)->set_value(value);
  }
  const std::vector<float> stored(expected.begin(), expected.end());
  folder.write("made.data", "odd" + std::string(reinterpret_cast<const char *>(stored.data()),
                                                stored.size() * sizeof(float)));
  EXPECT_EQ(values(), expected);
  Result<OwningOpRef<ModuleOp>> module = import();
  ASSERT_TRUE(module);
  EXPECT_EQ((**module)->getAttrOfType<ArrayAttr>("windlass.weights").size(), 2u) << "fc.bias is in the model";
}

std::vector<int> varintsAt(const std::string &path, int64_t offset, size_t count) {
  const std::string bytes = readText(path).substr(static_cast<size_t>(offset));
  std::vector<int> numbers;
  int number = 0, shift = 0;
  for (size_t i = 0; i < bytes.size() && numbers.size() < count; ++i) {
    const int byte = static_cast<unsigned char>(bytes[i]);
    number |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte < 0x80) {
      numbers.push_back(number);
      number = shift = 0;
    }
  }
  return numbers;
}

/// A list of integers has the bits of 16-bit floats.
TEST_F(OnnxFirstValues, inNumbersOfAnotherWidth) {
  for (const auto &[type, word, halves] :
       {std::tuple(onnx::DataType::Float16, "F16 varints",
                   std::vector<int>{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}),
        std::tuple(onnx::DataType::BFloat16, "BF16 varints",
                   std::vector<int>{0x3f80, 0x4000, 0x4040, 0x4080, 0x40a0, 0x40c0})}) {
    weight().clear_raw_data();
    weight().clear_int32_data();
    weight().set_data_type(static_cast<int>(type));
    for (int bits : halves)
      weight().add_int32_data(bits);
    Result<OwningOpRef<ModuleOp>> module = import();
    ASSERT_TRUE(module) << module.status().message();
    const graph::SourceAttr source = statesOf(**module).at("fc.weight").getInit().getSource();
    EXPECT_EQ(source.getElement(), word);
    EXPECT_EQ(varintsAt(source.getFile().str(), source.getOffset(), halves.size()), halves) << word;
  }
}

TEST_F(OnnxFirstValues, inNumbersThatAreNoBitsAreRefused) {
  weight().clear_raw_data();
  weight().set_data_type(static_cast<int>(onnx::DataType::Float16));
  for (int bits : {0x3c00, 0x4000, 0x10000, 0x4400, 0x4500, 0x4600})
    weight().add_int32_data(bits);
  Result<OwningOpRef<ModuleOp>> module = import();
  ASSERT_FALSE(module);
  EXPECT_EQ(module.status().code(), ExitCode::BadInput);
  EXPECT_EQ(module.status().message(),
            (folder / "made.onnx") +
                ": tensor \"fc.weight\": a float16 in int32_data must be from 0 to 65535, is 65536");
}

TEST_F(OnnxFirstValues, canBeLeftAside) {
  Result<OwningOpRef<ModuleOp>> module = import("none");
  ASSERT_TRUE(module) << module.status().message();
  for (auto &[name, state] : statesOf(**module))
    EXPECT_FALSE(state.getInit().getSource()) << name;
  EXPECT_FALSE((**module)->hasAttr("windlass.weights"));
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Families of models over 2 and 4 ranks: some of their operations are divided, and losses, logits and
// gradients are those of one rank.

#include "compiler/interpreter/Interpreter.h"
#include "dialects/Graph/IR/GraphSplits.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "passes/Graph/Passes.h"
#include "passes/Graph/SplitPasses.h"
#include "test/compiler/import/ImportTesting.h"
#include <cmath>

using namespace mlir;
using namespace windlass;
using namespace windlass::test;

namespace {

using interpreter::Tensor;

struct Case {
  const char *name, *model;
  int64_t ranks;
  const char *layout;
};

const Case kCases[] = {
    {"gpt2", "gpt2", 2,
     "version 2; "
     "block: attn.c_attn n/3, attention heads, attn.c_proj k, mlp.c_fc n, mlp.c_proj k; "
     "evaluate: transformer.wte rows, transformer.wte n, cross_entropy columns; "
     "block.sample: attn.c_attn n/3, attention heads, attn.c_proj k, mlp.c_fc n, mlp.c_proj k; "
     "sample: transformer.wte rows, transformer.wte n"},
    {"gpt2_dropout", "gpt2_dropout", 2,
     "version 2; "
     "block: attn.c_attn n/3, attention heads, attn.c_proj k, mlp.c_fc n, mlp.c_proj k; "
     "evaluate: transformer.wte rows, transformer.wte n, cross_entropy columns; "
     "block.sample: attn.c_attn n/3, attention heads, attn.c_proj k, mlp.c_fc n, mlp.c_proj k; "
     "sample: transformer.wte rows, transformer.wte n"},
    {"gpt2_on_three", "gpt2", 3,
     "version 2; "
     "block: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "evaluate: transformer.wte rows, transformer.wpe rows, transformer.wte n, cross_entropy columns; "
     "block.sample: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "sample: transformer.wte rows, transformer.wpe rows, transformer.wte n"},
    {"llama", "llama", 2,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, self_attn.o_proj "
     "k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"llama_on_four", "llama", 4,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, self_attn.o_proj "
     "k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"mistral", "mistral", 2,
     "version 2; "
     "window.layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "window.layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"qwen3", "qwen3", 2,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, self_attn.o_proj "
     "k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, model.embed_tokens n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, model.embed_tokens n"},
    {"bert", "bert", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, cls.predictions.transform.dense n, "
     "bert.embeddings.word_embeddings n, cross_entropy columns"},
    {"bert_dropout", "bert_dropout", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, cls.predictions.transform.dense n, "
     "bert.embeddings.word_embeddings n, cross_entropy columns"},
    {"bert_padding", "bert_padding", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.embeddings.word_embeddings n, cross_entropy "
     "columns"},
    {"vit", "vit", 2,
     "version 2; "
     "layer: attention.attention.query n, attention.attention.key n, attention.attention.value n, "
     "attention heads, attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: vit.embeddings.patch_embeddings.projection n, classifier k, cross_entropy columns"},
    {"vit_dropout", "vit_dropout", 2,
     "version 2; "
     "layer: attention.attention.query n, attention.attention.key n, attention.attention.value n, "
     "attention heads, attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: vit.embeddings.patch_embeddings.projection n, classifier n, cross_entropy columns"},
    {"qwen2", "qwen2", 2,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "window.layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, model.embed_tokens n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "window.layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention "
     "heads, self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, model.embed_tokens n"},
    {"qwen3_on_four", "qwen3", 4,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, self_attn.o_proj "
     "k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, model.embed_tokens n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, model.embed_tokens n"},
    {"mistral_on_four", "mistral", 4,
     "version 2; "
     "window.layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "window.layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"bert_on_four", "bert", 4,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.embeddings.position_embeddings rows, "
     "cls.predictions.transform.dense n, bert.embeddings.word_embeddings n, cross_entropy columns"},
    {"vit_on_four", "vit", 4,
     "version 2; "
     "layer: attention.attention.query n, attention.attention.key n, attention.attention.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: vit.embeddings.patch_embeddings.projection n, classifier k"},
    {"gpt2_on_four", "gpt2", 4,
     "version 2; "
     "block: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "evaluate: transformer.wte rows, transformer.wpe rows, transformer.wte n, cross_entropy columns; "
     "block.sample: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "sample: transformer.wte rows, transformer.wpe rows, transformer.wte n"},
    {"qwen2_on_four", "qwen2", 4,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "window.layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, model.embed_tokens n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention heads, "
     "self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "window.layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, attention "
     "heads, self_attn.o_proj k, mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, model.embed_tokens n"},
    {"llama_dropout", "llama_dropout", 4,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, self_attn.o_proj n, "
     "mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, self_attn.o_proj n, "
     "mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"llama_padding", "llama_padding", 4,
     "version 2; "
     "layer: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, self_attn.o_proj n, "
     "mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "evaluate: model.embed_tokens rows, lm_head n, cross_entropy columns; "
     "layer.sample: self_attn.q_proj n, self_attn.k_proj n, self_attn.v_proj n, self_attn.o_proj n, "
     "mlp.gate_proj n, mlp.up_proj n, mlp.down_proj k; "
     "sample: model.embed_tokens rows, lm_head n"},
    {"gpt2_dropout_on_four", "gpt2_dropout", 4,
     "version 2; "
     "block: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "evaluate: transformer.wte rows, transformer.wpe rows, transformer.wte n, cross_entropy columns; "
     "block.sample: attn.c_attn n, attn.c_proj n, mlp.c_fc n, mlp.c_proj k; "
     "sample: transformer.wte rows, transformer.wpe rows, transformer.wte n"},
    {"bert_dropout_on_four", "bert_dropout", 4,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.embeddings.position_embeddings rows, "
     "cls.predictions.transform.dense n, bert.embeddings.word_embeddings n, cross_entropy columns"},
    {"bert_padding_on_four", "bert_padding", 4,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.embeddings.position_embeddings rows, "
     "cls.predictions.transform.dense n, bert.embeddings.word_embeddings n, cross_entropy columns"},
    {"bert_untied", "bert_untied", 4,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.embeddings.position_embeddings rows, "
     "cls.predictions.transform.dense n, cls.predictions.decoder n, cross_entropy columns"},
    {"bert_sequences", "bert_sequences", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.pooler.dense n, classifier k"},
    {"bert_tokens", "bert_tokens", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows"},
    {"bert_regression", "bert_regression", 2,
     "version 2; "
     "layer: attention.self.query n, attention.self.key n, attention.self.value n, attention heads, "
     "attention.output.dense k, intermediate.dense n, output.dense k; "
     "evaluate: bert.embeddings.word_embeddings rows, bert.pooler.dense n, classifier k"},
    {"vit_dropout_on_four", "vit_dropout", 4,
     "version 2; "
     "layer: attention.attention.query n, attention.attention.key n, attention.attention.value n, "
     "attention.output.dense n, intermediate.dense n, output.dense k; "
     "evaluate: vit.embeddings.patch_embeddings.projection n, classifier k"},
    {"resnet", "onnx/resnet.script.17.raw.onnx", 2,
     "version 2; "
     "layer1: conv1 k, conv2 k; "
     "evaluate: conv1 m, layer2.0.conv2 k, layer2.0.downsample.0 m, fc k, cross_entropy columns"},
    {"resnet_on_four", "onnx/resnet.script.17.raw.onnx", 4,
     "version 2; "
     "layer1: conv1 k, conv2 k; "
     "evaluate: conv1 m, layer2.0.conv1 k, layer2.0.conv2 k, layer2.0.downsample.0 m, fc k"},
    {"mlp", "mlp/cross_entropy.json", 2,
     "version 2; "
     "evaluate: fc.0 n, fc.1 n, fc.2 k"},
    {"mlp_on_four", "mlp/cross_entropy.json", 4,
     "version 2; "
     "evaluate: fc.0 n, fc.1 n, fc.2 k"},
};

void PrintTo(const Case &tested, std::ostream *out) { *out << tested.name; }

Result<Tensor> feedAnything(const interpreter::FeedRequest &request) {
  Tensor tensor(request.type.getShape());
  if (request.item == "row_block") // of the only batch
    return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const auto place = static_cast<uint64_t>(131 * i + 7) * 2654435761u >> 8;
    if (isa<FloatType>(request.type.getElementType()))
      tensor.data[i] = 0.5 + 0.5 * std::sin(static_cast<double>(i));
    else
      tensor.data[i] =
          static_cast<double>(place % static_cast<uint64_t>(std::max<int64_t>(2, request.bound)));
  }
  return tensor;
}

using Reports = std::map<std::string, std::vector<Tensor>>; ///< by step and item, for each rank

Reports runAll(ModuleOp module, int64_t ranks) {
  interpreter::Interpreter interpreter(module, {.ranks = static_cast<int>(ranks), .seed = 7});
  Reports found;
  for (auto step : module.getOps<graph::StepOp>()) {
    auto reports = interpreter.runStep(step.getSymName(), feedAnything);
    EXPECT_TRUE(reports) << reports.status().message();
    if (reports)
      for (interpreter::Report &report : *reports)
        found[step.getSymName().str() + " " + report.item].push_back(std::move(report.value));
  }
  return found;
}

/// Joins the parts of all ranks if a state is split. Otherwise all ranks have the same value.
Tensor join(ModuleOp module, const std::string &item, const std::vector<Tensor> &parts) {
  std::optional<graph::StateSplit> split;
  module.walk([&](graph::ReportOp report) {
    if (auto of = report.getGradientOf(); of && "train " + report.getItem().str() == item)
      split = graph::splitOf(module.lookupSymbol<graph::StateOp>(*of));
  });
  if (!split) {
    for (const Tensor &part : parts)
      EXPECT_EQ(part, parts.front()) << item;
    return parts.front();
  }
  Tensor whole(split->whole, std::nan(""));
  for (size_t rank = 0; rank < parts.size(); ++rank)
    for (int64_t i = 0; i < parts[rank].size(); ++i)
      if (auto element = split->wholeElement(static_cast<int64_t>(rank), i))
        whole.data[*element] = parts[rank].data[i];
      else
        EXPECT_EQ(parts[rank].data[i], 0) << item << ": padding";
  return whole;
}

class ParalleliseModels : public testing::TestWithParam<Case> {};

TEST_P(ParalleliseModels, ComputeWhatOneRankDoes) {
  const Case &tested = GetParam();
  static const bool registered = (graph::registerGraphPasses(), graph::registerGraphSplitPasses(), true);
  (void)registered;
  MLIRContext context;
  Result<OwningOpRef<ModuleOp>> imported =
      importModel(context, fixturePath(tested.model), trainingOf(4), {}, "none");
  ASSERT_TRUE(imported) << imported.status().message();
  OwningOpRef<ModuleOp> one = imported.take();
  OwningOpRef<ModuleOp> many = one->clone(), wholeRows = one->clone();
  auto run = [&](ModuleOp module, const std::string &pipeline) {
    auto manager = PassManager::on<ModuleOp>(&context);
    return succeeded(parsePassPipeline(pipeline, manager)) && succeeded(manager.run(module));
  };
  const std::string gradients = "materialize-dropout,materialize-batch-norm{ranks=1 micro-batches=1},"
                                "differentiate{micro-batches=1}";
  ASSERT_TRUE(run(*one, gradients));
  const auto split = [&](bool keepWhole) {
    return "parallelise{ranks=" + std::to_string(tested.ranks) +
           "},verify-splits,split-rows{keep-whole=" + std::to_string(keepWhole) + "},verify-splits," +
           gradients + ",split-row-sums,verify-splits";
  };
  ASSERT_TRUE(run(*many, split(false)));
  ASSERT_TRUE(run(*wholeRows, split(true)));
  EXPECT_EQ((*many)->getAttrOfType<StringAttr>(graph::kTensorLayout).str(), tested.layout);
  const Reports expected = runAll(*one, 1), found = runAll(*many, tested.ranks);
  EXPECT_EQ(runAll(*wholeRows, tested.ranks), found); // to the last bit
  ASSERT_EQ(found.size(), expected.size());
  for (const auto &[item, values] : expected) {
    const Tensor whole = join(*many, item, found.at(item));
    ASSERT_EQ(whole.shape, values.front().shape) << item;
    for (int64_t i = 0; i < whole.size(); ++i)
      ASSERT_NEAR(whole.data[i], values.front().data[i], 1e-10 * std::max(1.0, std::fabs(whole.data[i])))
          << item << " " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Fixtures, ParalleliseModels, testing::ValuesIn(kCases),
                         [](const auto &tested) { return std::string(tested.param.name); });

} // namespace

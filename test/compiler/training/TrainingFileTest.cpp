// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The keys of the training file, their defaults, and the messages of errors.
#include "compiler/training/TrainingFile.h"

#include "runtime/base/File.h"
#include "test/support/Folders.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace windlass;

namespace {

Result<TrainingOptions> parse(const std::string &keys) {
  return parseTraining(R"({"format": "windlass.training/1", )" + keys + "}", "training.json");
}

/// The error for these keys.
std::string refusal(const std::string &keys) {
  Result<TrainingOptions> options = parse(keys);
  EXPECT_FALSE(options) << keys;
  EXPECT_EQ(options.status().code(), ExitCode::BadInput);
  return options.status().message();
}

TEST(TrainingFile, theExamplesAreRead) {
  std::string examples = std::string(WINDLASS_SOURCE_DIR) + "/examples/";
  Result<TrainingOptions> gpt2 = readTrainingFile(examples + "gpt2-bytes/training.json");
  ASSERT_TRUE(gpt2) << gpt2.status().message();
  EXPECT_EQ(gpt2->globalBatch, 8);
  EXPECT_EQ(gpt2->dataRanks, 4);
  EXPECT_EQ(gpt2->microBatches, 2);
  EXPECT_EQ(gpt2->microBatch, 1);
  EXPECT_EQ(gpt2->betas[1], 0.95);
  EXPECT_EQ(gpt2->schedule, ScheduleKind::Cosine);
  Result<TrainingOptions> mlp = readTrainingFile(examples + "mlp/training.json");
  ASSERT_TRUE(mlp) << mlp.status().message();
  EXPECT_EQ(mlp->microBatches, 2);
}

TEST(TrainingFile, theDefaultDocumentGivesTheDefaults) {
  Result<TrainingOptions> options = parseTraining(trainingDefaults(), "defaults");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->globalBatch, 1);
  EXPECT_EQ(options->steps, TrainingOptions().steps);
  EXPECT_TRUE(options->zeroStage.isAuto());
  EXPECT_EQ(options->tileLimit, std::nullopt);
  EXPECT_EQ(options->attentionLimit, std::nullopt);
  EXPECT_EQ(options->momentsHome.others, std::nullopt);
}

TEST(TrainingFile, weightDecayIsOfMatricesOrByName) {
  Result<TrainingOptions> plain = parse(R"("optimizer": {"weight_decay": 0.2})");
  ASSERT_TRUE(plain) << plain.status().message();
  EXPECT_EQ(plain->weightDecay.matrices, 0.2);
  EXPECT_TRUE(plain->weightDecay.byName.empty());
  EXPECT_EQ(nlohmann::json(plain->weightDecay), 0.2);
  Result<TrainingOptions> named = parse(R"("optimizer": {"weight_decay": {"*": 0.1, "bias$|norm": 0}})");
  ASSERT_TRUE(named) << named.status().message();
  EXPECT_EQ(named->weightDecay.byName, (std::map<std::string, double>{{"*", 0.1}, {"bias$|norm", 0}}));
  EXPECT_EQ(nlohmann::json(named->weightDecay), (nlohmann::json{{"*", 0.1}, {"bias$|norm", 0.0}}));
  EXPECT_EQ(refusal(R"("optimizer": {"weight_decay": {}})"),
            "training.json: optimizer.weight_decay: must name a parameter, or \"*\" for all");
  EXPECT_EQ(refusal(R"("optimizer": {"weight_decay": {"(": 0.1}})"),
            "training.json: optimizer.weight_decay: must be a regular expression, is \"(\"");
  EXPECT_EQ(refusal(R"("optimizer": {"weight_decay": {"*": -1}})"),
            "training.json: optimizer.weight_decay.*: must be a number from 0.0 to 1000.0, is -1");
}

TEST(TrainingFile, theDocumentedTableIsTheTable) {
  Result<std::string> page = readFile(std::string(WINDLASS_SOURCE_DIR) + "/docs/training.md");
  ASSERT_TRUE(page) << page.status().message();
  EXPECT_NE(page->find(trainingKeyTable()), std::string::npos) << trainingKeyTable();
}

/// Expects that every value of a document has a place in its schema.
void expectKnown(const nlohmann::json &document, const nlohmann::json &schema, const std::string &place) {
  for (const auto &[key, value] : document.items()) {
    ASSERT_TRUE(schema["properties"].contains(key)) << place << key;
    if (value.is_object())
      expectKnown(value, schema["properties"][key], place + key + ".");
  }
}

TEST(TrainingFile, theSchemaKnowsEveryKeyWithItsDefaultAndRule) {
  const nlohmann::json schema = nlohmann::json::parse(trainingSchema());
  const nlohmann::json defaults = nlohmann::json::parse(trainingDefaults());
  expectKnown(defaults, schema, "");
  const nlohmann::json &optimizer = schema["properties"]["optimizer"];
  EXPECT_EQ(optimizer["additionalProperties"], false);
  EXPECT_EQ(optimizer["properties"]["betas"]["default"], defaults["optimizer"]["betas"]);
  EXPECT_EQ(schema["properties"]["zero_stage"]["anyOf"][0]["anyOf"][0]["maximum"], 3);
  EXPECT_EQ(schema["properties"]["schedule"]["properties"]["type"]["enum"],
            nlohmann::json({"constant", "linear", "cosine"}));
}

TEST(TrainingFile, onePartOfTheBatchMayBeLeftOut) {
  Result<TrainingOptions> options = parse(R"("global_batch": 24, "micro_batch": 2, "parallel": {"data": 3})");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->microBatches, 4);
  options = parse(R"("global_batch": 24, "micro_batches": 2, "parallel": {"data": 3})");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->microBatch, 4);
  options = parse(R"("micro_batch": 5, "micro_batches": 2, "parallel": {"data": 3})");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->globalBatch, 30);
}

TEST(TrainingFile, aBatchThatDoesNotMultiplyUpIsRefused) {
  EXPECT_EQ(refusal(R"("global_batch": 9, "micro_batch": 1, "micro_batches": 2, "parallel": {"data": 4})"),
            "training.json: global_batch: must be parallel.data x micro_batches x micro_batch = 4 x 2 x 1 = "
            "8, is 9");
  EXPECT_EQ(refusal(R"("global_batch": 9, "micro_batch": 2)"),
            "training.json: global_batch: must be a multiple of parallel.data x micro_batch = 2, is 9");
}

TEST(TrainingFile, groupsThatHoldCopiesAreAllOfOneSize) {
  Result<TrainingOptions> options = parse(R"("parallel": {"data": 12, "shard": 4})");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->shardRanks, 4);
  EXPECT_EQ(options->replicas(), 3);
  EXPECT_EQ(options->optimizerShard, OptimizerShard::Group);
  EXPECT_EQ(parse(R"("parallel": {"data": 12, "shard": 4, "optimizer_shard": "all"})")->optimizerShard,
            OptimizerShard::All);
  for (const char *all : {R"("parallel": {"data": 12})", R"("parallel": {"data": 12, "shard": "auto"})",
                          R"("parallel": {"data": 12, "shard": 12})"})
    EXPECT_EQ(parse(all)->replicas(), 1) << all;
  EXPECT_EQ(refusal(R"("parallel": {"data": 12, "shard": 5})"),
            "training.json: parallel.shard: must divide \"parallel.data\" = 12, is 5");
  EXPECT_EQ(refusal(R"("parallel": {"data": 12, "shard": 24})"),
            "training.json: parallel.shard: must divide \"parallel.data\" = 12, is 24");
  EXPECT_EQ(refusal(R"("parallel": {"data": 12, "shard": 1})"),
            "training.json: parallel.shard: must be a whole number from 2 to 1048576, is 1");
}

TEST(TrainingFile, anUnknownKeyNamesTheNearest) {
  EXPECT_EQ(refusal(R"("optimizer": {"learnin_rate": 1})"),
            "training.json: optimizer.learnin_rate: unknown key, did you mean \"learning_rate\"?");
  EXPECT_EQ(refusal(R"("global_bach": 8)"),
            "training.json: global_bach: unknown key, did you mean \"global_batch\"?");
  EXPECT_EQ(refusal(R"("optimiser": {"learning_rate": 1})"),
            "training.json: optimiser: unknown key, did you mean \"optimizer\"?");
}

TEST(TrainingFile, wrongValuesNameTheRuleAndTheValue) {
  EXPECT_EQ(refusal(R"("steps": 0)"),
            "training.json: steps: must be a whole number from 1 to 2147483648, is 0");
  EXPECT_EQ(refusal(R"("steps": -3)"),
            "training.json: steps: must be a whole number from 1 to 2147483648, is -3");
  EXPECT_EQ(refusal(R"("steps": 1.5)"),
            "training.json: steps: must be a whole number from 1 to 2147483648, is 1.5");
  EXPECT_EQ(refusal(R"("steps": 99999999999999999999)"),
            "training.json: steps: must be a whole number from 1 to 2147483648, is 1e+20");
  EXPECT_EQ(
      refusal(R"("seed": 9223372036854775808)"),
      "training.json: seed: must be a whole number from 0 to 9223372036854775807, is 9223372036854775808");
  EXPECT_EQ(refusal(R"("optimizer": 3)"), "training.json: optimizer: must be an object, is 3");
  EXPECT_EQ(refusal(R"("optimizer": {"betas": [0.9, 1]})"),
            "training.json: optimizer.betas[1]: must be a number from 0.0 to 0.9999999999999999, is 1");
  EXPECT_EQ(refusal(R"("precision": {"compute": "fp8"})"),
            "training.json: precision.compute: must be \"fp32\", \"bf16\" or \"fp16\", is \"fp8\"");
  EXPECT_EQ(refusal(R"("precision": {"compute": "fp16", "loss_scale": 0})"),
            "training.json: precision.loss_scale: must be a number from 1.0 to 1e+30, is 0");
  EXPECT_EQ(refusal(R"("precision": {"compute": "fp16", "loss_scale_window": 0})"),
            "training.json: precision.loss_scale_window: must be a whole number from 1 to 2147483648, is 0");
  EXPECT_EQ(refusal(R"("shuffle": "yes")"), "training.json: shuffle: must be true or false, is \"yes\"");
  EXPECT_EQ(refusal(R"("zero_stage": 4)"),
            "training.json: zero_stage: must be a whole number from 0 to 3, is 4");
  EXPECT_EQ(refusal(R"("pipeline": {"cut": []})"),
            "training.json: pipeline.cut: must have a number in its list, or be \"auto\", is a list");
  EXPECT_EQ(refusal(R"("bucket": "0MiB")"), "training.json: bucket: must be a size such as \"12MiB\" from 1 "
                                            "to 1125899906842624 bytes, is \"0MiB\"");
}

TEST(TrainingFile, keysThatContradictEachOtherAreRefused) {
  EXPECT_EQ(refusal(R"("steps": 10, "schedule": {"warmup": 11})"),
            "training.json: schedule.warmup: must be at most steps = 10, is 11");
  EXPECT_EQ(refusal(R"("validation": {"every": 5})"),
            "training.json: validation.every: needs \"validation.fraction\" above 0, is 5");
  EXPECT_EQ(refusal(R"("cadence": "step", "zero_stage": 2)"),
            "training.json: cadence: needs \"zero_stage\" 0 or 1, not 2, is \"step\"");
}

TEST(TrainingFile, lossScalesAreThoseOfAnFp16Run) {
  Result<TrainingOptions> usual = parse(R"("precision": {"compute": "fp16"})");
  ASSERT_TRUE(usual) << usual.status().message();
  EXPECT_EQ(usual->compute, Precision::Fp16);
  EXPECT_EQ(usual->lossScale, std::nullopt);
  EXPECT_EQ(usual->initialLossScale, 65536);
  EXPECT_EQ(usual->lossScaleWindow, 2000);
  EXPECT_EQ(usual->minLossScale, 1);
  Result<TrainingOptions> fixed = parse(R"("precision": {"compute": "fp16", "loss_scale": 128})");
  ASSERT_TRUE(fixed) << fixed.status().message();
  EXPECT_EQ(fixed->lossScale, 128);

  const std::string other = "needs \"precision.compute\" fp16: no other run scales its loss, is ";
  EXPECT_EQ(refusal(R"("precision": {"compute": "bf16", "loss_scale": 128})"),
            "training.json: precision.loss_scale: " + other + "128");
  EXPECT_EQ(refusal(R"("precision": {"initial_loss_scale": 128})"),
            "training.json: precision.initial_loss_scale: " + other + "128");
  EXPECT_EQ(refusal(R"("precision": {"compute": "fp16", "loss_scale": 8, "loss_scale_window": 5})"),
            "training.json: precision.loss_scale_window: needs \"precision.loss_scale\" dynamic, is 5");
  EXPECT_EQ(
      refusal(R"("precision": {"compute": "fp16", "initial_loss_scale": 4, "min_loss_scale": 8})"),
      "training.json: precision.min_loss_scale: must be at most precision.initial_loss_scale = 4.0, is 8");
}

TEST(TrainingFile, choicesAreRead) {
  Result<TrainingOptions> options = parse(
      R"("zero_stage": 2, "recompute": "full", "bucket": "1MiB", "tile": {"limit": 4096, "attention": "2KiB"}, "dropout": "off",
               "placement": {"moments": "nvme"}, "prefetch": {"nc": 3, "gg": "auto"}, "overlap": false)");
  ASSERT_TRUE(options) << options.status().message();
  EXPECT_EQ(options->zeroStage.others, 2);
  EXPECT_EQ(options->recompute, Recompute::Full);
  EXPECT_EQ(options->bucket, 1 << 20);
  EXPECT_EQ(options->tileLimit, 4096);
  EXPECT_EQ(options->attentionLimit, 2048);
  EXPECT_EQ(options->dropout, Dropout::Off);
  EXPECT_EQ(options->momentsHome.others, plan::Tier::Nvme);
  EXPECT_EQ(options->prefetchNc.at(0), 3);
  EXPECT_EQ(options->prefetchGg.at(0), std::nullopt);
  EXPECT_FALSE(options->overlap);
}

TEST(TrainingFile, filesOfOtherToolsAreRefusedWithTheMatchingKeys) {
  Result<TrainingOptions> deepspeed = parseTraining(
      R"({"train_batch_size": 32, "zero_optimization": {"stage": 3}, "bf16": {"enabled": true}})",
      "ds_config.json");
  EXPECT_EQ(deepspeed.status().message(),
            "ds_config.json: is a DeepSpeed file, not \"windlass.training/1\"; here train_batch_size is "
            "\"global_batch\", zero_optimization.stage is \"zero_stage\", bf16 is \"precision.compute\"");
  EXPECT_EQ(parseTraining(R"({"fp16": {"enabled": true, "loss_scale_window": 1000}})", "ds.json")
                .status()
                .message(),
            "ds.json: is a DeepSpeed file, not \"windlass.training/1\"; here fp16 is \"precision.compute\", "
            "fp16.loss_scale_window is \"precision.loss_scale_window\"");
  Result<TrainingOptions> titan = parseTraining(R"({"training": {"seq_len": 128}})", "titan.json");
  EXPECT_EQ(titan.status().message(), "titan.json: is a torchtitan file, not \"windlass.training/1\"; here "
                                      "training.seq_len is \"sequence\"");
}

TEST(TrainingFile, argumentsOfTransformersAreNotTakenForDeepSpeeds) {
  EXPECT_EQ(parseTraining(R"({"output_dir": "out", "per_device_train_batch_size": 8,
                              "gradient_accumulation_steps": 4, "learning_rate": 2e-5, "fp16": true})",
                          "args.json")
                .status()
                .message(),
            "args.json: is a Hugging Face TrainingArguments file, not \"windlass.training/1\"; here "
            "per_device_train_batch_size is \"micro_batch\", gradient_accumulation_steps is "
            "\"micro_batches\", learning_rate is \"optimizer.learning_rate\", fp16 is "
            "\"precision.compute\"");
  const std::string deepspeed =
      parseTraining(
          R"({"train_batch_size": 32, "gradient_accumulation_steps": 4, "bf16": {"enabled": true}})",
          "ds.json")
          .status()
          .message();
  EXPECT_TRUE(deepspeed.starts_with("ds.json: is a DeepSpeed file")) << deepspeed;
}

TEST(TrainingFile, everyUnknownKeyIsTold) {
  EXPECT_EQ(
      refusal(R"("lr": 1, "batch_size": 8, "optimizer": {"lr": 1, "weight_deca": 0}, "max_steps": 3)"),
      "training.json: batch_size: unknown key, did you mean \"global_batch\"?; lr: unknown key, did you "
      "mean \"optimizer.learning_rate\"?; max_steps: unknown key, did you mean \"steps\"?; "
      "optimizer.lr: unknown key, did you mean \"optimizer.learning_rate\"?; optimizer.weight_deca: "
      "unknown key, did you mean \"weight_decay\"?");
}

TEST(TrainingFile, brokenTextIsRefused) {
  for (const char *text :
       {"", "{", "[]", "null", "{\"format\": 3}", "{\"format\": \"windlass.training/2\"}", "\xff"})
    EXPECT_EQ(parseTraining(text, "training.json").status().code(), ExitCode::BadInput) << text;
  EXPECT_EQ(readTrainingFile("/nonexistent/training.json").status().code(), ExitCode::BadInput);
}

} // namespace

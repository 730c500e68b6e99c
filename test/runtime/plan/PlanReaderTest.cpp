// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A written plan is read back. Values that cannot be trusted are refused with their place.
#include "runtime/plan/file/PlanReader.h"
#include "runtime/base/JsonReader.h"
#include "runtime/plan/Enums.h"
#include "runtime/plan/Layout.h"
#include "runtime/plan/file/PlanHash.h"
#include "runtime/plan/file/PlanWriter.h"
#include "test/runtime/plan/SmallPlan.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

using namespace windlass;
using namespace windlass::plan;
using windlass::test::smallPlan;

namespace {

std::string textOfSmallPlan() {
  Result<std::string> text = printPlan(smallPlan());
  EXPECT_TRUE(text) << text.status().message();
  return text ? *text : "";
}

std::string replaced(std::string text, const std::string &what, const std::string &with) {
  size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

std::string refusalOf(const std::string &text) {
  Result<Plan> plan = parsePlan(text, "x/plan.json", HashRule::Ignored);
  EXPECT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::BadInput);
  return plan.status().message();
}

TEST(PlanReader, GivesBackWhatWasWritten) {
  std::string text = textOfSmallPlan();
  Result<Plan> plan = parsePlan(text, "x");
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(*printPlan(*plan), text);
  EXPECT_EQ(plan->model, smallPlan().model);
  EXPECT_EQ(plan->training.seed, 0xffffffffffffffffull);
  EXPECT_EQ(plan->training.learningRate, 0.1 + 0.2);
  EXPECT_EQ(plan->training.lossScale, smallPlan().training.lossScale);
  EXPECT_EQ(plan->kernels[0].flops, 1e-300);
  EXPECT_TRUE(plan->kernels[1].matmul.transposeA);
  EXPECT_EQ(plan->weights.at(0).hash, "0123");
  EXPECT_EQ(plan->inputs.at(1).ignored, -3);
  EXPECT_EQ(plan->lossShares.at(0).ignored, -1);
  EXPECT_EQ(plan->lossShares.at(0).classWeights, std::vector<double>(256, 0.1));
  EXPECT_EQ(plan->lossShares.at(1).of, MeanOf::Examples);
  EXPECT_TRUE(plan->paddingCounts);
  EXPECT_EQ(plan->programs[0].states[0].source, smallPlan().programs[0].states[0].source);
  const Instruction &launch = plan->programs[0].sections[0].instructions[1];
  EXPECT_EQ(launch.operands[1].stride, std::vector<int64_t>{2048});
  ASSERT_EQ(launch.waits.size(), 2u);
  EXPECT_EQ(launch.waits[1].previous[0], std::make_pair(1u, 3u));
  EXPECT_EQ(launch.origin.phase, Phase::Backward);
  EXPECT_EQ(plan->programs[0].sections[1].name, "evaluate");
  EXPECT_EQ(plan->programs[0].sections[1].advance, 3);
  EXPECT_EQ(plan->programs[0].sections[1].instructions[0].microBatch, -2);
  ASSERT_EQ(plan->programs[0].train.size(), 2u);
  EXPECT_EQ(plan->programs[0].train[0].times, 5);
  EXPECT_EQ(plan->reasons, smallPlan().reasons);
}

TEST(PlanReader, OneInstructionStandsOnOneLine) {
  std::string text = textOfSmallPlan();
  size_t at = text.find("{\"op\":\"upload\"");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(text[at - 1], '\n');
  EXPECT_EQ(
      text.substr(at, text.find('\n', at) - at),
      "{\"op\":\"upload\",\"lane\":\"cg_in\",\"fn\":\"h.0\",\"what\":\"upload w\",\"phase\":\"forward\","
      "\"on\":[[0,0,4096],[1,0,4096]],\"moves\":4096},");
}

TEST(PlanReader, RefusesOtherVersions) {
  const std::string key = "\"version\":", now = std::to_string(kPlanVersion),
                    read = ", this windlass reads " + now + "; ";
  EXPECT_EQ(refusalOf(replaced(textOfSmallPlan(), key + now, key + "77")),
            "x/plan.json: plan version 77" + read + "a newer one made it");
  EXPECT_EQ(refusalOf(replaced(textOfSmallPlan(), key + now, key + "4")),
            "x/plan.json: plan version 4" + read + "compile the plan again");
  EXPECT_EQ(refusalOf("{}"), "x/plan.json: version: is missing");
}

TEST(PlanReader, NamesTheNearestKnownKey) {
  EXPECT_EQ(
      refusalOf(replaced(textOfSmallPlan(), "\"moves\"", "\"mooves\"")),
      "x/plan.json: programs[0].sections[0].instructions[0].mooves: unknown key, did you mean \"moves\"?");
}

TEST(PlanReader, NamesThePlaceOfAWrongValue) {
  std::string text = textOfSmallPlan();
  EXPECT_EQ(refusalOf(replaced(text, "[[0,0,4096],", "[[0,-1,4096],")),
            "x/plan.json: programs[0].sections[0].instructions[0].on[0][1]: must be a whole number from 0 to "
            "140737488355328, is -1");
  EXPECT_EQ(refusalOf(replaced(text, "\"persistent\":true", "\"persistent\":1")),
            "x/plan.json: programs[0].buffers[0].persistent: must be true or false, is 1");
  EXPECT_EQ(refusalOf(replaced(text, "\"lane\":\"cg_in\"", "\"lane\":\"cgin\"")),
            "x/plan.json: programs[0].sections[0].instructions[0].lane: must be " +
                quotedChoices(wordsOf<Lane>()) + ", is \"cgin\"");
  EXPECT_EQ(refusalOf(replaced(text, "\"parameters\":3257856", "\"parameters\":99999999999999999999")),
            "x/plan.json: parameters: must be a whole number from 0 to 140737488355328, is 1e+20");
}

/// A list of `count` axes of one rank each.
std::string axes(int count) {
  std::string text;
  for (int axis = 0; axis < count; ++axis)
    text += (axis ? "," : "") + std::string("{\"name\":\"a\",\"size\":1,\"kind\":\"data\"}");
  return text;
}

TEST(PlanReader, RefusesIndicesToNothing) {
  std::string text = textOfSmallPlan();
  EXPECT_EQ(refusalOf(replaced(text, "[1,0,4096]]", "[9,0,4096]]")),
            "x/plan.json: programs[0].sections[0].instructions[0].on[1]: buffer 9, but the program has 3");
  EXPECT_EQ(refusalOf(replaced(text, "\"kernel\":0", "\"kernel\":2")),
            "x/plan.json: programs[0].sections[0].instructions[1]: kernel 2, but the plan has 2");
  EXPECT_EQ(refusalOf(replaced(text, "\"size\":2", "\"size\":0")),
            "x/plan.json: mesh[0]: size 0 makes no mesh of 1 to 32768 ranks");
  EXPECT_EQ(refusalOf(replaced(text, "{\"name\":\"dp\",\"size\":2,\"kind\":\"data\"}", axes(9))),
            "x/plan.json: mesh: 9 axes are more than 8");
}

TEST(PlanReader, RefusesKernelFilesThatCannotBeTold) {
  Plan plan = smallPlan();
  auto refused = [&](std::vector<KernelFile> files) {
    plan.kernelFiles = std::move(files);
    return refusalOf(*printPlan(plan));
  };
  const std::string place = "x/plan.json: kernel_files";
  EXPECT_EQ(refused({{"x86-64-v3", "../k.so", ""}}),
            place + "[0]: \"../k.so\" is no file in the plan's folder");
  EXPECT_EQ(refused({{"x86-64-v3", "..", ""}}), place + "[0]: \"..\" is no file in the plan's folder");
  EXPECT_EQ(refused({{"x86-64-v3", "", ""}}), place + "[0]: \"\" is no file in the plan's folder");
  EXPECT_EQ(refused({{"", "k.so", ""}}), place + "[0]: code without a target");
  EXPECT_EQ(refused({{"sm_90", "k.ptx", ""}, {"sm_90", "l.ptx", ""}}),
            place + "[1]: a second file for \"sm_90\", after \"k.ptx\"");
}

TEST(PlanReader, ReadsTheCodeOfADeviceAsWritten) {
  Plan plan = smallPlan();
  plan.backend = "cuda";
  plan.kernelFiles = {{"x86-64-v3", "kernels.so", "12"}, {"sm_90", "kernels.ptx", "34"}};
  plan.kernels[1].kind = KernelKind::Generated;
  plan.kernels[1].phases = {{.perBlock = 4, .across = 2, .threads = 256, .sharedBytes = 1024},
                            {.perBlock = 64, .threads = 32}};
  plan.programs[0].arenas[0].alignment = 256;
  Result<std::string> text = printPlan(plan);
  ASSERT_TRUE(text) << text.status().message();
  Result<Plan> read = parsePlan(*text, "x");
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(*printPlan(*read), *text);
  EXPECT_EQ(read->backend, "cuda");
  EXPECT_EQ(kernelFileFor(*read, "sm_90")->name, "kernels.ptx");
  EXPECT_EQ(kernelFileFor(*read, "sm_80"), nullptr);
  EXPECT_TRUE(read->kernels[0].phases.empty());
  EXPECT_EQ(read->kernels[1].phases, plan.kernels[1].phases);
  EXPECT_EQ(read->programs[0].arenas[0].alignment, 256);
}

TEST(PlanReader, RefusesGridsThatLaunchNothing) {
  Plan plan = smallPlan();
  auto refused = [&](LaunchGrid grid) {
    plan.kernels[1].phases = {{.perBlock = 1, .threads = 32}, grid};
    return refusalOf(*printPlan(plan));
  };
  const std::string place = "x/plan.json: kernels[1]";
  EXPECT_EQ(refused({.perBlock = 1, .across = 1}),
            place + ".phases[1]: per_block 1, across 1 and threads 0 must be at least 1");
}

TEST(PlanReader, RefusesSlicesOfNoTensor) {
  Plan plan = smallPlan();
  auto refused = [&](Slice slice) {
    plan.programs[0].states[0].slice = std::move(slice);
    Result<std::string> text = printPlan(plan);
    EXPECT_TRUE(text) << text.status().message();
    return refusalOf(text ? *text : "");
  };
  const std::string place = "x/plan.json: programs[0].states[0].slice: ";
  EXPECT_EQ(refused({{}, {32}}), place + "1 begin in a tensor of 0 dimensions, for a state of 2");
  EXPECT_EQ(refused({{64}, {0}}), place + "1 begin in a tensor of 1 dimension, for a state of 2");
  EXPECT_EQ(refused({{64, 64}, {0}}), place + "1 begin in a tensor of 2 dimensions, for a state of 2");
  EXPECT_EQ(refused({{64, 64}, {33, 0}}),
            place + "dimension 0 of 32 from 33 does not lie in the tensor's 64");
  EXPECT_EQ(refused({{64, 128}, {32, 65}}),
            place + "dimension 1 of 64 from 65 does not lie in the tensor's 128");
  plan.programs[0].states[0].slice = {{64, 128}, {32, 64}};
  Result<Plan> read = parsePlan(*printPlan(plan), "x");
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(read->programs[0].states[0].slice, plan.programs[0].states[0].slice);
  EXPECT_EQ(*printPlan(*read), *printPlan(plan));
}

TEST(PlanReader, RefusesSplitsThatShareNothingOut) {
  Plan plan = smallPlan();
  plan.mesh.push_back({"tp", 1, AxisKind::Tensor});
  const int64_t tp = std::ssize(plan.mesh) - 1;
  for (Section &section : plan.programs[0].sections)
    for (Instruction &instruction : section.instructions)
      for (Operand &operand : instruction.operands)
        operand.stride.clear();
  auto refused = [&](Split split) {
    plan.programs[0].states[0].split = std::move(split);
    Result<std::string> text = printPlan(plan);
    EXPECT_TRUE(text) << text.status().message();
    return refusalOf(text ? *text : "");
  };
  const std::string place = "x/plan.json: programs[0].states[0].split: ";
  EXPECT_EQ(refused({{32, 64}, tp + 1, 64, 64}),
            place + "axis " + std::to_string(tp + 1) + " of the mesh is none of kind tensor");
  EXPECT_EQ(refused({{32, 64}, 0, 64, 64}), place + "axis 0 of the mesh is none of kind tensor");
  EXPECT_EQ(refused({{32, 64}, tp, 64, 0}), place + "widths of 0 on 1 rank do not share out periods of 64");
  EXPECT_EQ(refused({{32, 64}, tp, 64, 65}), place + "widths of 65 on 1 rank do not share out periods of 64");
  EXPECT_EQ(refused({{32, 64}, tp, 64, 63}), place + "widths of 63 on 1 rank do not share out periods of 64");
  EXPECT_EQ(refused({{32, 64}, tp, 0, 0}), place + "widths of 0 on 1 rank do not share out periods of 0");
  plan.programs[0].states[0].split = {{32, 64}, tp, 64, 64};
  Result<Plan> read = parsePlan(*printPlan(plan), "x");
  ASSERT_TRUE(read) << read.status().message();
  EXPECT_EQ(read->programs[0].states[0].split, plan.programs[0].states[0].split);
  EXPECT_EQ(*printPlan(*read), *printPlan(plan));
}

TEST(PlanReader, RefusesSourcesThatCannotBeRead) {
  const std::string text = textOfSmallPlan();
  EXPECT_EQ(refusalOf(replaced(text, "\"source\":{\"file\":0", "\"source\":{\"file\":1")),
            "x/plan.json: programs[0].states[0].source: file 1, but the plan has 1 weight files");
  EXPECT_EQ(refusalOf(replaced(text, "\"shape\":[32,64]", "\"shape\":[2048]")),
            "x/plan.json: programs[0].states[0].source: transposed, but the tensor has 1 dimension");
  EXPECT_EQ(refusalOf(replaced(text, "\"type\":\"F16\"", "\"type\":\"I8\"")).substr(0, 57),
            "x/plan.json: programs[0].states[0].source.type: must be \"");
  EXPECT_EQ(refusalOf(replaced(text, "/models/model.safetensors", "")),
            "x/plan.json: weights[0]: a file without a path");
}

TEST(PlanReader, RefusesScalesThatNoLossCanHave) {
  Plan plan = smallPlan();
  auto refused = [&](LossScale scale) {
    plan.training.lossScale = scale;
    return refusalOf(*printPlan(plan));
  };
  const std::string place = "x/plan.json: training.loss_scale: ", rule = " are not in order from 1 to 1e+30";
  EXPECT_EQ(refused({8, 1, 0.5}), place + "minimum 0.5 and initial 8" + rule);
  EXPECT_EQ(refused({8, 1, 16}), place + "minimum 16 and initial 8" + rule);
  EXPECT_EQ(refused({2e30, 1, 1}), place + "minimum 1 and initial 2e+30" + rule);
  EXPECT_EQ(refused({0, 2000, 0}), place + "minimum 0 and initial 0" + rule);
  EXPECT_EQ(refused({-8, 1, -8}), place + "minimum -8 and initial -8" + rule);
  plan.training.lossScale = {128, 0, 128}; // a fixed scale
  const std::string text = *printPlan(plan);
  EXPECT_TRUE(parsePlan(text, "x"));
  EXPECT_EQ(refusalOf(replaced(text, "\"growth_interval\":0", "\"growth_interval\":-1")),
            "x/plan.json: training.loss_scale.growth_interval: must be a whole number from 0 to "
            "140737488355328, is -1");
}

TEST(PlanReader, RefusesSharesOfNothing) {
  Plan plan = smallPlan();
  auto refused = [&](LossShare share) {
    plan.lossShares = {std::move(share)};
    return refusalOf(*printPlan(plan));
  };
  const std::string place = "x/plan.json: loss_shares[0]: ";
  const std::string item = "loss_share.0";
  EXPECT_EQ(refused({item, MeanOf::Examples, "labels"}),
            place + "only a mean over labels has an input and weights of classes");
  EXPECT_EQ(refused({item, MeanOf::Labels, "nowhere"}), place + "\"nowhere\" is no input of whole numbers");
  EXPECT_EQ(refused({item, MeanOf::Labels, "labels", -100, {1, 2}}),
            place + "2 weights, but \"labels\" has 256 classes");
  EXPECT_EQ(refused({item, MeanOf::Labels, "labels", -100, std::vector<double>(256, -1)}),
            place + "a class has a negative weight");
  EXPECT_EQ(refused({item, MeanOf::Labels, "labels", -100, {}, 128}),
            place + "the first label that counts is number 128 of 128");
  plan.inputs[1].first = 200;
  EXPECT_EQ(refused({item, MeanOf::Labels, "labels"}),
            "x/plan.json: inputs[1]: the first label that counts is number 200 of 128");
}

TEST(PlanReader, RefusesSharesThatShareTheirItem) {
  Plan plan = smallPlan();
  auto refused = [&](const std::string &item) {
    plan.lossShares[1].item = item;
    return refusalOf(*printPlan(plan));
  };
  const std::string place = "x/plan.json: loss_shares[1]: item ";
  for (const std::string item : {"", "learning_rate", "row_block"})
    EXPECT_EQ(refused(item), place + "\"" + item + "\" does not begin with \"loss_share.\"");
  EXPECT_EQ(refused("loss_share.0"), place + "\"loss_share.0\" is that of loss_shares[0]");
  plan.inputs[0].name = "loss_share.x";
  EXPECT_EQ(refused("loss_share.x"), place + "\"loss_share.x\" is an input");
}

TEST(PlanReader, RefusesHostileJson) {
  EXPECT_NE(refusalOf(std::string(1000000, '[')).find("nested more than 16 deep"), std::string::npos);
  EXPECT_NE(refusalOf("{\"a\":1,\"a\":2}").find("\"a\" stands twice"), std::string::npos);
  EXPECT_NE(refusalOf("{\"version\":1e999}").find("number overflow"), std::string::npos);
  EXPECT_NE(refusalOf("").find("not valid JSON: "), std::string::npos);
  EXPECT_NE(refusalOf("\"\xff\xff\"").find("not valid JSON: "), std::string::npos);
  EXPECT_NE(refusalOf("[1,2]").find("must be an object"), std::string::npos);
}

TEST(PlanReader, RefusesEveryTruncation) {
  std::string text = textOfSmallPlan();
  for (size_t length = 0; length < text.size(); ++length)
    EXPECT_FALSE(parsePlan(text.substr(0, length), "x")) << length;
}

TEST(PlanReader, RefusesEveryChangedByte) {
  const std::string text = textOfSmallPlan();
  ASSERT_TRUE(parsePlan(text, "x"));
  for (size_t at = 0; at < text.size(); ++at)
    for (int bit : {0, 1, 4}) {
      std::string broken = text;
      broken[at] = static_cast<char>(broken[at] ^ (1 << bit));
      Result<Plan> plan = parsePlan(broken, "x");
      ASSERT_FALSE(plan) << "byte " << at << ", bit " << bit;
      ASSERT_EQ(plan.status().code(), ExitCode::BadInput);
    }
}

TEST(PlanReader, SaysThatAPlanWasChangedAndHowToAcceptIt) {
  const std::string text = textOfSmallPlan();
  const std::string wayOut = " (windlass-dump --rehash accepts an edited plan)";
  auto refusal = [](const std::string &text) { return parsePlan(text, "x").status().message(); };
  const std::string edited = replaced(text, "\"parameters\":3257856", "\"parameters\":3257857");
  EXPECT_EQ(refusal(edited),
            "x: the content does not have the hash that the last line says: the file was damaged "
            "or edited" +
                wayOut);
  EXPECT_EQ(parsePlan(rehashed(edited), "x")->parameters, 3257857);
  EXPECT_EQ(rehashed(text), text);
  const std::string none = replaced(text, ",\n\"hash\":\"" + text.substr(text.size() - 35), "}\n");
  EXPECT_EQ(refusal(none),
            "x: the last line is not the hash of all others: the file was cut short or edited" + wayOut);
  EXPECT_EQ(parsePlan(none, "x", HashRule::Ignored)->parameters, 3257856);
}

TEST(PlanReader, SurvivesFlippedBytes) {
  std::string text = textOfSmallPlan();
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string broken = text;
    for (int flips = 0; flips < 3; ++flips)
      broken[random() % broken.size()] = static_cast<char>(random());
    refused += !parsePlan(broken, "x", HashRule::Ignored).isOk();
  }
  EXPECT_GT(refused, 2000);
}

TEST(PlanWriter, ReplacesTheFileInOneMove) {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("windlass-plan-" + std::to_string(::getpid()));
  ASSERT_TRUE(writePlan(smallPlan(), folder.string()).isOk());
  Plan changed = smallPlan();
  changed.model = "another";
  ASSERT_TRUE(writePlan(changed, folder.string()).isOk());
  Result<Plan> plan = readPlan(folder.string());
  ASSERT_TRUE(plan) << plan.status().message();
  EXPECT_EQ(plan->model, "another");
  size_t files = 0;
  for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(folder))
    ++files;
  EXPECT_EQ(files, 1u);
  std::filesystem::remove_all(folder);
  EXPECT_EQ(readPlan(folder.string()).status().message(),
            folder.string() + "/plan.json: cannot open: No such file or directory; a plan is a folder that "
                              "windlass-compile wrote");
}

TEST(PlanWriter, RefusesNumbersJsonCannotHold) {
  Plan plan = smallPlan();
  plan.prediction.stepSeconds = 1.0 / 0.0;
  EXPECT_EQ(writePlan(plan, "/nowhere").code(), ExitCode::Internal);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/UnknownKeys.h"

#include <gtest/gtest.h>

using namespace windlass;

namespace {

constexpr std::string_view kKnown[] = {
    "format",        "steps",     "parallel.data", "optimizer.learning_rate", "optimizer.type",
    "schedule.type", "nvme.read", "placement",     "measured.nvme.read",      "device.capacity"};

std::string refusal(const char *text) {
  return refuseUnknownKeys(nlohmann::json::parse(text), "f.json", kKnown).message();
}

TEST(UnknownKeys, allAreToldAtOnceWhereverTheyStand) {
  EXPECT_EQ(
      refusal(R"({"setps": 3, "optimizer": {"tpye": "adamw", "lr": 1}, "zzzzzz": 1})"),
      "f.json: optimizer.lr: unknown key, did you mean \"optimizer.learning_rate\"?; optimizer.tpye: "
      "unknown key, did you mean \"type\"?; setps: unknown key, did you mean \"steps\"?; zzzzzz: unknown "
      "key");
}

TEST(UnknownKeys, oursIsNamedForAWordOfOtherTools) {
  EXPECT_EQ(refusal(R"({"lr": 1})"), "f.json: lr: unknown key, did you mean \"optimizer.learning_rate\"?");
  EXPECT_EQ(refusal(R"({"gpus": 1})"), "f.json: gpus: unknown key, did you mean \"parallel.data\"?");
  EXPECT_EQ(refusal(R"({"gpu": {"vram": 1}})"), "f.json: gpu: unknown key, did you mean \"device\"?");
  EXPECT_EQ(refusal(R"({"device": {"memory": 1}})"),
            "f.json: device.memory: unknown key, did you mean \"device.capacity\"?");
  EXPECT_EQ(refusal(R"({"ram": 1})"), "f.json: ram: unknown key") << "no host in this file";
}

TEST(UnknownKeys, theSameKeyElsewhereIsNamedWhereThereIsOne) {
  EXPECT_EQ(refusal(R"({"learning_rate": 1})"),
            "f.json: learning_rate: unknown key, did you mean \"optimizer.learning_rate\"?");
  EXPECT_EQ(refusal(R"({"read": 1})"), "f.json: read: unknown key, did you mean \"nvme.read\"?");
  EXPECT_EQ(refusal(R"({"type": 1})"), "f.json: type: unknown key") << "two have it";
}

TEST(UnknownKeys, keysWithDotsOfTheirOwnAndWhatAReaderJudgesPass) {
  EXPECT_EQ(refusal(R"({"measured": {"nvme.read": 1}, "placement": {"any": 1}, "optimizer": 3})"), "");
  EXPECT_EQ(refusal(R"({"measured": {"nvme.raed": 1}})"),
            "f.json: measured.nvme.raed: unknown key, did you mean \"nvme.read\"?");
  EXPECT_EQ(refusal("[]"), "");
}

TEST(UnknownKeys, manyAreCounted) {
  nlohmann::json many;
  for (int i = 0; i < 25; ++i)
    many["something else " + std::to_string(100 + i)] = i;
  const std::string text = refuseUnknownKeys(many, "f.json", kKnown).message();
  EXPECT_NE(text.find("something else 119: unknown key; and 5 more"), std::string::npos) << text;
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The refusal of a machine that cannot hold the model quotes the smallest growth that is enough: this growth
// fits, and less does not. A refusal leaves no file.
#include "runtime/base/Units.h"
#include "test/compiler/driver/capacity/QuotedChanges.h"
#include "test/support/EndToEnd.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <regex>

using namespace windlass;
using namespace windlass::test;

namespace {

/// A job and patches that make its machine too small.
struct Case {
  std::string name;
  Job job;
  json hardware, training;
  std::string tier, consumer; ///< the refusal must name both
  size_t alternatives = 1;    ///< the number of changes that would fit
};

void PrintTo(const Case &testCase, std::ostream *out) { *out << testCase.name; }

class Refusal : public ::testing::TestWithParam<Case> {
protected:
  static Job job() {
    Job job = GetParam().job.with(GetParam().training);
    job.hardware.merge_patch(GetParam().hardware);
    return job;
  }

  /// The refusal of this case's job. It is kept, as it takes long and two tests ask for it.
  static std::string refusalHere() {
    static std::map<std::string, std::string> known;
    std::string &refusal = known[GetParam().name];
    if (refusal.empty())
      refusal = refusalOf(job());
    return refusal;
  }

  /// The refusal of a job; empty if it compiles.
  static std::string refusalOf(const Job &job) {
    TemporaryFolder folder;
    Result<plan::Plan> plan = tryCompile(job, folder);
    EXPECT_EQ(std::filesystem::exists(folder / "plan"), plan.isOk());
    if (plan)
      return "";
    EXPECT_EQ(plan.status().code(), ExitCode::CannotFit) << plan.status().message();
    return plan.status().message();
  }

  static int64_t ranks() { return GetParam().job.hardware["ranks"]; }
  static int64_t perRank(const std::string &tier, int64_t capacity) {
    return (tier == "device" ? capacity : capacity / ranks()) / 4096 * 4096;
  }

  /// The job on a machine with the quoted capacities, less some bytes on each rank.
  static Job changed(const Changes &changes, int64_t less = 0) {
    Job larger = job();
    for (const Change &change : changes)
      larger.hardware[change.tier]["capacity"] =
          change.capacity - less * (change.tier == "device" ? 1 : ranks());
    return larger;
  }
};

TEST_P(Refusal, namesTheTierTheBytesAndTheConsumers) {
  const std::string message = refusalHere();
  static const std::regex figures(
      R"(the (\w+) of a rank is short by (\d+) bytes \((.*?)\): it has (.*?) and needs (.*?) \(largest: (.*?)\); )");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(message, found, figures)) << message;
  EXPECT_EQ(found[1], GetParam().tier) << message;
  const Change short_ = quotedChanges(message).at(0).at(0);
  EXPECT_EQ(short_.tier, GetParam().tier) << message;
  const int64_t has = perRank(short_.tier, short_.before), needs = perRank(short_.tier, short_.capacity);
  EXPECT_EQ(std::stoll(found[2]), needs - has) << message;
  EXPECT_EQ(found[3], formatBytes(needs - has));
  EXPECT_EQ(found[4], formatBytes(has));
  EXPECT_EQ(found[5], formatBytes(needs));

  // The consumers hold their bytes at the same moment: together they fit in the needed bytes, and nearly fill
  // them.
  static const std::regex consumer(R"((\w+) ([\d.]+) (\w+))");
  const std::string consumers = found[6];
  double sum = 0;
  int64_t before = INT64_MAX;
  bool named = false;
  for (std::sregex_iterator match(consumers.begin(), consumers.end(), consumer), end; match != end; ++match) {
    const int64_t bytes = *parseBytes((*match)[2].str() + (*match)[3].str());
    EXPECT_LE(bytes, before) << "the largest come first: " << consumers;
    before = bytes;
    sum += static_cast<double>(bytes);
    named |= (*match)[1] == GetParam().consumer;
  }
  EXPECT_TRUE(named) << GetParam().consumer << " is not in: " << message;
  EXPECT_LE(sum, 1.01 * static_cast<double>(needs)) << message; // printed with three digits
  EXPECT_GE(sum, 0.8 * static_cast<double>(needs)) << message;
}

TEST_P(Refusal, theQuotedChangesFitAndAreTheSmallest) {
  const std::string message = refusalHere();
  const std::vector<Changes> alternatives = quotedChanges(message);
  EXPECT_EQ(alternatives.size(), GetParam().alternatives) << message;
  for (const Changes &changes : alternatives) {
    EXPECT_EQ(refusalOf(changed(changes)), "") << "of " << message;
    EXPECT_NE(refusalOf(changed(changes, 4096)), "") << "of " << message;
  }
}

/// A model far too large is refused at once. A plan would take minutes, and more memory than the machine has.
TEST(FarTooLarge, isRefusedBeforeItIsPlanned) {
  Job job = tinyGpt2(2, 2);
  job.model["n_embd"] = 1'000'000;
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(job, folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::CannotFit);
  for (const char *part : {"machine.json: parameters and moments alone, 12 bytes of each of ",
                           " parameters over 2 ranks, take 131 TiB of a rank", "all its tiers together hold ",
                           "short by 131 TiB"})
    EXPECT_NE(plan.status().message().find(part), std::string::npos) << plan.status().message();
}

json capacity(const char *tier, const char *size) { return {{tier, {{"capacity", size}}}}; }

json capacities(const char *device, const char *host, const char *nvme) {
  json machine = {{"device", {{"capacity", device}}}, {"host", {{"capacity", host}}}, {"nvme", nullptr}};
  if (nvme)
    machine["nvme"] = {{"capacity", nvme}};
  return machine;
}

json pinned(const char *cls, const char *tier) { return {{"placement", {{cls, tier}}}}; }

std::vector<Case> cases() {
  const json automatic = {{"recompute", "auto"}};
  const Job gpt2 = tinyGpt2(2, 2), mlp = biasFreeMlp({64, 512, 512, 16}, 2, 2);
  return {
      {"device", gpt2, capacity("device", "256KiB"), json::object(), "device", "activation"},
      {"deviceRecomputing", tinyGpt2(2, 2, 2), capacity("device", "384KiB"), automatic, "device", "gathered"},
      {"deviceOfOneRank", tinyGpt2(1, 1), capacity("device", "200KiB"), automatic, "device", "activation"},
      {"deviceOfFourRanks", tinyGpt2(4, 1), capacity("device", "300KiB"), automatic, "device", "gathered"},
      {"deviceOfMlp", mlp, capacity("device", "512KiB"), automatic, "device", "gathered"},
      {"deviceOfMasters", gpt2.with({{"precision", {{"compute", "bf16"}}}}), capacity("device", "128KiB"),
       automatic, "device", "activation"},
      {"pinnedHost", gpt2, capacity("host", "64KiB"), pinned("moments", "host"), "host", "momentum"},
      {"pinnedNvme", gpt2, capacity("nvme", "64KiB"), pinned("moments", "nvme"), "nvme", "variance"},
      {"states", gpt2, capacities("1400KiB", "64KiB", nullptr), json::object(), "device", "momentum", 2},
      {"statesAndWork", gpt2, capacities("600KiB", "64KiB", nullptr), automatic, "device", "activation", 2},
  };
}

INSTANTIATE_TEST_SUITE_P(Machines, Refusal, ::testing::ValuesIn(cases()),
                         [](const auto &info) { return info.param.name; });

} // namespace

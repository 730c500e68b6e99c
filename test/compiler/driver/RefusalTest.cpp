// A machine that cannot hold the model is refused, with the figures that help, and nothing is left behind.
#include "test/support/EndToEnd.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace windlass;
using namespace windlass::test;

namespace {

struct Case {
  std::string name;
  json hardware, training; ///< patches that make a tier too small
  std::string tier, consumer;
};

void PrintTo(const Case &testCase, std::ostream *out) { *out << testCase.name; }

class Refusal : public ::testing::TestWithParam<Case> {
protected:
  static Job job() {
    Job job = tinyGpt2(2, 2).with(GetParam().training);
    job.hardware.merge_patch(GetParam().hardware);
    return job;
  }
};

TEST_P(Refusal, namesTheTierTheBytesAndTheConsumers) {
  TemporaryFolder folder;
  Result<plan::Plan> plan = tryCompile(job(), folder);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code(), ExitCode::CannotFit) << plan.status().message();
  const std::string &message = plan.status().message();
  for (const std::string &word :
       {folder / "machine.json", GetParam().tier, std::string(" bytes ("), std::string("short"),
        std::string("largest"), GetParam().consumer, std::string("what would fit: ")})
    EXPECT_NE(message.find(word), std::string::npos) << "\"" << word << "\" is not in: " << message;
  EXPECT_FALSE(std::filesystem::exists(folder / "plan"));
}

INSTANTIATE_TEST_SUITE_P(
    Machines, Refusal,
    ::testing::Values(
        Case{"device", {{"device", {{"capacity", "256KiB"}}}}, json::object(), "device", "activation"},
        Case{"host",
             {{"host", {{"capacity", "64KiB"}}}},
             {{"placement", {{"moments", "host"}}}},
             "host",
             "moments"},
        Case{"nvme",
             {{"nvme", {{"capacity", "64KiB"}}}},
             {{"placement", {{"moments", "nvme"}}}},
             "nvme",
             "moments"}),
    [](const auto &info) { return info.param.name; });

} // namespace

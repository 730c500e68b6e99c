// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/PaceText.h"

#include "test/runtime/training/TemporaryFolder.h"
#include <gtest/gtest.h>
#include <map>

namespace windlass {
namespace {

using plan::Lane;

TEST(PaceTextTest, readsRatesAndLatencies) {
  Result<std::vector<PacedLink>> links = readPace("cg_in=12GB/s,nc_out=3.5GB/s+50us", 4);
  ASSERT_TRUE(links.isOk()) << links.status().message();
  ASSERT_EQ(links->size(), 2u);
  EXPECT_EQ((*links)[0].lane, Lane::CgIn);
  EXPECT_EQ((*links)[0].bytesPerSecond, 12e9);
  EXPECT_EQ((*links)[1].lane, Lane::NcOut);
  EXPECT_EQ((*links)[1].bytesPerSecond, 3.5e9);
  EXPECT_DOUBLE_EQ((*links)[1].latencySeconds, 50e-6);
}

TEST(PaceTextTest, readsAHardwareFileWithMeasuredRatesFirst) {
  TemporaryFolder folder;
  const std::string file = folder.write("machine.json", R"({"format": "windlass.hardware/1",
    "nvme": {"read": "3GB/s", "write": 2e9, "latency": "80us"},
    "links": {"cg": {"in": "10GB/s", "out": "9GB/s"}, "gg": {"bandwidth": "5GB/s", "latency": "2us"}},
    "measured": {"nvme.read": 3.5e9}})");
  Result<std::vector<PacedLink>> links = readPace(file, 4);
  ASSERT_TRUE(links.isOk()) << links.status().message();
  std::map<Lane, PacedLink> byLane;
  for (const PacedLink &link : *links)
    byLane[link.lane] = link;
  EXPECT_EQ(byLane.size(), 5u);
  EXPECT_EQ(byLane[Lane::NcIn].bytesPerSecond, 3.5e9);
  EXPECT_EQ(byLane[Lane::NcOut].bytesPerSecond, 2e9);
  EXPECT_EQ(byLane[Lane::CgIn].bytesPerSecond, 40e9); // four devices
  EXPECT_DOUBLE_EQ(byLane[Lane::Gg].latencySeconds, 2e-6);
}

/// The probe measures latencies, too.
TEST(PaceTextTest, measuredLatenciesComeFirst) {
  TemporaryFolder folder;
  const std::string file = folder.write("machine.json", R"({"format": "windlass.hardware/1",
    "nvme": {"read": "3GB/s", "latency": "80us"},
    "links": {"cg": {"in": "10GB/s"}, "gg": {"bandwidth": "5GB/s", "latency": "2us"}},
    "measured": {"links.cg.latency": "4us", "links.gg.latency": 3e-6}})");
  Result<std::vector<PacedLink>> links = readPace(file, 1);
  ASSERT_TRUE(links.isOk()) << links.status().message();
  ASSERT_EQ(links->size(), 3u);
  EXPECT_DOUBLE_EQ((*links)[0].latencySeconds, 80e-6); // not measured
  EXPECT_DOUBLE_EQ((*links)[1].latencySeconds, 4e-6);  // not declared
  EXPECT_DOUBLE_EQ((*links)[2].latencySeconds, 3e-6);  // both
}

TEST(PaceTextTest, namesTheKeyThatIsWrong) {
  TemporaryFolder folder;
  for (const auto &[nvme, key] : {std::pair(R"({"read": "fast"})", "nvme.read"),
                                  std::pair(R"({"read": 3, "latency": "long"})", "nvme.latency"),
                                  std::pair(R"({"read": 3, "request_time": []})", "nvme.request_time")}) {
    const std::string text = R"({"format": "windlass.hardware/1", "nvme": )" + std::string(nvme) + "}";
    const std::string file = folder.write("machine.json", text);
    const std::string message = readPace(file, 1).status().message();
    EXPECT_TRUE(message.starts_with(file + ": " + key + ": ")) << message;
  }
}

/// A request moves 1 MiB, here in 262.144 us, and takes 100 us beside that.
TEST(PaceTextTest, aDiskTakesTimeForItsRequests) {
  TemporaryFolder folder;
  const std::string file = folder.write("machine.json", R"({"format": "windlass.hardware/1",
    "nvme": {"read": "4GB/s", "write": "4GB/s", "request_time": "1s"},
    "measured": {"nvme.request_time": "100us"}})");
  Result<std::vector<PacedLink>> links = readPace(file, 4);
  ASSERT_TRUE(links.isOk()) << links.status().message();
  ASSERT_EQ(links->size(), 2u);
  for (const PacedLink &link : *links)
    EXPECT_NEAR(link.bytesPerSecond, (1 << 20) / 362.144e-6, 1);
}

TEST(PaceTextTest, namesWhatIsWrong) {
  TemporaryFolder folder;
  for (const char *text : {"cg_in", "cg_in=", "cg_in=fast", "compute=3GB/s", "moon=3GB/s", "cg_in=0", "", ",",
                           "nc_in=3GB/s+soon", "/no/such/file.json"})
    EXPECT_EQ(readPace(text, 1).status().code(), ExitCode::Usage) << text;
  for (const char *text : {"", "{", "[]", "{}", R"({"format": "windlass.hardware/1"})",
                           R"({"format": "windlass.hardware/1", "nvme": {"read": []}})",
                           R"({"format": "windlass.hardware/1", "nvme": [3]})",
                           R"({"format": "windlass.hardware/1", "nvme": {"read": -3}})",
                           R"({"format": "windlass.hardware/1", "nvme": {"read": 3, "request_time": []}})"})
    EXPECT_EQ(readPace(folder.write("m.json", text), 1).status().code(), ExitCode::BadInput) << text;
}

} // namespace
} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes, rates and times: the readers accept exactly the texts that the patterns of the schemas accept.
#include "runtime/base/Units.h"
#include "runtime/base/Counted.h"
#include "runtime/base/UnitPatterns.h"
#include <gtest/gtest.h>
#include <regex>

using namespace windlass;

namespace {

TEST(Units, readersAndPatternsAgree) {
  const char *texts[] = {"12",         "12MiB",        "80 GB",      "9M",
                         "9kB",        "9.5.5MB",      "9 bytes",    "4096 B",
                         "",           "MiB",          "-1",         "+1",
                         "1e3",        "1e",           "1.5e+3KB",   ".5GiB",
                         "5.",         "5m",           "5us",        "5 ms",
                         "2s",         "0.001 s",      "5ns",        "5 hours",
                         "1.3GB",      "1.3GB/s",      "1.9e9",      "110GFLOP/s",
                         "2 TFLOPS",   "1.4Gparams/s", "/s",         "1/s",
                         "3 things/s", "1 GB/s ",      "9Gb/s",      "9Gbit/s",
                         "9 gb/s",     "9kbits/s",     "inf",        "nan",
                         "0x10",       "200GBit/s",    "25 gB/s",    "200gigabytes/s",
                         "6400MT/s",   "20 bananas/s", "100gflop/s", "9kB/s",
                         "9KB/s",      "4 KiB/s",      "9kiB/s",     "12 bytes/s",
                         "9Kbytes/s",  "1G/s",         "1Gi/s",      "1k/s",
                         "5FLOP/s",    "5FLOPS",       "5FLOPS/s",   "5 params/s",
                         "5GG/s",      "5 GB/h",       "5B"};
  for (const std::string text : texts) {
    EXPECT_EQ(parseBytes(text).status().isOk(), std::regex_match(text, std::regex(kBytesPattern))) << text;
    EXPECT_EQ(parseRate(text).status().isOk(), std::regex_match(text, std::regex(kRatePattern))) << text;
    EXPECT_EQ(parseSeconds(text).status().isOk(), std::regex_match(text, std::regex(kSecondsPattern)))
        << text;
  }
}

TEST(Units, meanWhatPeopleWrite) {
  EXPECT_EQ(*parseBytes("12MiB"), 12 << 20);
  EXPECT_EQ(*parseBytes("1.5e+3KB"), 1'500'000);
  EXPECT_EQ(*parseRate("3.8GB/s"), 3.8e9);
  EXPECT_EQ(*parseRate("9kB/s"), 9e3);
  EXPECT_EQ(*parseRate("4 KiB/s"), 4096);
  EXPECT_EQ(*parseRate("2 TFLOPS"), 2e12);
  EXPECT_EQ(*parseRate("1.5Gparams/s"), 1.5e9);
  EXPECT_EQ(*parseRate("7/s"), 7);
  EXPECT_EQ(*parseSeconds("5us"), 5 * 1e-6);
  EXPECT_FALSE(parseBytes("0.3B"));
  EXPECT_FALSE(parseBytes("9e18KB"));
}

TEST(Units, RatesAreOfOneUnit) {
  const std::pair<const char *, std::vector<const char *>> rates[] = {
      {"B", {"3.8GB/s", "4 KiB/s", "12 bytes/s"}},
      {"FLOP", {"110GFLOP/s", "2 TFLOPS"}},
      {"params", {"1.4Gparams/s"}}};
  for (const auto &[unit, texts] : rates)
    for (const char *text : texts)
      for (const auto &[other, ignored] : rates)
        EXPECT_EQ(parseRateOf(other, text).status().isOk(), std::string(other) == unit) << text << other;
  EXPECT_EQ(*parseRateOf("B", "1.9e9"), 1.9e9);
  EXPECT_EQ(*parseRateOf("FLOP", "2G/s"), 2e9);
}

/// A word that is no unit is never left out: "200GBit/s" was 200e9 bytes, "25 gB/s" 25.
TEST(Units, RatesOfUnknownUnitsAreRefused) {
  for (const char *text : {"200GBit/s", "200Gb/s", "200 gbit/s", "200GBITS/s"})
    EXPECT_EQ(parseRate(text).status().message(),
              "\"" + std::string(text) + "\" counts bits; rates are of bytes (example: \"3.8GB/s\")");
  for (const char *text : {"25 gB/s", "200gigabytes/s", "6400MT/s", "20 bananas/s", "100gflop/s", "5 GB/h"})
    EXPECT_EQ(
        parseRate(text).status().message(),
        "\"" + std::string(text) +
            "\" has no unit of a rate: B/s, FLOP/s, FLOPS, params/s and /s are known, with K, M, G, T or P "
            "before them, and KiB/s to PiB/s (example: \"3.8GB/s\")");
}

TEST(Units, AmountsHaveThreeDigitsAlsoWhereRoundingCarries) {
  EXPECT_EQ(formatSeconds(0.00999), "9.99 ms");
  EXPECT_EQ(formatSeconds(0.05 - 0.04), "10.0 ms");
  EXPECT_EQ(formatSeconds(0.0999), "99.9 ms");
  EXPECT_EQ(formatSeconds(0.09996), "100 ms");
  EXPECT_EQ(formatRate(9.996e9, "B"), "10.0 GB/s");
}

TEST(Units, writeShapes) {
  EXPECT_EQ(formatShape(std::vector<int64_t>{2, 3}), "2x3");
  EXPECT_EQ(formatShape({}), "scalar");
}

TEST(Counted, oneOfAThingIsNotSeveral) {
  EXPECT_EQ(counted(1, "layer"), "1 layer");
  EXPECT_EQ(counted(0, "layer"), "0 layers");
  EXPECT_EQ(counted(1, "micro-batch"), "1 micro-batch");
  EXPECT_EQ(counted(2, "micro-batch"), "2 micro-batches");
  EXPECT_EQ(counted(3257856, "parameter"), "3,257,856 parameters");
}

} // namespace

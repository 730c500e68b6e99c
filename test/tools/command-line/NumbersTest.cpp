// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command-line/Numbers.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

/// The error of a validator for a text, or "-> " and the text that it passes on.
std::string seen(const CLI::Validator &validator, std::string text) {
  const std::string wrong = validator(text);
  return wrong.empty() ? "-> " + text : wrong;
}

TEST(Numbers, wholeOnesAreExactUpToTheirTypesLargest) {
  const CLI::Validator seed = wholeNumber<uint64_t>(0), step = wholeNumber<int64_t>(1, 2147483648);
  EXPECT_EQ(seen(seed, "18446744073709551615"), "-> 18446744073709551615");
  EXPECT_EQ(seen(seed, "18446744073709551616"),
            "must be a whole number from 0 to 18446744073709551615, is 18446744073709551616");
  EXPECT_EQ(seen(seed, "9223372036854775808"), "-> 9223372036854775808");
  EXPECT_EQ(seen(step, "2147483648"), "-> 2147483648");
  for (const char *wrong : {"0", "2147483649", "-1", "+1", "1.0", "1e3", "0x10", " 1", "1 ", "one", ""})
    EXPECT_EQ(seen(step, wrong), std::string("must be a whole number from 1 to 2147483648, is ") + wrong);
}

/// CLI11 would read this text as 8.
TEST(Numbers, aLeadingZeroIsNoOctal) { EXPECT_EQ(seen(wholeNumber(0, 255), "010"), "-> 10"); }

TEST(Numbers, realOnesAreNumbersOfTheirRange) {
  const CLI::Validator temperature = realNumber(0, 100);
  for (const char *right : {"0", "0.8", "1e-3", "100"})
    EXPECT_EQ(seen(temperature, right), std::string("-> ") + right);
  for (const char *wrong : {"-0.1", "100.1", "nan", "inf", "1e999", "0.8x", ""})
    EXPECT_EQ(seen(temperature, wrong), std::string("must be a number from 0 to 100, is ") + wrong);
}

} // namespace
} // namespace windlass

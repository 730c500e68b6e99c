// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The whole of a text must be the number, and the type must hold it.
#include "runtime/base/ParseNumber.h"
#include <cstdint>
#include <gtest/gtest.h>

using namespace windlass;

namespace {

template <typename Number> bool parses(std::string_view text, Number expected) {
  Number number = 0;
  return parseNumber(text, number) && number == expected;
}

TEST(ParseNumber, readsAWholeText) {
  EXPECT_TRUE(parses<int64_t>("-12", -12));
  EXPECT_TRUE(parses<uint8_t>("255", 255));
  EXPECT_TRUE(parses<int64_t>("010", 10)) << "no octal numbers";
  EXPECT_TRUE(parses<double>("1e-3", 1e-3));
}

TEST(ParseNumber, refusesOtherTextAndNumbersOutsideOfTheType) {
  int64_t whole = 0;
  for (const char *text : {"", " 1", "1 ", "+1", "12x", "1.5", "0x10", "9223372036854775808"})
    EXPECT_FALSE(parseNumber(text, whole)) << text;
  uint8_t small = 0;
  EXPECT_FALSE(parseNumber("256", small));
  EXPECT_FALSE(parseNumber("-1", small));
  double real = 0;
  EXPECT_FALSE(parseNumber("1e999", real));
  EXPECT_FALSE(parseNumber("1.5.5", real));
}

} // namespace

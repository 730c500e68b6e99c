// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts from files cannot control the terminal that shows them.
#include "runtime/base/Output.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

TEST(OutputTest, leavesTextAsItIs) {
  for (const char *text :
       {"", "plain text, 100 %", "two\nlines\tand a tab", "\u00fcber \u20ac \U0001f600", "\\x1b"})
    EXPECT_EQ(printable(text), text);
}

TEST(OutputTest, spellsOutWhatSteersATerminal) {
  EXPECT_EQ(printable("\x1b[2Jgone"), "\\x1b[2Jgone");
  EXPECT_EQ(printable("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  EXPECT_EQ(printable("over\rwritten\b\b"), "over\\x0dwritten\\x08\\x08");
  EXPECT_EQ(printable(std::string_view("a\0b\x7f", 4)), "a\\x00b\\x7f");
  EXPECT_EQ(printable("\u009b31m"), "\\xc2\\x9b31m") << "a control of one character, in UTF-8";
}

TEST(OutputTest, spellsOutWhatIsNoUtf8) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");
  EXPECT_EQ(printable("caf\xe9"), "caf\\xe9");
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80") << "nothing, in two bytes";
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b") << "a control, in three";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a character";
  EXPECT_EQ(printable("\xf4\x90\x80\x80\xff"), "\\xf4\\x90\\x80\\x80\\xff");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \\xe2\\x82");
}

TEST(OutputTest, everyMessageGoesThrough) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  printText("\x1b[1mname\n");
  printMessage("note", "\x1b[1mname");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "\\x1b[1mname\n");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "note: \\x1b[1mname\n");
}

TEST(OutputTest, aFailureIsPrintedAndHasItsExitCode) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(exitCodeOf(Status::ok()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  EXPECT_EQ(exitCodeOf(Status::cannotFit("too \x1b small")), 3);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "error: too \\x1b small\n");
}

} // namespace
} // namespace windlass

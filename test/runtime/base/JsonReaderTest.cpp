// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that a reader accepts, and the places in its errors.
#include "runtime/base/JsonReader.h"

#include <array>
#include <functional>
#include <gtest/gtest.h>

using namespace windlass;

namespace {

/// The first error of reading `text` with `read`.
std::string refusal(const std::string &text, const std::function<void(JsonReader)> &read) {
  Result<nlohmann::json> json = JsonReader::parse(text, "f.json");
  if (!json)
    return json.status().message();
  Status failure;
  read(JsonReader(*json, "f.json", failure));
  return failure.message();
}

TEST(JsonReader, readsWhatStandsThere) {
  const auto json = *JsonReader::parse(R"({"a": [1, -2, 0.5], "b": {"c": "x", "d": true, "e": "12KiB"},
                                           "f": 18446744073709551615})",
                                       "f.json");
  constexpr std::array<std::string_view, 2> words = {"w", "x"};
  Status failure;
  JsonReader top(json, "f.json", failure);
  JsonReader list = top.at("a"), record = top.at("b");
  EXPECT_EQ(list.size(), 3u);
  EXPECT_EQ(list.at(1).integer(-2, 0), -2);
  EXPECT_EQ(list.at(2).number(0, 1), 0.5);
  EXPECT_EQ(record.at("c").choice(words), 1u);
  EXPECT_TRUE(record.at("d").boolean());
  EXPECT_EQ(record.at("e").bytes(0, 1 << 20), 12 << 10);
  EXPECT_EQ(top.at("f").unsignedInteger(), UINT64_MAX);
  EXPECT_FALSE(top.find("g"));
  EXPECT_FALSE(record.has("g"));
  top.finish();
  record.finish();
  EXPECT_TRUE(failure) << failure.message();
}

TEST(JsonReader, namesThePlaceRuleAndValue) {
  const std::string text = R"({"a": {"b": [0, {"c": -1}]}})";
  auto inner = [](JsonReader top) { return top.at("a").at("b").at(1); }; // the parents no longer exist
  EXPECT_EQ(refusal(text, [&](JsonReader top) { inner(top).at("c").integer(0, 9); }),
            "f.json: a.b[1].c: must be a whole number from 0 to 9, is -1");
  EXPECT_EQ(refusal(text, [&](JsonReader top) { inner(top).at("d"); }), "f.json: a.b[1].d: is missing");
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("a").at("b").at(2); }), "f.json: a.b[2]: is missing");
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("a").at("b").at("c"); }),
            "f.json: a.b: must be an object, is a list");
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("a").text(); }),
            "f.json: a: must be a string, is an object");
  EXPECT_EQ(refusal("7", [](JsonReader top) { top.at("a"); }), "f.json: must be an object, is 7");
  EXPECT_EQ(refusal("7", [](JsonReader top) { top.has("a"); }), "f.json: must be an object, is 7");
  EXPECT_EQ(refusal(R"({"a": []})", [](JsonReader top) { top.at("a").find("b"); }),
            "f.json: a: must be an object, is a list");
  EXPECT_EQ(refusal("-1", [](JsonReader top) { top.unsignedInteger(); }),
            "f.json: must be a whole number from 0 to 18446744073709551615, is -1");
  EXPECT_EQ(refusal(text, [&](JsonReader top) { EXPECT_EQ(inner(top).place(), "a.b[1]"); }), "");
}

TEST(JsonReader, keepsTheFirstFailureAndReadsNothingAfterIt) {
  EXPECT_EQ(refusal(R"({"a": 1})",
                    [](JsonReader top) {
                      JsonReader missing = top.at("b");
                      EXPECT_EQ(missing.integer(0, 9), 0);
                      EXPECT_EQ(missing.at("c").size(), 0u);
                      EXPECT_EQ(missing.text(), "");
                      top.at("a").text();
                    }),
            "f.json: b: is missing");
}

TEST(JsonReader, namesWhatMayBeAMisspellingOfAMissingKey) {
  const std::string text = R"({"rnaks": 4, "nodes": {"capacty": 1, "b": 2}})";
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("ranks"); }),
            "f.json: ranks: is missing; is \"rnaks\" a misspelling of it?");
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("nodes").at("capacity"); }),
            "f.json: nodes.capacity: is missing; is \"capacty\" a misspelling of it?");
  EXPECT_EQ(refusal(text, [](JsonReader top) { top.at("nodes").at("a"); }), "f.json: nodes.a: is missing");
  EXPECT_EQ(refusal(text,
                    [](JsonReader top) {
                      top.at("rnaks");
                      top.at("ranks");
                    }),
            "f.json: ranks: is missing"); // the error names another key of the format
}

TEST(JsonReader, refusesKeysNobodyAskedFor) {
  const std::string text = R"({"alpha": 1, "beta": 2, "gama": 3})";
  auto read = [](JsonReader top) {
    top.at("alpha");
    top.allow("beta");
    EXPECT_FALSE(top.has("gamma"));
    EXPECT_EQ(top.unknown(), std::vector<std::string>{"gama"});
    top.finish();
  };
  EXPECT_EQ(refusal(text, read), "f.json: gama: unknown key, did you mean \"gamma\"?");
  EXPECT_EQ(refusal(text,
                    [](JsonReader top) {
                      EXPECT_EQ(top.keys().size(), 3u);
                      EXPECT_TRUE(top.has("beta"));
                      top.finish();
                    }),
            "");
  EXPECT_EQ(refusal(text,
                    [](JsonReader top) { // a key that is read twice is still one known key
                      for (int i = 0; i < 3; ++i)
                        top.at("alpha"), top.has("beta");
                      top.finish();
                    }),
            "f.json: gama: unknown key");
}

TEST(JsonReader, refusesWhatOtherParsersTake) {
  auto nothing = [](JsonReader) {};
  EXPECT_EQ(refusal(R"({"a": 1, "b": {"a": 2}, "a": 3})", nothing),
            "f.json: key \"a\" stands twice in one object");
  EXPECT_EQ(refusal(std::string(65, '[') + std::string(65, ']'), nothing),
            "f.json: values are nested more than 64 deep");
  EXPECT_EQ(JsonReader::parse("[[[]]]", "f.json", 2).status().message(),
            "f.json: values are nested more than 2 deep");
  EXPECT_EQ(refusal(std::string("{}\0behind", 9), nothing), "f.json: not valid JSON: byte 3 is zero");
  EXPECT_EQ(refusal("{\"a\": 1e999}", nothing).substr(0, 42), "f.json: not valid JSON: number overflow pa");
  EXPECT_EQ(refusal("{", nothing).substr(0, 47), "f.json: not valid JSON: parse error at line 1, ");
}

} // namespace

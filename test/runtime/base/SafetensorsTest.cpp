// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Safetensors.h"

#include "runtime/base/Random.h"
#include "test/runtime/training/TemporaryFolder.h"
#include <cstring>
#include <gtest/gtest.h>

namespace windlass {
namespace {

std::string fileOf(uint64_t headerLength, const std::string &header, size_t bufferBytes) {
  std::string file(reinterpret_cast<const char *>(&headerLength), sizeof headerLength);
  return file + header + std::string(bufferBytes, '\0');
}
std::string fileOf(const std::string &header, size_t bufferBytes) {
  return fileOf(header.size(), header, bufferBytes);
}

TEST(SafetensorsTest, whatIsWrittenIsRead) {
  TemporaryFolder folder;
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(
      folder / "t.safetensors",
      {{"z", "F32", {2, 3}}, {"half", "BF16", {3}}, {"a", "F32", {}}, {"empty", "F32", {0, 4}}});
  ASSERT_TRUE(writer.isOk()) << writer.status().message();
  const float z[] = {1, 2, 3, 4, 5, 6};
  for (const TensorEntry &entry : writer->tensors())
    if (entry.name == "z") { // in two halves, the second one first
      ASSERT_TRUE(writer->write(entry, 12, std::as_bytes(std::span(z).last(3))).isOk());
      ASSERT_TRUE(writer->write(entry, 0, std::as_bytes(std::span(z).first(3))).isOk());
    }
  ASSERT_TRUE(writer->finish().isOk());
  EXPECT_EQ(writer->hash(), *hashOfFile(folder / "t.safetensors"));

  Result<SafetensorsReader> reader = SafetensorsReader::open(folder / "t.safetensors");
  ASSERT_TRUE(reader.isOk()) << reader.status().message();
  EXPECT_EQ(reader->tensors().size(), 4u);
  EXPECT_EQ(reader->metadata(), (std::map<std::string, std::string>{{"format", "pt"}}));
  float back[6];
  ASSERT_TRUE(reader->read(*reader->find("z"), 0, std::as_writable_bytes(std::span(back))).isOk());
  EXPECT_TRUE(std::equal(z, z + 6, back));
  EXPECT_EQ(reader->find("nobody"), nullptr);
}

TEST(SafetensorsTest, writesWideTypesFirstThenByNameAndSaysPt) {
  TemporaryFolder folder;
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(
      folder / "t", {{"b", "F32", {1}}, {"half", "BF16", {3}}, {"a", "F32", {1}}, {"wide", "F64", {1}}});
  std::vector<std::string> names;
  for (const TensorEntry &entry : writer->tensors())
    names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"wide", "a", "b", "half"}));
  const std::string bytes = readText(folder / "t");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), sizeof length);
  EXPECT_EQ(length % 8, 0u);
  EXPECT_NE(bytes.find(R"("__metadata__":{"format":"pt"})"), std::string::npos);
  EXPECT_EQ(bytes.size(), 8 + length + 8 + 4 + 4 + 6);
}

struct Hostile {
  const char *what;
  std::string file;
  const char *message; ///< a part of the message
};

std::vector<Hostile> hostileFiles() {
  const std::string fine = R"("dtype":"F32","shape":[2])";
  return {
      {"empty", "", "too few"},
      {"seven bytes", "1234567", "too few"},
      {"length past the end", fileOf(9, "{}", 0), "header length 9"},
      {"length over the limit", fileOf(200'000'000, "{}", 0), "header length 200000000"},
      {"length of 2^64 - 1", fileOf(~uint64_t{0}, "{}", 0), "header length"},
      {"no JSON", fileOf("{\"a\":", 0), "not valid JSON"},
      {"a list", fileOf("[]", 0), "not a JSON object"},
      {"deep nesting", fileOf(std::string(100000, '['), 0), "nested more than 3 deep"},
      {"entry is a number", fileOf(R"({"a":1})", 0), "tensor \"a\": \"dtype\""},
      {"dtype is a number", fileOf(R"({"a":{"dtype":4,"shape":[],"data_offsets":[0,4]}})", 4), "\"dtype\""},
      {"unknown dtype", fileOf(R"({"a":{"dtype":"F33","shape":[],"data_offsets":[0,4]}})", 4), "\"F33\""},
      {"no shape", fileOf(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4), "\"shape\""},
      {"negative extent", fileOf(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4), "[-1]"},
      {"fractional extent", fileOf(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}})", 4),
       "[1.5]"},
      {"overflowing shape",
       fileOf(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}})", 0), "product"},
      {"extent over 2^63",
       fileOf(R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,4]}})", 4), "product"},
      {"no offsets", fileOf("{\"a\":{" + fine + "}}", 8), "\"data_offsets\""},
      {"one offset", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0]}}", 8), "\"data_offsets\""},
      {"offsets backwards", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[8,0]}}", 8), "span -8"},
      {"shape and offsets disagree", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0,4]}}", 4), "takes 8"},
      {"past the end", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0,8]}}", 7), "past the end"},
      {"bytes nobody owns", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0,8]}}", 9), "of a buffer of 9"},
      {"a hole", fileOf("{\"a\":{" + fine + ",\"data_offsets\":[1,9]}}", 9), "leaving a hole"},
      {"an overlap",
       fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0,8]},\"b\":{" + fine + ",\"data_offsets\":[4,12]}}",
              12),
       "overlapping"},
      {"metadata of numbers", fileOf(R"({"__metadata__":{"a":1}})", 0), "not an object of strings"},
      {"a list of metadata", fileOf(R"({"__metadata__":["a"]})", 0), "not an object of strings"},
      {"a name twice",
       fileOf("{\"a\":{" + fine + ",\"data_offsets\":[0,8]},\"a\":{" + fine + ",\"data_offsets\":[0,8]}}", 8),
       "stands twice"},
      {"bytes that are no UTF-8", fileOf("{\"\xff\":{" + fine + ",\"data_offsets\":[0,8]}}", 8),
       "not valid JSON"},
  };
}

TEST(SafetensorsTest, hostileFilesAreRefusedByName) {
  TemporaryFolder folder;
  for (const Hostile &hostile : hostileFiles()) {
    const std::string path = folder.write("h.safetensors", hostile.file);
    Result<SafetensorsReader> reader = SafetensorsReader::open(path);
    ASSERT_FALSE(reader.isOk()) << hostile.what;
    EXPECT_EQ(reader.status().code(), ExitCode::BadInput) << hostile.what;
    EXPECT_TRUE(reader.status().message().starts_with(path)) << hostile.what;
    EXPECT_NE(reader.status().message().find(hostile.message), std::string::npos)
        << hostile.what << ": " << reader.status().message();
  }
  EXPECT_EQ(SafetensorsReader::open(folder / "none").status().code(), ExitCode::BadInput);
}

TEST(SafetensorsTest, theLongestHeaderIsReadAndRefused) {
  TemporaryFolder folder;
  const uint64_t length = 100'000'000; // a sparse file of zeros
  const std::string path =
      folder.write("h", std::string(reinterpret_cast<const char *>(&length), sizeof length));
  std::filesystem::resize_file(path, sizeof length + length);
  const Status refused = SafetensorsReader::open(path).status();
  EXPECT_TRUE(refused.message().starts_with(path + ": the header: not valid JSON: ")) << refused.message();
}

TEST(SafetensorsTest, randomDamageIsReadOrRefusedButNeverACrash) {
  TemporaryFolder folder;
  Result<SafetensorsWriter> writer =
      SafetensorsWriter::create(folder / "t", {{"a", "F32", {2, 3}}, {"b", "BF16", {5}}});
  const std::string sound = readText(folder / "t");
  int refused = 0;
  for (uint64_t trial = 0; trial < 3000; ++trial) {
    const RandomStream random(trial, 0, 0);
    std::string damaged = sound.substr(0, random.below(0, 4) ? sound.size() : random.below(1, sound.size()));
    for (uint64_t i = 0; i < 1 + random.below(2, 4) && !damaged.empty(); ++i)
      damaged[random.below(3 + 2 * i, damaged.size())] = static_cast<char>(random.bits(4 + 2 * i));
    refused += !SafetensorsReader::open(folder.write("d", damaged)).isOk();
  }
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 3000); // damage to values is not detected
}

} // namespace
} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files of tokens as llm.c, nanoGPT and NumPy write them are read. Damaged files are refused with the place.
#include "runtime/base/NpyHeader.h"
#include "runtime/training/data/DataSource.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"

#include <cstring>
#include <gtest/gtest.h>
#include <numeric>

namespace windlass {
namespace {

template <typename Token> std::string bytesOf(const std::vector<Token> &values) {
  return {reinterpret_cast<const char *>(values.data()), values.size() * sizeof(Token)};
}

/// The numbers from `first` on.
template <typename Token> std::vector<Token> counting(size_t n, Token first = 0) {
  std::vector<Token> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::string llmc(int32_t magic, int32_t version, int32_t tokens, const std::string &body) {
  std::vector<int32_t> header(256);
  header[0] = magic;
  header[1] = version;
  header[2] = tokens;
  return bytesOf(header) + body;
}

std::string npy(int major, const std::string &dictionary, const std::string &body) {
  std::string header = dictionary;
  const size_t fixed = major == 1 ? 10 : 12;
  header.resize((fixed + header.size() + 64) / 64 * 64 - fixed - 1, ' ');
  header += '\n';
  const uint32_t length = static_cast<uint32_t>(header.size());
  std::string file = "\x93NUMPY";
  file += static_cast<char>(major);
  file += '\0';
  file.append(reinterpret_cast<const char *>(&length), major == 1 ? 2 : 4);
  return file + header + body;
}

class TokenDataTest : public testing::Test {
protected:
  TokenDataTest() {
    ToyOptions options;
    options.vocabulary = 100000;
    plan = toyPlan(options); // windows of 9 tokens
  }
  std::unique_ptr<DataSource> open(const std::string &specification, const std::string &type = "") {
    Result<std::unique_ptr<DataSource>> data = openData(specification, plan, type);
    EXPECT_TRUE(data.isOk()) << data.status().message();
    return data ? data.take() : nullptr;
  }
  std::string refusal(const std::string &specification, const std::string &type = "") {
    Result<std::unique_ptr<DataSource>> data = openData(specification, plan, type);
    EXPECT_FALSE(data.isOk());
    EXPECT_EQ(data.status().code(), ExitCode::BadInput);
    return data.status().message();
  }
  /// Expects the tokens `first`, `first` + 1, ... in all examples together.
  void expectCounting(const std::unique_ptr<DataSource> &data, int64_t examples, int32_t first) {
    ASSERT_TRUE(data);
    EXPECT_EQ(data->training() + data->validation(), examples);
    for (int64_t example = 0; example < examples; ++example)
      for (int32_t label : {0, 1}) {
        std::vector<int32_t> row(8);
        ASSERT_TRUE(data->read(plan.inputs[static_cast<size_t>(label)], example,
                               std::as_writable_bytes(std::span(row))));
        for (int32_t i = 0; i < 8; ++i)
          ASSERT_EQ(row[static_cast<size_t>(i)], first + static_cast<int32_t>(example) * 9 + i + label);
      }
  }

  TemporaryFolder folder;
  plan::Plan plan;
};

TEST_F(TokenDataTest, aFileWithoutAHeaderHoldsTokensOfTheTypeGiven) {
  const std::string path = folder.write("train.bin", bytesOf(counting<uint16_t>(45, 300)));
  const std::unique_ptr<DataSource> data = open(path);
  expectCounting(data, 5, 300);
  EXPECT_EQ(data->description(), "45 tokens in 1 file");
  expectCounting(open(folder.write("wide.bin", bytesOf(counting<uint32_t>(27, 70000))), "u32"), 3, 70000);
  expectCounting(open(folder.write("bytes.bin", bytesOf(counting<uint8_t>(200, 5))), "u8"), 22, 5);
}

TEST_F(TokenDataTest, llmcsFilesSayWhatTheyHold) {
  expectCounting(open(folder.write("a.bin", llmc(20240520, 1, 5000, bytesOf(counting<uint16_t>(5000, 7))))),
                 555, 7);
  expectCounting(open(folder.write("b.bin", llmc(20240801, 7, 30, bytesOf(counting<uint32_t>(30, 66000))))),
                 3, 66000);
}

TEST_F(TokenDataTest, shardsFollowOneAnotherByName) {
  std::filesystem::create_directory(folder / "shards");
  folder.write("shards/x_train_002.bin", llmc(20240520, 1, 20, bytesOf(counting<uint16_t>(20, 25))));
  folder.write("shards/x_train_001.bin", llmc(20240520, 1, 25, bytesOf(counting<uint16_t>(25, 0))));
  folder.write("shards/x_val.bin", llmc(20240520, 1, 9, bytesOf(counting<uint16_t>(9, 0))));
  expectCounting(open(folder / "shards/x_train_*.bin"), 5, 0);
  EXPECT_EQ(open(folder / "shards")->description(), "54 tokens in 3 files");
  EXPECT_EQ(refusal(folder / "shards/y_*.bin"),
            folder / "shards/y_*.bin: no such file or folder, and as a pattern it matches nothing");
  folder.write("shards/notes.txt", "text");
  EXPECT_NE(refusal(folder / "shards").find("holds text and tokens"), std::string::npos);
}

TEST_F(TokenDataTest, numpysArraysOfEveryVersionAndWidthAreRead) {
  auto header = [](const std::string &type, const std::string &shape) {
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
  };
  expectCounting(
      open(folder.write("a.npy", npy(1, header("<u2", "(27,)"), bytesOf(counting<uint16_t>(27, 400))))), 3,
      400);
  expectCounting(
      open(folder.write("b.npy", npy(2, header("<i4", "(3, 9)"), bytesOf(counting<int32_t>(27, 66000))))), 3,
      66000);
  expectCounting(
      open(folder.write("c.npy", npy(3, header("<i8", "(18,)"), bytesOf(counting<int64_t>(18, 1))))), 2, 1);
  expectCounting(
      open(folder.write("d.npy", npy(1, header("|u1", "(18,)"), bytesOf(counting<uint8_t>(18, 1))))), 2, 1);
}

TEST_F(TokenDataTest, aTokenOutsideTheVocabularyIsNamedByFileAndPlace) {
  std::vector<int32_t> tokens = counting<int32_t>(5000);
  tokens[4321] = 100000;
  std::string path = folder.write("a.bin", llmc(20240801, 7, 5000, bytesOf(tokens)));
  EXPECT_EQ(refusal(path), path + ": token 4321 has value 100000, outside the vocabulary of 100000");
  tokens[4321] = -2;
  path = folder.write("a.npy",
                      npy(1, "{'descr': '<i4', 'fortran_order': False, 'shape': (5000,)}", bytesOf(tokens)));
  EXPECT_EQ(refusal(path), path + ": token 4321 has value -2, outside the vocabulary of 100000");
}

TEST_F(TokenDataTest, damagedTokenFilesAreRefused) {
  auto refused = [&](const std::string &name, const std::string &bytes) {
    const std::string path = folder.write(name, bytes);
    const std::string message = refusal(path);
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  const std::string body = bytesOf(counting<uint16_t>(20));
  EXPECT_EQ(refused("a.bin", body + "x"), "ends in the middle of a token: 41 bytes are no multiple of 2");
  EXPECT_EQ(refused("a.bin", llmc(20240520, 2, 20, body)),
            "has llm.c's magic number 20240520 with version 2, not 1");
  EXPECT_EQ(refused("a.bin", llmc(20240522, 1, 20, body)),
            "is an evaluation set of llm.c, whose examples are no plain tokens");
  EXPECT_EQ(refused("a.bin", llmc(20240520, 1, 21, body)),
            "its header says 21 tokens of 2 bytes, but the file has 1064 bytes, not 1066");
  EXPECT_EQ(refused("a.bin", llmc(20240520, 1, -1, body)).substr(0, 25), "its header says -1 tokens");
  EXPECT_EQ(refused("a.bin", llmc(20240801, 7, 20, body)).substr(0, 35),
            "its header says 20 tokens of 4 byte");
  EXPECT_EQ(refused("a.bin", llmc(20240520, 1, 20, "").substr(0, 100)).substr(0, 15), "its header says");
  EXPECT_NE(refused("a.bin", body.substr(0, 8)).find("too short"), std::string::npos);
  EXPECT_NE(refused("empty.bin", "").find("too short"), std::string::npos);
}

TEST_F(TokenDataTest, damagedArraysAreRefused) {
  const std::string body = bytesOf(counting<uint16_t>(18));
  const std::string fine = "{'descr': '<u2', 'fortran_order': False, 'shape': (18,)}";
  auto refused = [&](const std::string &bytes) {
    const std::string path = folder.write("a.npy", bytes);
    const std::string message = refusal(path);
    EXPECT_TRUE(message.starts_with(path + ": ")) << message;
    return message.substr(std::min(message.size(), path.size() + 2));
  };
  auto with = [&](const std::string &what, const std::string &instead) {
    std::string changed = fine;
    changed.replace(changed.find(what), what.size(), instead);
    return npy(1, changed, body);
  };
  EXPECT_EQ(refused("not an array at all"), "does not begin with \"\\x93NUMPY\", as a .npy file does");
  EXPECT_EQ(refused(npy(1, fine, body).substr(0, 7)),
            "does not begin with \"\\x93NUMPY\", as a .npy file does");
  EXPECT_EQ(refused(npy(4, fine, body)), "is of .npy version 4, not 1, 2 or 3");
  EXPECT_EQ(refused(npy(1, fine, body).substr(0, 60)), "header length 118 in a file of 60 bytes");
  EXPECT_NE(refused(npy(1, fine, body.substr(1))).find("another number of elements"), std::string::npos);
  EXPECT_NE(refused(npy(1, fine, body + "x")).find("another number of elements"), std::string::npos);
  EXPECT_NE(refused(with("(18,)", "(4611686018427387904, 9)")).find("another number"), std::string::npos);
  for (const char *type : {"'>u2'", "'<f4'", "'<u3'", "'|u2'", "'<u16'"})
    EXPECT_NE(refused(with("'<u2'", type)).find("not little-endian whole numbers"), std::string::npos)
        << type;
  EXPECT_NE(refused(with("False, 'shape': (18,)", "True, 'shape': (2, 9)")).find("Fortran order"),
            std::string::npos);
  EXPECT_NE(refused(with("(18,)", "(1, 2, 9)")).find("3 dimensions"), std::string::npos);
  EXPECT_EQ(refused(with("(18,)", "(3, 6)")),
            "has rows of 6 tokens, but an example takes 9: a sequence and the token after it");
  for (const char *shape : {"(-1,)", "(18", "18", "[18]", "(1.5,)", "('18',)"})
    EXPECT_NE(refused(with("(18,)", shape)).find("is not a dictionary"), std::string::npos) << shape;
  EXPECT_NE(refused(with("'shape'", "'shapes'")).find("is not a dictionary"), std::string::npos);
  EXPECT_NE(refused(with("'<u2'", "[('a', '<u2')]")).find("is not a dictionary"), std::string::npos);
  EXPECT_NE(refused(npy(1, "{'descr': '<u2', 'shape': (18,)}", body)).find("is not a dictionary"),
            std::string::npos);
}

/// Rows are examples only where the list before them is whole examples.
TEST_F(TokenDataTest, aTableBeginsWhereAnExampleDoes) {
  const auto bytes = [](size_t tokens, const std::string &shape) {
    return npy(1, "{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + "}",
               bytesOf(counting<uint8_t>(tokens, 1)));
  };
  for (size_t before : {18, 20}) {
    TemporaryFolder folder;
    folder.write("a.npy", bytes(before, "(" + std::to_string(before) + ",)"));
    const std::string table = folder.write("b.npy", bytes(18, "(2, 9)"));
    const Status opened = openData(folder.path, toyPlan()).status();
    EXPECT_EQ(opened.message(), before == 18
                                    ? ""
                                    : table + ": its rows would not be examples, for the files before "
                                              "it hold 20 tokens, no multiple of the 9 of a row");
  }
}

} // namespace
} // namespace windlass

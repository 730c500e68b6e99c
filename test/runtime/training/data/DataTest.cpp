// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/base/Safetensors.h"
#include "runtime/training/data/Batches.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/ToyModel.h"

#include <cstring>
#include <gtest/gtest.h>
#include <set>

namespace windlass {
namespace {

std::vector<int32_t> row(const DataSource &data, const plan::Input &input, int64_t example) {
  std::vector<int32_t> values(static_cast<size_t>(rowElements(input)));
  EXPECT_TRUE(data.read(input, example, std::as_writable_bytes(std::span(values))).isOk());
  return values;
}

std::string counting(int n) {
  std::string text;
  for (int i = 0; i < n; ++i)
    text += static_cast<char>(i);
  return text;
}

TEST(TextDataTest, cutsAFolderIntoWindowsAcrossFiles) {
  TemporaryFolder folder;
  folder.write("b.txt", counting(250).substr(13));
  folder.write("a.txt", counting(13));
  std::filesystem::create_symlink("a.txt", folder / "again.txt"); // the same bytes are not read twice
  const plan::Plan plan = toyPlan();
  Result<std::unique_ptr<DataSource>> data = openData(folder.path, plan);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  EXPECT_EQ((*data)->description(), "text, 250 bytes in 2 files");
  EXPECT_EQ((*data)->training() + (*data)->validation(), 250 / 9);
  EXPECT_EQ((*data)->validation(), 2); // a tenth
  for (int32_t example = 0; example < 27; ++example) {
    const std::vector<int32_t> tokens = row(**data, plan.inputs[0], example);
    const std::vector<int32_t> labels = row(**data, plan.inputs[1], example);
    for (int32_t i = 0; i < 8; ++i) {
      EXPECT_EQ(tokens[i], example * 9 + i);
      EXPECT_EQ(labels[i], example * 9 + i + 1);
    }
  }
}

/// Links may lead to names that say nothing, as in caches of downloads.
TEST(TextDataTest, filesHaveTheNamesThatAreGiven) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder / "blobs");
  folder.write("blobs/9f", counting(100));
  folder.write("blobs/1a", counting(250).substr(100));
  std::filesystem::create_symlink("blobs/9f", folder / "train_0.txt");
  std::filesystem::create_symlink("blobs/1a", folder / "train_1.txt");
  const plan::Plan plan = toyPlan();
  Result<std::unique_ptr<DataSource>> data = openData(folder / "train_*.txt", plan);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  for (int32_t example = 0; example < 27; ++example)
    EXPECT_EQ(row(**data, plan.inputs[0], example)[0], example * 9);
  std::filesystem::create_symlink("blobs/9f", folder / "tokens.npy");
  EXPECT_EQ(openData(folder / "tok*.npy", plan).status().message(),
            folder / "tokens.npy" + ": does not begin with \"\\x93NUMPY\", as a .npy file does");
}

/// Text gives inputs and labels of one length.
TEST(TextDataTest, inputsOfSeveralLengthsAreRefused) {
  TemporaryFolder folder;
  plan::Plan plan = toyPlan();
  plan.inputs[1].shape = {4, 1};
  EXPECT_EQ(openData(folder.write("a.txt", counting(250)), plan).status().message(),
            folder / "a.txt" + ": text and tokens feed inputs of one length, but \"tokens\" has 8 tokens an "
                               "example, and \"labels\" has 1; give a .safetensors file or \"synthetic\"");
}

/// Labels that the model shifts by itself are not shifted by the data.
TEST(TextDataTest, labelsThatAModelShiftsAreTheTokens) {
  TemporaryFolder folder;
  plan::Plan plan = toyPlan();
  plan.inputs[1].first = 1;
  for (const std::string &name : {folder.write("a.txt", counting(250)), std::string("synthetic")}) {
    Result<std::unique_ptr<DataSource>> data = openData(name, plan);
    ASSERT_TRUE(data.isOk()) << data.status().message();
    EXPECT_EQ(row(**data, plan.inputs[1], 3), row(**data, plan.inputs[0], 3)) << name;
  }
}

TEST(TextDataTest, namesWhatIsWrong) {
  TemporaryFolder folder;
  const plan::Plan plan = toyPlan();
  EXPECT_EQ(openData(folder / "none.txt", plan).status().code(), ExitCode::BadInput);
  const std::string brief = folder.write("short.txt", "17 bytes of text.");
  EXPECT_EQ(
      openData(brief, plan).status().message(),
      brief + ": too short: it holds 1 windows of 9 bytes, but training needs at least one and validation 1");
  ToyOptions narrow;
  narrow.vocabulary = 100;
  const std::string text = folder.write("text.txt", std::string(60, '!') + "z" + std::string(60, '!'));
  EXPECT_EQ(openData(text, toyPlan(narrow)).status().message(),
            text + ": byte 60 has value 122, outside the vocabulary of 100");
  EXPECT_EQ(openData("synthetic:x", plan).status().code(), ExitCode::Usage);
}

/// GPT-2's tokens are not bytes, so that a model would learn another language from bytes.
TEST(TextDataTest, isRefusedToAVocabularyThatIsNotBytes) {
  TemporaryFolder folder;
  const std::string text = folder.write("text.txt", std::string(600, 'a'));
  for (int64_t tokens : {256, 258, 384, 385, 50257}) {
    ToyOptions options;
    options.vocabulary = tokens;
    const Status opened = openData(text, toyPlan(options)).status();
    EXPECT_EQ(opened.isOk(), tokens <= 384) << tokens;
    EXPECT_TRUE(opened.isOk() ||
                opened.message().starts_with(text + ": is text, which is trained as bytes, but the model's "
                                                    "vocabulary of "))
        << opened.message();
  }
  ToyOptions gpt2;
  gpt2.vocabulary = 50257;
  const std::string bytes = folder.write("bytes.bin", std::string(600, 'a'));
  EXPECT_TRUE(openData(bytes, toyPlan(gpt2), "u8").isOk()) << "whoever says so may train bytes";
}

TEST(TextDataTest, isNotWhatIsNoText) {
  TemporaryFolder folder;
  const plan::Plan plan = toyPlan();
  const std::string text(600, 'a');
  auto refused = [&](const std::string &name, const std::string &what) {
    for (const std::string &given : {folder / name, folder.path}) {
      const Status opened = openData(given, plan).status();
      EXPECT_EQ(opened.code(), ExitCode::BadInput) << name;
      EXPECT_TRUE(opened.message().starts_with(folder / name + ": is no text but " + what))
          << opened.message();
    }
    std::filesystem::remove(folder / name);
  };
  for (const auto &[ending, what] : {std::pair(".gz", "compressed (gzip)"),
                                     {".zst", "compressed (zstd)"},
                                     {".jsonl", "JSON records"},
                                     {".parquet", "a table (Parquet)"},
                                     {".npz", "an archive of arrays"},
                                     {".pt", "a file of PyTorch"}}) {
    folder.write(std::string("data") + ending, text);
    refused(std::string("data") + ending, what);
  }
  for (const auto &[magic, what] : {std::pair(std::string("\x1f\x8b\x08"), "compressed (gzip)"),
                                    {std::string("\xfd") + "7zXZ" + std::string(1, '\0'), "compressed (xz)"},
                                    {std::string("PK\x03\x04"), "an archive (zip"},
                                    {std::string("PAR1"), "a table (Parquet)"}}) {
    folder.write("shard-00000", magic + text);
    refused("shard-00000", what);
  }
  folder.write("data.safetensors", text);
  EXPECT_NE(openData(folder.path, plan).status().message().find("is given by its own name"),
            std::string::npos);
  std::filesystem::remove(folder / "data.safetensors");
  folder.write("B", "B"); // shorter than the bytes of a file type
  folder.write("text", text);
  EXPECT_TRUE(openData(folder.path, plan).isOk());
}

TEST(DataSourceTest, aFingerprintIsThatOfTheContent) {
  TemporaryFolder folder;
  const plan::Plan plan = toyPlan();
  const std::string text(5 << 20, 'a');
  auto print = [&](const std::string &data) {
    Result<std::unique_ptr<DataSource>> opened = openData(data, plan);
    EXPECT_TRUE(opened) << opened.status().message();
    return (*opened)->fingerprint();
  };
  auto with = [&](size_t at) {
    std::string changed = text;
    changed[at] = 'b';
    return print(folder.write("changed.txt", changed));
  };
  const std::string whole = print(folder.write("text.txt", text));
  EXPECT_EQ(print(folder.write("elsewhere.txt", text)), whole);
  std::set<std::string> others = {whole,
                                  with(0),
                                  with((1 << 20) - 1),
                                  with(4 << 20),
                                  with((5 << 20) - 1),
                                  print(folder.write("longer.txt", text + "a")),
                                  print("synthetic"),
                                  print("synthetic:2")};
  EXPECT_EQ(others.size(), 8u) << "some of them are alike";
  EXPECT_EQ(with(2 << 20), whole) << "the middle of a long file is not read";
}

std::string writeTensors(const TemporaryFolder &folder, const std::vector<TensorEntry> &entries,
                         const std::vector<int64_t> &tokens) {
  const std::string path = folder / "data.safetensors";
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(path, entries);
  EXPECT_TRUE(writer.isOk());
  for (const TensorEntry &entry : writer->tensors())
    if (entry.type == "I64") {
      EXPECT_TRUE(writer->write(entry, 0, std::as_bytes(std::span(tokens))).isOk());
    }
  return path;
}

TEST(TensorDataTest, readsWholeNumbersOfAnyWidth) {
  TemporaryFolder folder;
  std::vector<int64_t> tokens(20 * 8);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = static_cast<int64_t>(i);
  const std::string path =
      writeTensors(folder, {{"tokens", "I64", {20, 8}}, {"labels", "U8", {20, 8}}}, tokens);
  const plan::Plan plan = toyPlan();
  Result<std::unique_ptr<DataSource>> data = openData(path, plan);
  ASSERT_TRUE(data.isOk()) << data.status().message();
  EXPECT_EQ((*data)->training(), 18);
  EXPECT_EQ(row(**data, plan.inputs[0], 3)[2], 26);
  EXPECT_EQ(row(**data, plan.inputs[1], 3)[2], 0);
}

TEST(TensorDataTest, namesWhatIsWrong) {
  TemporaryFolder folder;
  const plan::Plan plan = toyPlan();
  auto message = [&](const std::vector<TensorEntry> &entries, const std::vector<int64_t> &values) {
    return openData(writeTensors(folder, entries, values), plan).status().message();
  };
  const std::string file = folder / "data.safetensors";
  const std::vector<int64_t> fine(160, 1);
  EXPECT_EQ(message({{"tokens", "I64", {20, 8}}}, fine),
            file + ": tensor \"labels\": missing; the file must hold one tensor for each input of the model");
  EXPECT_EQ(message({{"tokens", "I64", {10, 16}}, {"labels", "U8", {20, 8}}}, fine),
            file + ": tensor \"tokens\": shape [10, 16] does not fit the input's [4, 8] after dimension 0, "
                   "the examples");
  EXPECT_EQ(message({{"tokens", "I64", {20, 8}}, {"labels", "U8", {21, 8}}}, fine),
            file + ": tensor \"labels\" holds 21 examples, but \"tokens\" holds 20");
  EXPECT_EQ(message({{"tokens", "I64", {20, 8}}, {"labels", "F32", {20, 8}}}, fine),
            file + ": tensor \"labels\": type F32 cannot feed an input of whole numbers (I32, I64 or U8)");
  std::vector<int64_t> wild = fine;
  wild[37] = 256;
  EXPECT_EQ(message({{"tokens", "I64", {20, 8}}, {"labels", "U8", {20, 8}}}, wild),
            file + ": tensor \"tokens\": element 37 has value 256, outside [0, 256)");
}

TEST(SyntheticDataTest, isTheSameEverywhereAndLabelsFollowTokens) {
  const plan::Plan plan = toyPlan();
  Result<std::unique_ptr<DataSource>> data = openData("synthetic:7", plan),
                                      again = openData("synthetic:7", plan);
  ASSERT_TRUE(data.isOk());
  for (int64_t example : {0, 1, 4000}) {
    const std::vector<int32_t> tokens = row(**data, plan.inputs[0], example);
    const std::vector<int32_t> labels = row(**data, plan.inputs[1], example);
    EXPECT_EQ(tokens, row(**again, plan.inputs[0], example));
    EXPECT_TRUE(std::equal(tokens.begin() + 1, tokens.end(), labels.begin()));
    for (int32_t token : tokens)
      EXPECT_TRUE(token >= 0 && token < 256);
  }
}

/// The rows that a step feeds, in the order of samples, on any number of ranks.
std::vector<int32_t> stepOf(const ToyOptions &options, int64_t position, bool shuffle) {
  const plan::Plan plan = toyPlan(options);
  Result<std::unique_ptr<DataSource>> data = openData("synthetic:1", plan);
  Result<Batches> batches = Batches::create(plan, **data, 1, shuffle);
  EXPECT_TRUE(batches.isOk());
  std::vector<int32_t> all;
  for (int64_t micro = 0; micro < options.microBatches; ++micro)
    for (int64_t rank = 0; rank < options.ranks; ++rank) {
      std::vector<int32_t> block(static_cast<size_t>(batches->rows() * 8));
      EXPECT_TRUE(batches
                      ->fillTraining(plan.inputs[0], position, {micro, rank},
                                     std::as_writable_bytes(std::span(block)))
                      .isOk());
      all.insert(all.end(), block.begin(), block.end());
    }
  return all;
}

TEST(BatchesTest, sampleKOfAStepDoesNotDependOnRanksOrMicroBatches) {
  for (bool shuffle : {true, false})
    for (int64_t position : {0, 8, 4088, 100000}) {
      ToyOptions one;
      one.globalBatch = 8;
      const std::vector<int32_t> expected = stepOf(one, position, shuffle);
      for (auto [ranks, microBatches] : {std::pair(1, 8), {2, 1}, {2, 2}, {4, 2}, {8, 1}}) {
        ToyOptions many = one;
        many.ranks = ranks;
        many.microBatches = microBatches;
        EXPECT_EQ(stepOf(many, position, shuffle), expected);
      }
    }
}

TEST(BatchesTest, anEpochSeesEveryTrainingExampleOnceAndNoOther) {
  TemporaryFolder folder;
  ToyOptions options;
  options.globalBatch = 1;
  const plan::Plan plan = toyPlan(options);
  Result<std::unique_ptr<DataSource>> data = openData(folder.write("t", counting(252)), plan);
  Result<Batches> batches = Batches::create(plan, **data, 1, true);
  const int64_t size = (*data)->training();
  for (int64_t epoch = 0; epoch < 3; ++epoch) {
    std::set<int32_t> firsts;
    for (int64_t i = 0; i < size; ++i) {
      std::vector<int32_t> tokens(8);
      ASSERT_TRUE(batches
                      ->fillTraining(plan.inputs[0], epoch * size + i, {0, 0},
                                     std::as_writable_bytes(std::span(tokens)))
                      .isOk());
      firsts.insert(tokens[0]);
    }
    EXPECT_EQ(std::ssize(firsts), size);
    EXPECT_EQ(*firsts.rbegin(), (size - 1) * 9);
  }
}

TEST(BatchesTest, theTailOfValidationIsPaddedWithIgnoredLabels) {
  TemporaryFolder folder;
  ToyOptions options;
  options.ranks = 2; // 4 examples a step
  options.globalBatch = 4;
  plan::Plan plan = toyPlan(options);
  plan.training.validationFraction = 0.25; // 7 of 28
  Result<std::unique_ptr<DataSource>> data = openData(folder.write("t", counting(252)), plan);
  Result<Batches> batches = Batches::create(plan, **data, 1, true);
  ASSERT_EQ((*data)->validation(), 7);
  EXPECT_EQ(batches->validationRuns(), 2);
  EXPECT_EQ(batches->validationLeftOut(), 0);
  EXPECT_EQ((*batches->countValidation())->valid(), 7 * 8);
  std::vector<int32_t> labels(16);
  ASSERT_TRUE(
      batches->fillValidation(plan.inputs[1], 1, 1, std::as_writable_bytes(std::span(labels))).isOk());
  EXPECT_EQ(labels[0], (21 + 6) * 9 + 1);
  EXPECT_EQ(std::vector<int32_t>(labels.begin() + 8, labels.end()), std::vector<int32_t>(8, -100));
  plan.paddingCounts = true; // a term of the loss is not zero for it
  Result<Batches> whole = Batches::create(plan, **data, 1, true);
  EXPECT_EQ(whole->validationRuns(), 1);
  EXPECT_EQ(whole->validationLeftOut(), 3);
  EXPECT_EQ((*whole->countValidation())->valid(), 4 * 8);
}

/// Values are 0, 1, 2, ... The ignored label is 7.
TEST(BatchesTest, theLabelThatAnInputIgnoresIsNotCounted) {
  TemporaryFolder folder;
  ToyOptions options;
  options.globalBatch = 4;
  plan::Plan plan = toyPlan(options);
  Result<std::unique_ptr<DataSource>> data = openData(folder.write("t", counting(252)), plan);
  EXPECT_EQ((*Batches::create(plan, **data, 1, false)->countTraining(0))->valid(), 4 * 8);
  plan.inputs[1].ignored = 7;
  EXPECT_EQ((*Batches::create(plan, **data, 1, false)->countTraining(0))->valid(), 4 * 8 - 1);
}

/// The loss of an example is already a mean over its targets.
TEST(BatchesTest, anExampleWithTargetsCountsOnce) {
  plan::Plan plan = toyPlan();
  for (plan::Input &input : plan.inputs) {
    input.role = input.role == plan::InputRole::Tokens ? plan::InputRole::Features : plan::InputRole::Targets;
    input.type = plan::ElementType::F32;
    input.bound = 0;
  }
  Result<std::unique_ptr<DataSource>> data = openData("synthetic:1", plan);
  ASSERT_TRUE(data) << data.status().message();
  Result<Batches> batches = Batches::create(plan, **data, 1, true);
  ASSERT_TRUE(batches) << batches.status().message();
  EXPECT_EQ((*batches->countTraining(0))->valid(), plan.training.globalBatch);
}

/// Padding would count, so that less than a batch cannot be evaluated.
TEST(BatchesTest, refusesAPartOfABatchThatNoLabelFills) {
  plan::Plan plan = toyPlan();
  plan.training.validationFraction = 3.0 / 4096;
  Result<std::unique_ptr<DataSource>> data = openData("synthetic:1", plan);
  EXPECT_TRUE(Batches::create(plan, **data, 1, true));
  for (plan::Input &input : plan.inputs) {
    input.role = input.role == plan::InputRole::Tokens ? plan::InputRole::Features : plan::InputRole::Targets;
    input.type = plan::ElementType::F32;
    input.bound = 0;
  }
  data = openData("synthetic:1", plan);
  EXPECT_EQ(
      Batches::create(plan, **data, 1, true).status().message(),
      "plan: \"validation.fraction\" holds out 3 examples, but the ranks evaluate 4 at once, and only whole "
      "batches, since the loss of the model cannot ignore what fills one up");
}

TEST(BatchesTest, refusesSizesThatDoNotMultiplyOut) {
  plan::Plan plan = toyPlan();
  Result<std::unique_ptr<DataSource>> data = openData("synthetic", plan);
  plan.training.microBatches = 3;
  EXPECT_EQ(Batches::create(plan, **data, 1, true).status().message(),
            "plan: a global batch of 4 does not divide into 3 micro-batches of 1 data rank");
}

} // namespace
} // namespace windlass

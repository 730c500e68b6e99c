// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged files of a run are refused with their name, or have values within their bounds.
#include "runtime/base/Safetensors.h"
#include "runtime/training/checkpoint/TrainerState.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/runtime/training/checkpoint/OldTrainerState.h"
#include "test/support/Mutate.h"

#include <gtest/gtest.h>

namespace windlass {
namespace {

TEST(ReadersFuzz, damagedTensorsAreRefusedOrInBounds) {
  TemporaryFolder folder;
  const std::string path = folder / "t.safetensors";
  Result<SafetensorsWriter> writer = SafetensorsWriter::create(
      path, {{"weight", "F32", {4, 6}}, {"half", "BF16", {3}}, {"empty", "I64", {0}}});
  ASSERT_TRUE(writer && writer->finish());
  const std::string sound = readText(path);
  std::mt19937_64 random(7);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    folder.write("t.safetensors", test::mutated(sound, random));
    Result<SafetensorsReader> reader = SafetensorsReader::open(path);
    if (!reader) {
      ++refused;
      ASSERT_EQ(reader.status().code(), ExitCode::BadInput);
      ASSERT_EQ(reader.status().message().rfind(path, 0), 0u) << reader.status().message();
      continue;
    }
    for (const auto &[name, entry] : reader->tensors()) {
      std::vector<std::byte> bytes(static_cast<size_t>(entry.bytes));
      ASSERT_TRUE(reader->read(entry, 0, bytes)) << "round " << round << ", tensor " << name;
    }
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1000);
}

/// The trainer state is of an older version. A newer one has a hash, which reveals all damage.
TEST(ReadersFuzz, damagedTrainerStatesAreRefusedOrSane) {
  TemporaryFolder folder;
  TrainerState state;
  state.step = 600;
  state.dataPosition = 4800;
  state.trainingExamples = 1800;
  state.numerics = R"({"dp":4,"compute":"fp32"})";
  state.version = "0.1.0";
  const std::string sound = test::asOldTrainerState(printTrainerState(state));
  std::mt19937_64 random(8);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    const std::string path = folder.write("trainer_state.json", test::mutated(sound, random));
    Result<TrainerState> read = readTrainerState(path);
    if (!read) {
      ++refused;
      ASSERT_EQ(read.status().code(), ExitCode::BadInput);
      ASSERT_EQ(read.status().message().rfind(path, 0), 0u) << read.status().message();
      continue;
    }
    ASSERT_GE(read->step, 0);
    ASSERT_GE(read->dataPosition, 0);
    (void)differencesOfRecords(read->numerics, state.numerics);
  }
  EXPECT_GT(refused, 500);
  EXPECT_LT(refused, 1000);
}

} // namespace
} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A damaged hardware file is refused with its name, or describes a machine for which plans can be made.
#include "model/Machine.h"
#include "test/support/Folders.h"
#include "test/support/Mutate.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

using namespace windlass;

namespace {

TEST(MachineFuzz, damagedFilesAreRefusedOrSane) {
  std::ifstream file(WINDLASS_SOURCE_DIR "/examples/gpt2-bytes/machine.json");
  const std::string sound(std::istreambuf_iterator<char>(file), {});
  std::mt19937_64 random(9);
  int refused = 0;
  for (int round = 0; round < 4000; ++round) {
    Result<model::Machine> machine = model::parseMachine(test::mutated(sound, random), "machine.json");
    if (!machine) {
      ++refused;
      ASSERT_EQ(machine.status().code(), ExitCode::BadInput);
      ASSERT_EQ(machine.status().message().rfind("machine.json: ", 0), 0u) << machine.status().message();
      continue;
    }
    ASSERT_GE(machine->ranks(), 1);
    for (plan::Tier tier : {plan::Tier::Device, plan::Tier::Host, plan::Tier::Nvme})
      ASSERT_GE(machine->capacity(tier), 0);
    ASSERT_TRUE(std::isfinite(machine->cgLatency) && machine->cgLatency >= 0);
  }
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 4000);
}

} // namespace

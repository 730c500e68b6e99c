// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The outputs of windlass-run: weights, gradients, and sharded checkpoints.
#include "runtime/base/Safetensors.h"
#include "test/tools/windlass-run/RunTool.h"
#include <fstream>
#include <set>
#include <sys/stat.h>

namespace windlass::test {
namespace {

/// The tensors of a file, as "name [shape]".
std::set<std::string> tensorsIn(const std::string &path) {
  Result<SafetensorsReader> file = SafetensorsReader::open(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  std::set<std::string> names;
  if (file)
    for (const auto &[name, entry] : file->tensors())
      names.insert(name + " " + formatShape(entry.shape));
  return names;
}

TEST_F(RunTool, givesWeightsAndGradientsUnderTheirNames) {
  const ToolRun trained =
      run("the.plan --data synthetic --steps 2 --export w.safetensors --dump-gradients g.safetensors");
  ASSERT_EQ(trained.code, 0) << trained.error;
  EXPECT_NE(trained.out.find("exported"), std::string::npos) << trained.out;
  const std::string model = readText(job() + "/out/checkpoints/step-00000002/model.safetensors");
  EXPECT_TRUE(readText(job() + "/w.safetensors") == model);
  EXPECT_EQ(tensorsIn(job() + "/g.safetensors"), tensorsIn(job() + "/w.safetensors"));
  EXPECT_TRUE(tensorsIn(job() + "/g.safetensors").contains("transformer.h.0.mlp.c_fc.weight [64, 256]"));
  const std::string first = readText(job() + "/g.safetensors");
  ASSERT_EQ(run("the.plan --data synthetic --steps 3 --out fresh --dump-gradients again.safetensors").code,
            0);
  EXPECT_TRUE(readText(job() + "/again.safetensors") == first)
      << "the gradients are not those of the first step";
  ASSERT_EQ(run("the.plan --data synthetic --steps 3 --dump-gradients third.safetensors").code, 0);
  EXPECT_FALSE(readText(job() + "/third.safetensors") == first);
}

TEST_F(RunTool, aShardedCheckpointGoesOnAndIsExportedAsOneFile) {
  ASSERT_EQ(run("the.plan --data synthetic --steps 3 --out usual").code, 0);
  ASSERT_EQ(run("the.plan --data synthetic --steps 2 --checkpoint-format sharded").code, 0);
  EXPECT_EQ(namesIn(job() + "/out/checkpoints/step-00000002"),
            "config.json shard-00001-model-00001-of-00001.safetensors "
            "shard-00001-optimizer-00001-of-00001.safetensors "
            "shard-00002-model-00001-of-00001.safetensors shard-00002-optimizer-00001-of-00001.safetensors "
            "trainer_state.json");
  ASSERT_EQ(run("the.plan --data synthetic --steps 3 --checkpoint-format sharded").code, 0);
  ASSERT_EQ(run("the.plan --export w.safetensors").code, 0);
  EXPECT_TRUE(readText(job() + "/w.safetensors") ==
              readText(job() + "/usual/checkpoints/step-00000003/model.safetensors"));
}

/// The target of a link is replaced, and a pipe stays a pipe: tensors are written to a new file that then
/// replaces the old one.
TEST_F(RunTool, exportsThroughLinksAndNeverOverSpecialFiles) {
  std::filesystem::create_directory(job() + "/far");
  std::ofstream(job() + "/far/w") << "old";
  std::filesystem::create_symlink("far/w", job() + "/link");
  ASSERT_EQ(run("the.plan --data synthetic --steps 1 --export link").code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(job() + "/link"));
  EXPECT_FALSE(tensorsIn(job() + "/far/w").empty());
  ASSERT_EQ(::mkfifo((job() + "/pipe").c_str(), 0600), 0);
  for (const char *flag : {"--export", "--dump-gradients"})
    expectRefusal(run(std::string("the.plan --data synthetic --out never ") + flag + " pipe"), 1,
                  "pipe: not a regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(job() + "/pipe"));
  EXPECT_FALSE(std::filesystem::exists(job() + "/never"));
}

TEST_F(RunTool, refusesOutputsNobodyCanHave) {
  expectRefusal(run("the.plan --data synthetic --export no/such/w.safetensors"), 1, "no/such/w.safetensors");
  expectRefusal(run("the.plan --data synthetic --dump-gradients no/such/g"), 1, "no/such/g");
  EXPECT_EQ(run("the.plan --dump-gradients g --sample x").code, 2);
  EXPECT_EQ(run("the.plan --data synthetic --checkpoint-format pickle").code, 2);
  EXPECT_FALSE(std::filesystem::exists(job() + "/out"));
}

} // namespace
} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-run on a plan whose parameters are cut into tiles: it reads and writes whole tensors.
#include "runtime/base/Safetensors.h"
#include "test/tools/windlass-run/RunTool.h"
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

namespace windlass::test {
namespace {

/// The tensors of a file.
std::map<std::string, std::vector<float>> tensorsOf(const std::string &path) {
  std::map<std::string, std::vector<float>> tensors;
  Result<SafetensorsReader> file = SafetensorsReader::open(path);
  EXPECT_TRUE(file.isOk()) << file.status().message();
  if (!file)
    return tensors;
  for (const auto &[name, entry] : file->tensors()) {
    std::vector<float> &values = tensors[name];
    values.resize(static_cast<size_t>(entry.bytes) / sizeof(float));
    EXPECT_TRUE(file->read(entry, 0, std::as_writable_bytes(std::span(values))).isOk());
  }
  return tensors;
}

class TiledRun : public RunTool {
protected:
  /// Makes `tiled.plan`: the model of `the.plan`, whose matrices have 16 to 64 KiB.
  void SetUp() override {
    nlohmann::json training = nlohmann::json::parse(readText(*shared / "source/training.json"));
    training["tile"] = {{"limit", "16KiB"}, {"activation", "4KiB"}};
    shared->write("source/tiled.json", training.dump());
    const ToolRun compiled =
        runTool(*shared / "source", WINDLASS_COMPILE
                                        " config.json -q --hardware machine.json --training tiled.json -o " +
                                        job() + "/tiled.plan");
    ASSERT_EQ(compiled.code, 0) << compiled.error;
  }
};

TEST_F(TiledRun, goesOnWithoutTilesAndBack) {
  ASSERT_EQ(run("tiled.plan --data synthetic --steps 2").code, 0);
  const ToolRun exported = run("the.plan --export w.safetensors");
  ASSERT_EQ(exported.code, 0) << exported.error;
  EXPECT_TRUE(readText(job() + "/w.safetensors") ==
              readText(job() + "/out/checkpoints/step-00000002/model.safetensors"));
  const ToolRun untiled = run("the.plan --data synthetic --steps 3");
  EXPECT_EQ(untiled.code, 0) << untiled.error;
  EXPECT_NE((untiled.out + untiled.error).find("the numerics record differs from the checkpoint's"),
            std::string::npos)
      << untiled.error;
  const ToolRun back = run("tiled.plan --data synthetic --steps 4 --checkpoint-format sharded");
  EXPECT_EQ(back.code, 0) << back.error;
  EXPECT_EQ(run("the.plan --data synthetic --steps 5").code, 0);
  EXPECT_EQ(checkpoints().back(), 5);
}

/// Sums over tiles have another order: gradients agree to five digits of the largest gradient of a tensor.
TEST_F(TiledRun, givesGradientsOfWholeTensors) {
  for (const std::string plan : {"the", "tiled"})
    ASSERT_EQ(run(plan + ".plan --data synthetic --steps 1 --out " + plan + " --dump-gradients " + plan +
                  ".safetensors")
                  .code,
              0);
  const auto whole = tensorsOf(job() + "/the.safetensors"), tiled = tensorsOf(job() + "/tiled.safetensors");
  ASSERT_EQ(whole.size(), tiled.size());
  for (const auto &[name, values] : whole) {
    ASSERT_TRUE(tiled.contains(name)) << name;
    const std::vector<float> &others = tiled.at(name);
    ASSERT_EQ(values.size(), others.size()) << name;
    float largest = 0, difference = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      largest = std::max(largest, std::abs(values[i]));
      difference = std::max(difference, std::abs(values[i] - others[i]));
    }
    EXPECT_GT(largest, 0) << name;
    EXPECT_LE(difference, 1e-5F * largest) << name;
  }
}

} // namespace
} // namespace windlass::test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// windlass-probe times the kernels of a plan from the real compiler.
#include "test/support/Folders.h"
#include "test/tools/windlass-probe/ToolProbe.h"
#include <nlohmann/json.hpp>
#include <set>

namespace windlass::test {
namespace {

/// The plan has two ranks, kernels on the device, and updates of states that rest on the host.
TEST_F(ToolProbe, eachKernelOfAPlanForAGpuIsTimed) {
  nlohmann::json model = nlohmann::json::parse(readText(WINDLASS_SOURCE_DIR "/examples/mlp/model.json"));
  model["dims"].update({{"H", 16}, {"L", 1}});
  folder.write("model.json", model.dump());
  folder.write("training.json",
               R"({"format": "windlass.training/1", "micro_batch": 2, "parallel": {"data": 2},
    "zero_stage": 3, "placement": {"moments": "host"}, "matmul_workspace": "64KiB", "optimizer": {"learning_rate": 1e-3}})");
  const ToolRun compiled = runTool(folder.path, WINDLASS_COMPILE
                                   " model.json -q --training training.json --hardware machine.json -o plan");
  ASSERT_EQ(compiled.code, 0) << compiled.error;
  const ToolRun run = probe("WINDLASS_SIM_POLICY=0", WINDLASS_SIM_FOLDER, "--plan plan --nvme-folder .");
  ASSERT_EQ(run.code, 0) << run.error;
  const nlohmann::json plan = nlohmann::json::parse(readText(folder / "plan/plan.json"));
  const model::Machine machine = measured();
  std::set<std::string> trained, timed;
  for (const auto &section : plan["programs"][0]["sections"])
    if (section["name"] != "evaluate")
      for (const auto &instruction : section["instructions"])
        if (instruction["op"] == "launch")
          trained.insert(plan["kernels"][instruction["kernel"].get<size_t>()]["symbol"]);
  for (const auto &[kernel, seconds] : machine.kernels) {
    timed.insert(kernel);
    EXPECT_GT(seconds, 0) << kernel;
  }
  EXPECT_EQ(timed, trained);
}

} // namespace
} // namespace windlass::test

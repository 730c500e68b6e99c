// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ToolProbe.h - runs windlass-probe in a shell ==========================//
//
// Duty: runs the real tool for a machine with a GPU. The tool loads the simulated driver and libraries in
// place of NVIDIA's.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "model/Machine.h"
#include "test/runtime/training/TemporaryFolder.h"
#include "test/support/ToolRun.h"
#include <gtest/gtest.h>
#include <string>

namespace windlass::test {

inline constexpr const char *kProbedMachine =
    R"({"format": "windlass.hardware/1", "backend": "cuda", "ranks": 2,
  "device": {"capacity": "12MiB", "flops": {"f32": 1e11}, "bandwidth": 2e10},
  "host": {"capacity": "32MiB", "bandwidth": 2e10},
  "nvme": {"capacity": "8MiB", "read": 1e9, "write": 1e9},
  "links": {"cg": {"in": 1e10, "out": 1e10}, "gg": {"bandwidth": 1e10}}})";

class ToolProbe : public testing::Test {
protected:
  ToolProbe() { folder.write("machine.json", kProbedMachine); }

  /// `libraries`: the folder of the libraries that the tool finds.
  ToolRun probe(const std::string &environment = "", const std::string &libraries = WINDLASS_SIM_FOLDER,
                const std::string &disk = "--nvme-folder .") {
    return runTool(folder.path, "LD_LIBRARY_PATH=" + libraries + " WINDLASS_SIM_REPORT=report " +
                                    environment +
                                    " " WINDLASS_PROBE " --quick --device-timeout 2 --onto machine.json " +
                                    disk + " -o probed.json");
  }
  model::Machine measured() {
    Result<model::Machine> machine = model::readMachine(folder / "probed.json");
    EXPECT_TRUE(machine) << machine.status().message();
    return machine ? machine.take() : model::Machine();
  }

  TemporaryFolder folder;
};

} // namespace windlass::test

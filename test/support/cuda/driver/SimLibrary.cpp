// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The simulated driver as a shared library, which a program loads in place of NVIDIA's. Its devices execute
// PTX from the moment of loading to the end of the process. The environment has the settings:
//   WINDLASS_SIM_POLICY   the number of a policy (SimTimeline.h); 0 by default
//   WINDLASS_SIM_SEED     the seed of the policy and of the warps
//   WINDLASS_SIM_FAULT    a fault that strikes, and its occasion (SimFaults.def): "launch-failed:12"
//   WINDLASS_SIM_DEVICES  the number of GPUs; 1 by default
//   CUDA_VISIBLE_DEVICES  as for NVIDIA's driver: there are at most as many GPUs as it lists
//   WINDLASS_SIM_REPORT   the file for the number of launches, the violations and what was left behind. The
//                         number of the process is appended to the name if RANK or mpirun's variable has it.
//                         The file is also written when a context is released, or a group of NCCL aborted,
//                         since not every process reaches its end
#include "test/support/cuda/SimPtxCode.h"
#include "test/support/cuda/driver/SimDriver.h"
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string_view>

namespace {

using namespace windlass::test;

uint64_t numberFrom(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : 0;
}

SimOptions optionsFromEnvironment() {
  SimOptions options;
  options.policy = kSimPolicies[numberFrom("WINDLASS_SIM_POLICY") % std::size(kSimPolicies)];
  options.seed = numberFrom("WINDLASS_SIM_SEED");
  options.loader = ptxLoader(options.seed);
  options.devices = static_cast<int>(std::max<uint64_t>(1, numberFrom("WINDLASS_SIM_DEVICES")));
  if (const char *shown = std::getenv("CUDA_VISIBLE_DEVICES"))
    options.devices =
        std::min(options.devices, 1 + static_cast<int>(std::ranges::count(std::string_view(shown), ',')));
  if (const char *text = std::getenv("WINDLASS_SIM_FAULT")) {
    const std::optional<SimFault> fault = SimFault::fromText(text);
    if (!fault)
      std::abort(); // the test names a fault that does not exist
    options.faults.push_back(*fault);
  }
  return options;
}

struct Session {
  SimDriver sim;

  Session() : sim(options()) {}

  ~Session() { writeReport(); }

  SimOptions options() const {
    SimOptions options = optionsFromEnvironment();
    options.whenAborted = [this] { writeReport(); };
    return options;
  }

  void writeReport() const {
    const char *file = std::getenv("WINDLASS_SIM_REPORT");
    if (!file)
      return;
    const char *process = std::getenv("RANK");
    if (!process)
      process = std::getenv("OMPI_COMM_WORLD_RANK");
    static std::mutex writing;
    const std::scoped_lock lock(writing);
    std::ofstream report(std::string(file) + (process ? process : ""));
    if (const int64_t aborts = sim.counts().aborts)
      report << aborts << " groups of NCCL's aborted\n";
    report << sim.counts().launches << " launches\n";
    for (const SimViolation &each : sim.violations())
      report << nameOf(each.rule) << ": " << each.what << "\n";
    report << "left behind: " << sim.leftovers() << "\n";
  }
};

const Session session;

windlass::cuda::CuResult releaseAndReport(windlass::cuda::CuDevice device) {
  const windlass::cuda::CuResult result = SimDriver::table().releaseContext(device);
  session.writeReport();
  return result;
}

const windlass::cuda::Driver &table() {
  static const windlass::cuda::Driver functions = [] {
    windlass::cuda::Driver all = SimDriver::table();
    all.releaseContext = releaseAndReport;
    return all;
  }();
  return functions;
}

} // namespace

/// The device on which NVIDIA's simulated libraries work.
extern "C" SimDevice *windlass_sim_device() { return simDevice(); }

// An exported symbol is the function that its resolver returns when the symbol is looked up, so that
// parameters need no names.
extern "C" {
using Function = void (*)();
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  Function resolve_##Base() { return reinterpret_cast<Function>(table().Member); }
#include "runtime/cuda/Driver.def"
#define WINDLASS_DRIVER_CALL(Member, Base, Suffix, Since, Parameters)                                        \
  __attribute__((ifunc("resolve_" #Base))) void Base##Suffix();
#include "runtime/cuda/Driver.def"
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-probe/PlanKernels.h"

#include "runtime/base/Random.h"
#include "runtime/executor/Executor.h"
#include "runtime/plan/Device.h"
#include "runtime/plan/Layout.h"
#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <numeric>

namespace windlass {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kFewestSteps = 3;

/// A host that feeds zeros, but random tokens and labels: zeros would all look up one row, and add their
/// gradients to it.
class PlainHost final : public StepHost {
public:
  explicit PlainHost(const plan::Plan &plan) {
    for (const plan::Input &input : plan.inputs) {
      if (input.type != plan::ElementType::I32 || input.bound <= 0)
        continue;
      const RandomStream random(/*seed=*/1, /*step=*/0, streamOf(input.name));
      std::vector<int32_t> &words = inputs[input.name];
      words.resize(static_cast<size_t>(
          std::accumulate(input.shape.begin(), input.shape.end(), int64_t{1}, std::multiplies<>())));
      for (size_t i = 0; i < words.size(); ++i)
        words[i] = static_cast<int32_t>(random.below(i, static_cast<uint32_t>(input.bound)));
    }
  }

  Status feed(const ItemRequest &request, std::span<std::byte> bytes) override {
    std::ranges::fill(bytes, std::byte{0});
    if (const auto found = inputs.find(request.item); found != inputs.end()) {
      const auto words = std::as_bytes(std::span(found->second));
      std::ranges::copy(words.first(std::min(words.size(), bytes.size())), bytes.begin());
    }
    return Status::ok();
  }
  Status report(const ItemRequest &, std::span<const std::byte>) override { return Status::ok(); }

private:
  std::map<std::string, std::vector<int32_t>, std::less<>> inputs;
};

class KernelTimer {
public:
  KernelTimer(const plan::Plan &plan, int64_t cores)
      : plan(plan),
        on{plan.ranks(), plan.training.threadsPerRank, cores, !plan::findDevice(plan.backend)->hasOwnCode()},
        perLaunch(plan.kernels.size()), launches(plan.kernels.size()) {}

  /// Adds the times of the kernels in a step.
  void add(std::span<const TraceEvent> step) {
    std::vector<double> work(plan.kernels.size());
    std::ranges::fill(launches, 0);
    for (const TraceEvent &event : step) {
      const plan::Program &program = programOf(event);
      const plan::Instruction &instruction = program.sections[event.section].instructions[event.instruction];
      if (instruction.op != plan::Opcode::Launch || !plan::executes(plan, program, instruction, event.rank))
        continue;
      const auto kernel = static_cast<size_t>(instruction.kernel);
      work[kernel] += occupied(event, instruction.lane);
      launches[kernel] += partOf(instruction);
    }
    for (size_t kernel = 0; kernel < work.size(); ++kernel)
      if (launches[kernel] > 0)
        perLaunch[kernel].push_back(work[kernel] / launches[kernel]);
  }

  std::vector<KernelTime> medians() {
    std::vector<KernelTime> times;
    for (size_t kernel = 0; kernel < perLaunch.size(); ++kernel)
      if (!perLaunch[kernel].empty())
        times.push_back({&plan.kernels[kernel], launches[kernel] / static_cast<double>(plan.ranks()),
                         medianOf(perLaunch[kernel])});
    return times;
  }

private:
  /// The seconds of a launch. On a device with its own code: from the end of the work before it.
  double occupied(const TraceEvent &launch, plan::Lane lane) const {
    const double elapsed = launch.end - launch.start;
    return !on.areDevices && lane == plan::Lane::Compute ? elapsed
                                                         : secondsOfLaunch(on, elapsed, launch.work);
  }

  const plan::Program &programOf(const TraceEvent &event) const {
    return *std::ranges::find_if(plan.programs,
                                 [&](const plan::Program &one) { return one.serves(event.rank); });
  }

  double partOf(const plan::Instruction &launch) const {
    const int64_t extent = plan.kernels[static_cast<size_t>(launch.kernel)].extent;
    return static_cast<double>(launch.end - launch.begin) / static_cast<double>(std::max<int64_t>(1, extent));
  }

  static double medianOf(std::vector<double> &values) {
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    return *middle;
  }

  const plan::Plan &plan;
  LaunchCores on;
  std::vector<std::vector<double>> perLaunch; ///< by kernel and step
  std::vector<double> launches;               ///< by kernel: of the last step, all ranks together
};

} // namespace

double secondsOfLaunch(const LaunchCores &on, double elapsed, double work) {
  const double threads = static_cast<double>(on.threadsPerRank),
               share = static_cast<double>(on.cores) / static_cast<double>(on.ranks);
  const double ofACore = threads <= share ? elapsed * threads : work;
  return on.areDevices ? ofACore : ofACore / std::min(threads, share);
}

Result<std::vector<KernelTime>> timeKernels(const plan::Plan &plan, const PlanSteps &steps) {
  ExecutorOptions options;
  options.kernelsFolder = steps.kernelsFolder;
  options.scratchFolder = steps.scratchFolder;
  options.deviceSeconds = steps.deviceSeconds;
  options.recordTrace = options.recordWork = true;
  Result<std::unique_ptr<Executor>> executor = Executor::create(plan, options);
  if (!executor)
    return executor.status();
  PlainHost host(plan);
  WINDLASS_TRY((*executor)->run(plan::Purpose::Train, host)); // touches memory, wakes the cores
  KernelTimer timer(plan, steps.cores);
  const Clock::time_point end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                                   std::chrono::duration<double>(steps.seconds));
  for (size_t step = 0; step < kFewestSteps || Clock::now() < end; ++step) {
    WINDLASS_TRY((*executor)->run(plan::Purpose::Train, host));
    timer.add((*executor)->trace());
  }
  return timer.medians();
}

} // namespace windlass

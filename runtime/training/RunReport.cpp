// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/RunReport.h"

#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include "runtime/training/report/TraceFile.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace windlass {
namespace {

std::string row(const std::string &title, const std::string &text) {
  std::string line = "  " + title;
  line.resize(std::max<size_t>(line.size() + 2, 24), ' ');
  return line + text + "\n";
}

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string fourDigits(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4f", value);
  return buffer;
}

std::string describeValidation(const std::optional<ValidationRecord> &validation) {
  if (!validation)
    return "";
  return ", validation " + (validation->hasLabels ? fourDigits(validation->loss) : "-");
}

std::string memoryRows(const MemoryUse &memory) {
  std::string text;
  for (const TierUse &use : memory.tiers)
    if (use.planned > 0)
      text += row("memory " + std::string(plan::textOf(use.tier)),
                  formatBytes(use.planned) + " planned, " +
                      (use.isMeasured                 ? formatBytes(use.measured) + " touched"
                       : use.tier == plan::Tier::Nvme ? "reserved on the disk"
                                                      : "reserved there"));
  return text + row("memory at the peak", formatBytes(memory.peakResident) + " resident, everything counted");
}

std::string timeRows(const plan::Plan &plan, const RunSummary &summary) {
  if (summary.stepSeconds.empty())
    return "";
  std::string text = row("step time", formatSeconds(plan.prediction.stepSeconds) + " predicted" +
                                          (plan.prediction.declaredRates ? " (from declared rates)" : "") +
                                          ", " + formatSeconds(median(summary.stepSeconds)) + " measured (" +
                                          (summary.paced ? "paced, " : "") + "median of " +
                                          formatCount(std::ssize(summary.stepSeconds)) + ")");
  if (const HiddenShare hidden = hiddenTransfers(plan, summary.trace); hidden.transferSeconds > 0)
    text += row("transfers hidden", percent(hidden.share) + " of " + formatSeconds(hidden.transferSeconds) +
                                        " in the last step ran under computation");
  if (summary.nvmeBytesWritten > 0)
    text += row("written to NVMe", formatBytes(summary.nvmeBytesWritten / std::ssize(summary.stepSeconds)) +
                                       " a step, " + formatBytes(summary.nvmeBytesWritten) + " in this run");
  return text;
}

} // namespace

double median(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string describeStart(const plan::Plan &plan, const RunPlaces &places, const TrainerState &start,
                          int64_t steps) {
  std::string text = row("model", plan.model + ", " + counted(plan.parameters, "parameter"));
  text += row("ranks", std::to_string(plan.ranks()) + ", a global batch of " +
                           formatCount(plan.training.globalBatch) + " in " +
                           counted(plan.training.microBatches, "micro-batch"));
  if (!places.processes.empty())
    text += row("processes", places.processes) + row("writes to", places.out);
  text += row("data", places.data);
  if (places.checkpoint.empty() && !plan.weights.empty())
    text += row(
        "weights",
        plan.weights.front().path +
            (plan.weights.size() > 1 ? " and " + counted(std::ssize(plan.weights) - 1, "more file") : ""));
  text += row("begins", places.checkpoint.empty()
                            ? "at step 0, seed " + std::to_string(start.seed)
                            : "after step " + formatCount(start.step) + ", from " + places.checkpoint);
  return text + row("runs until", "step " + formatCount(steps));
}

std::string describeRun(const plan::Plan &plan, const MemoryUse &memory, const RunSummary &summary) {
  std::string text;
  if (!summary.stepSeconds.empty()) {
    text += row("steps",
                formatCount(summary.firstStep + 1) + " to " + formatCount(summary.lastStep) +
                    (summary.stoppedBy ? ", stopped by " + std::string(strsignal(summary.stoppedBy)) : ""));
    if (summary.skippedSteps > 0)
      text += row("skipped", counted(summary.skippedSteps, "step") + ", whose gradients overflowed");
    text += row("loss", fourDigits(summary.loss) + describeValidation(summary.validation));
  }
  text += memoryRows(memory) + timeRows(plan, summary);
  if (!summary.checkpoint.empty())
    text += row("checkpoint", summary.checkpoint);
  return text;
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/report/Progress.h"

#include "runtime/base/Output.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Enums.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <sys/ioctl.h>
#include <unistd.h>

namespace windlass {
namespace {

/// A line in a fixed buffer; what does not fit is cut.
class Line {
public:
  __attribute__((format(printf, 2, 3))) void add(const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int wanted = std::vsnprintf(text.data() + length, text.size() - length, format, values);
    va_end(values);
    length = std::min(text.size() - 1, length + static_cast<size_t>(std::max(0, wanted)));
  }
  const char *c_str() const { return text.data(); }

private:
  std::array<char, 512> text = {};
  size_t length = 0;
};

void addTimeLeft(Line &line, double seconds) {
  const int64_t whole = std::llround(seconds);
  if (whole >= 3600)
    line.add(" | left %lldh%02lldm", static_cast<long long>(whole / 3600),
             static_cast<long long>(whole / 60 % 60));
  else
    line.add(" | left %lldm%02llds", static_cast<long long>(whole / 60), static_cast<long long>(whole % 60));
}

int terminalColumns() {
  struct winsize size = {};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

} // namespace

Progress::Progress(const plan::Plan &plan, Options options, int64_t lastStep)
    : options(options), lastStep(lastStep), terminal(isatty(STDOUT_FILENO) == 1),
      rateUnit(plan.training.sequence > 0 ? "tok/s" : "examples/s") {
  std::map<plan::Tier, int64_t> bytes;
  for (const plan::Program &program : plan.programs)
    for (const plan::Arena &arena : program.arenas)
      bytes[arena.tier] += arena.bytes * program.ranks;
  for (const auto &[tier, sum] : bytes)
    if (sum > 0)
      memory += (memory.empty() ? "mem " : " + ") + formatBytes(sum) + " " + std::string(plan::textOf(tier));
}

Progress::~Progress() { closeLine(); }

void Progress::closeLine() {
  if (openLine)
    std::fputc('\n', stdout);
  openLine = false;
  std::fflush(stdout);
}

void Progress::note(const std::string &text) {
  closeLine();
  printMessage("note", text);
}

Status Progress::show(const StepRecord &record) {
  meanSeconds = meanSeconds == 0 ? record.seconds : 0.9 * meanSeconds + 0.1 * record.seconds;
  if (record.validation)
    validation = record.validation;
  const bool last = record.step == lastStep;
  // Whoever looks at a curve wants to know of every step that it lacks.
  const bool due = terminal || last || record.skipped || record.step % options.every == 0;
  if (options.quiet || !due)
    return Status::ok();
  Line line;
  line.add("step %lld/%lld | loss %.4f", static_cast<long long>(record.step),
           static_cast<long long>(lastStep), record.loss);
  if (validation && validation->hasLabels)
    line.add(" | val %.4f", validation->loss);
  else if (validation)
    line.add(" | val -");
  if (!std::isnan(record.gradientNorm))
    line.add(" | grad_norm %.2f", record.gradientNorm);
  if (!std::isnan(record.lossScale))
    line.add(" | scale %g%s", record.lossScale, record.skipped ? " overflowed, skipped" : "");
  line.add(" | lr %.1e | %.1f ms | %.0f %s", record.learningRate, record.seconds * 1e3,
           record.tokensPerSecond, rateUnit);
  if (record.nvmeBytesWritten > 0)
    line.add(" | nvme %.1f MiB written", static_cast<double>(record.nvmeBytesWritten) / (1 << 20));
  if (!memory.empty())
    line.add(" | %s", memory.c_str());
  addTimeLeft(line, meanSeconds * static_cast<double>(lastStep - record.step));
  if (terminal) // cut to the screen: a wrapped line could not be rewritten
    std::printf("\r%.*s\033[K", terminalColumns() - 1, line.c_str());
  else
    std::printf("%s\n", line.c_str());
  openLine = terminal;
  const bool isLost = std::fflush(stdout) != 0;
  return isLost && !isOutputRead() ? Status::runFailed("standard output: its reader has left") : Status::ok();
}

} // namespace windlass

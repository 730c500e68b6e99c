// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PipelineWords.h"

#include "model/StepOfPlan.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Units.h"
#include "runtime/plan/Meetings.h"
#include <algorithm>
#include <vector>

namespace windlass::dump {
namespace {

std::string_view meaningOf(const std::string &schedule) {
  if (schedule == "gpipe")
    return "a stage runs the forward passes of all micro-batches before any backward pass";
  if (schedule == "1f1b")
    return "a stage runs a backward pass as soon as its gradient can be there";
  if (schedule == "interleaved")
    return "a stage has several chunks of layers, and runs a backward pass of one as soon as its gradient "
           "can be there";
  if (schedule == "zb-h1")
    return "a stage runs a backward pass as soon as its gradient can be there, and makes the gradients of "
           "its "
           "weights when nobody waits for what it computes";
  return "";
}

/// The micro-batches in flight, by the slots of buffers. Buffers of messages have one more slot, for the next
/// message.
struct Waiting {
  int64_t microBatches = 1, bytes = 0;

  explicit Waiting(const plan::Program &program) {
    const std::set<size_t> messages = plan::buffersOfMessages(program);
    for (size_t i = 0; i < program.buffers.size(); ++i)
      if (const plan::Buffer &buffer = program.buffers[i]; buffer.slots > 0) {
        microBatches = std::max(microBatches, buffer.slots - (messages.contains(i) ? 1 : 0));
        bytes += buffer.slots * buffer.bytes;
      }
  }
};

std::string heldByStages(const plan::Plan &plan) {
  std::string text;
  for (size_t stage = 0; stage < plan.programs.size(); ++stage) {
    const Waiting waiting(plan.programs[stage]);
    text += (text.empty() ? "stage " : "; stage ") + std::to_string(stage) + " holds " +
            counted(waiting.microBatches, "micro-batch") +
            (waiting.bytes > 0 ? ", " + formatBytes(waiting.bytes) + " in slots" : "");
  }
  return text;
}

/// The seconds that the device of each stage computes in a step, by the rates of the plan's machine; empty
/// without rates.
std::vector<double> computedByStages(const plan::Plan &plan) {
  Result<model::Machine> machine = model::parseMachine(plan.hardware, "the plan's hardware");
  Result<model::TimedStep> step =
      machine ? model::stepOf(plan, model::usedBy(plan, *machine), model::Links::Machine)
              : Result<model::TimedStep>(machine.status());
  std::vector<double> seconds;
  if (!step)
    return seconds;
  for (const model::TimedProgram &stage : step->programs) {
    double &sum = seconds.emplace_back();
    for (const plan::SectionRuns &runs : stage.schedule)
      for (const model::TimedTask &task : stage.sections[runs.section].tasks)
        if (task.lane == plan::Lane::Compute)
          sum += static_cast<double>(runs.times) * task.seconds;
  }
  return seconds;
}

/// "; stage 0 computes 15.2 ms a step, stage 1 14.1 ms: stage 0 sets the pace"
std::string paceOfStages(const plan::Plan &plan) {
  const std::vector<double> seconds = computedByStages(plan);
  if (seconds.empty())
    return "";
  std::string text = "; stage 0 computes " + formatSeconds(seconds.front()) + " a step";
  for (size_t stage = 1; stage < seconds.size(); ++stage)
    text += ", stage " + std::to_string(stage) + " " + formatSeconds(seconds[stage]);
  const auto slowest = std::ranges::max_element(seconds) - seconds.begin();
  return text + ": stage " + std::to_string(slowest) + " sets the pace";
}

} // namespace

std::string pipelineWords(const plan::Plan &plan, const std::string &path,
                          const nlohmann::ordered_json &value) {
  if (path == "pipeline.schedule" && value.is_string())
    return value.dump() + ": " + std::string(meaningOf(value.get<std::string>())) + "\n";
  if (path == "pipeline.lag" && value == "auto")
    return "\"auto\": chunks of layers take turns in an order of their own\n";
  if (path == "pipeline.lag")
    return value.dump() +
           ", by so many micro-batches backward passes stand behind forward passes: " + heldByStages(plan) +
           "\n";
  if (path == "pipeline.chunks")
    return value.dump() + ", so many chunks of layers each stage has: " + heldByStages(plan) + "\n";
  if (path == "pipeline.cut" && value.size() > plan.programs.size())
    return value.dump() +
           ", so many layers each part of the model has, which go round the stages; embeddings count with "
           "the first of them, what stands behind the last with that" +
           paceOfStages(plan) + "\n";
  if (path == "pipeline.cut")
    return value.dump() +
           ", so many layers each stage has; embeddings count with the first of them, what stands behind "
           "the last with that" +
           paceOfStages(plan) + "\n";
  return "";
}

} // namespace windlass::dump

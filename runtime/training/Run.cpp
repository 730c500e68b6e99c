// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/Run.h"

#include "runtime/base/Counted.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/base/Output.h"
#include "runtime/executor/Pace.h"
#include "runtime/launch/HostRoom.h"
#include "runtime/plan/SectionSchedule.h"
#include "runtime/training/EarlierRun.h"
#include "runtime/training/PaceText.h"
#include "runtime/training/RunFiles.h"
#include "runtime/training/RunFolder.h"
#include "runtime/training/RunReport.h"
#include "runtime/training/checkpoint/CheckpointRoom.h"
#include "runtime/training/checkpoint/FetchedCheckpoint.h"
#include "runtime/training/checkpoint/NumericsRecord.h"
#include "runtime/training/checkpoint/Resume.h"
#include "runtime/training/checkpoint/TrainingRecord.h"
#include "runtime/training/report/TraceFile.h"
#include "runtime/training/states/StartingWeights.h"
#include "runtime/training/step/Schedule.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace windlass {
namespace {

/// What every phase of one run shares.
class Run {
public:
  Run(const plan::Plan &plan, const RunOptions &options, JobProcess &job)
      : plan(plan), options(options), job(job), checkpoints(options.outFolder + "/checkpoints"),
        steps(options.steps.value_or(plan.training.steps)), folder(options.outFolder, job) {}
  ~Run() { // these know the executor
    job.setWhereabouts({});
    job.setRelease({});
  }
  Run(const Run &) = delete;
  Run &operator=(const Run &) = delete;

  Status check() const;
  Status openInputs();
  Status agree();
  Status claimFolder();
  Status choose();
  Status begin();
  Status load(const ExecutorFactory &makeExecutor);
  Status openOutputs();
  enum class Notes { Unsaid, Said };
  Status checkOutputs(Notes notes) const;
  Status checkCheckpointRoom(Notes notes) const;
  void dropEmptyFolders() const { folder.dropIfEmpty(); }
  Status train();
  Status exportModel();
  Status sample();
  void print(const std::string &text) const;

private:
  std::string metricsPath() const {
    return options.metricsFile.empty() ? options.outFolder + "/metrics.jsonl" : options.metricsFile;
  }
  int64_t checkpointEvery() const { return options.checkpointEvery.value_or(plan.training.checkpointEvery); }
  int64_t checkpointKeep() const { return options.checkpointKeep.value_or(plan.training.checkpointKeep); }
  Status chooseFirst();
  Status shareStart();
  Status setOldRunAside();
  void note(const std::string &text) const;
  Status fillStates();
  /// Steps up to one that are not known to be skipped: the schedule counts these.
  int64_t updatesUntil(int64_t step) const { return step - start.state.lossScale.skippedSteps; }
  bool onlyReads() const { return options.data.empty() && !options.dryRun; }

  const plan::Plan &plan;
  const RunOptions &options;
  JobProcess &job;
  plan::RankSet ranks; ///< of this process
  CheckpointFolder checkpoints;
  int64_t steps;
  std::unique_ptr<DataSource> data;
  TrainerState fresh; ///< of a run that begins at step 0
  Start start;
  std::optional<StartingWeights> weights; ///< of a fresh run
  RunFolder folder;
  std::vector<PacedLink> pacedLinks;
  Pace pace; ///< outlives the executor that books on it
  std::unique_ptr<Executor> executor;
  std::optional<StateStream> states;
  std::optional<Batches> batches;
  std::optional<MetricsFile> metrics;
};

void Run::print(const std::string &text) const {
  if (!options.quiet && job.isFirst())
    printText(text);
  std::fflush(stdout);
}

void Run::note(const std::string &text) const {
  if (job.isFirst())
    printMessage("note", text);
}

Status Run::check() const {
  if (options.data.empty() && options.sample.prompt.empty() && options.exportFile.empty() && !options.dryRun)
    return {ExitCode::Usage,
            "nothing to do: give --data to train, --sample to see what a checkpoint writes, or "
            "--export to take its weights"};
  if (!options.gradientsFile.empty() && options.data.empty())
    return {ExitCode::Usage, "--dump-gradients needs --data: gradients are those of a step"};
  if (!options.gradientsFile.empty() &&
      std::ranges::all_of(plan.programs, &std::vector<plan::State>::empty, &plan::Program::gradients))
    return Status::badInput(
        "--dump-gradients: the plan does not say where its gradients rest; compile it again");
  WINDLASS_TRY(checkRunFiles(plan, options));
  WINDLASS_TRY(checkSchedule(plan.training));
  return options.sample.prompt.empty() ? Status::ok() : checkSampling(plan, options.sample);
}

Status Run::openInputs() {
  fresh.seed = plan.training.seed;
  fresh.shuffle = plan.training.shuffle;
  Result<std::string> record = effectiveRecord(plan);
  if (!record)
    return record.status();
  fresh.numerics = record.take();
  fresh.training = trainingRecord(plan.training);
  fresh.version = options.version;
  if (!options.data.empty()) {
    Result<std::unique_ptr<DataSource>> opened = openData(options.data, plan, options.tokenType);
    if (!opened)
      return opened.status();
    data = opened.take();
    fresh.trainingExamples = data->training();
    fresh.data = data->description();
    fresh.fingerprint = data->fingerprint();
  }
  if (!options.pace.empty()) {
    Result<std::vector<PacedLink>> links = readPace(options.pace, plan.ranks());
    if (!links)
      return links.status();
    pacedLinks = links.take();
  }
  return Status::ok();
}

/// Which ranks are this process's, and what must be the same in all before they begin.
Status Run::agree() {
  Result<plan::RankSet> taken = job.takeRanks(plan);
  if (!taken)
    return taken.status().in(options.planFolder);
  ranks = *taken;
  if (job.isAlone())
    return Status::ok();
  Result<std::string> hash = hashOfFile(options.planFolder + "/plan.json");
  if (!hash)
    return hash.status();
  const auto number = [](int64_t value) { return std::to_string(value); };
  return job.agree({{"the plan's hash", *hash},
                    {"the numerics record", fresh.numerics},
                    {"the data", fresh.data},
                    {"the data's fingerprint", fresh.fingerprint},
                    {"--out", options.outFolder},
                    {"--steps", number(steps)},
                    {"--checkpoint-every", number(checkpointEvery())},
                    {"--checkpoint-format", number(static_cast<int64_t>(options.checkpointFormat))},
                    {"--no-checkpoint", number(!options.writesCheckpoints)},
                    {"--export", number(!options.exportFile.empty())},
                    {"--dump-gradients", number(!options.gradientsFile.empty())},
                    {"--dry-run", number(options.dryRun)},
                    {"--sample", options.sample.prompt},
                    {"--sample-tokens", number(options.sample.tokens)},
                    {"--temperature", std::to_string(options.sample.temperature)}});
}

/// The first process chooses; the others begin where it does.
Status Run::choose() {
  if (job.isFirst())
    WINDLASS_TRY(chooseFirst());
  WINDLASS_TRY(shareStart());
  return begin();
}

/// In the folder that is this run's alone: what it holds stays as it is from here on.
Status Run::chooseFirst() {
  WINDLASS_TRY(checkpoints.check(data && options.writesCheckpoints && !options.dryRun));
  if (!options.dryRun && folder.isHeld())
    if (const Status mended = checkpoints.mend(); !mended)
      note(mended.message());
  Result<Start> chosen = chooseStart({options.resume, options.seed, options.shuffle, fresh}, checkpoints);
  if (!chosen)
    return chosen.status();
  start = chosen.take();
  for (const std::string &text : start.notes)
    note(text);
  return Status::ok();
}

Status Run::shareStart() {
  if (job.isAlone())
    return Status::ok();
  Result<std::string> told =
      job.tell(Packing().addText(start.checkpoint).addText(printTrainerState(start.state)).take());
  if (!told || job.isFirst())
    return told.status();
  Unpacking unpacking(*told);
  start.checkpoint = unpacking.getText();
  Result<TrainerState> state = parseTrainerState(std::string(unpacking.getText()), start.checkpoint);
  if (!state)
    return state.status();
  start.state = state.take();
  return Status::ok();
}

/// What follows from where the run begins.
Status Run::begin() {
  if (start.checkpoint.empty()) {
    Result<StartingWeights> opened = StartingWeights::open(plan, options.weightsFolder);
    if (!opened)
      return opened.status();
    weights = opened.take();
  } else if (!options.weightsFolder.empty()) {
    note("--weights has no effect: the run goes on from " + start.checkpoint);
  }
  if (data) {
    Result<Batches> cut = Batches::create(plan, *data, start.state.seed, start.state.shuffle);
    if (!cut)
      return cut.status();
    batches = cut.take();
    if (const int64_t left = batches->validationLeftOut();
        left > 0 && plan::serves(plan, plan::Purpose::Evaluate))
      note(counted(left, "example") + " of the " + std::to_string(data->validation()) +
           " that are held out are not evaluated: they fill no batch, and what would fill it up counts in "
           "the loss");
  }
  if (data && start.state.step < steps && isScheduleOver(plan.training, updatesUntil(steps)))
    note("the schedule ends at step " + std::to_string(plan.training.steps) +
         ": later steps have the learning rate 0 and change no parameter; for more steps compile with a "
         "larger \"steps\"");
  if (onlyReads() && start.checkpoint.empty() && options.mustHaveCheckpoint)
    return Status::badInput(
        "--out: no checkpoint in " + options.outFolder + "/checkpoints; with --resume off " +
        (plan.weights.empty() ? "untrained parameters" : "the weights the plan starts from") + " are taken");
  if (!data && start.checkpoint.empty() && !options.dryRun)
    note("no checkpoint in " + options.outFolder + "/checkpoints: what is sampled or exported are " +
         (plan.weights.empty() ? "untrained parameters" : "the weights the plan starts from"));
  print(describeStart(
      plan, {data ? data->description() : "none", start.checkpoint, job.describe(), folder.describe()},
      start.state, steps));
  return Status::ok();
}

Status Run::setOldRunAside() {
  const std::string own = options.metricsFile.empty() ? metricsPath() : "";
  Result<std::vector<std::string>> notes = setEarlierRunAside(checkpoints, start, own);
  if (!notes)
    return notes.status();
  for (const std::string &text : *notes)
    note(text);
  return Status::ok();
}

Status Run::claimFolder() {
  WINDLASS_TRY(folder.claim(onlyReads(), options.resume == "auto"));
  if (!folder.note().empty())
    note(folder.note());
  return Status::ok();
}

/// After everything that can be refused: an earlier run's files are touched only here.
Status Run::openOutputs() {
  if (!job.isFirst()) {
    metrics.emplace(); // and what is one for all is the first process's
    return Status::ok();
  }
  WINDLASS_TRY(checkOutputs(Notes::Said)); // now, not after the last step
  if (!data || start.state.step >= steps)
    return Status::ok();
  WINDLASS_TRY(setOldRunAside());
  Result<MetricsFile> opened = MetricsFile::open(metricsPath(), start.state.step, !pacedLinks.empty(),
                                                 /*followLinks=*/!options.metricsFile.empty());
  if (!opened)
    return asBadInput(opened.status());
  metrics = opened.take();
  return Status::ok();
}

/// What can be seen of the outputs without touching a file.
Status Run::checkOutputs(Notes notes) const {
  for (const std::string &path : {options.exportFile, options.gradientsFile})
    if (!path.empty())
      WINDLASS_TRY(replaceableFile(path).status());
  for (const std::string &path : {options.exportFile, options.gradientsFile, options.traceFile})
    if (!path.empty())
      WINDLASS_TRY(checkWritable(path));
  if (!data)
    return Status::ok();
  WINDLASS_TRY(checkWritable(metricsPath()));
  return checkCheckpointRoom(notes);
}

/// Before memory is taken, which may be minutes, and again after the NVMe tier has its own room on what may
/// be the same disk.
Status Run::checkCheckpointRoom(Notes notes) const {
  std::error_code unknown;
  const std::filesystem::space_info disk = std::filesystem::space(options.outFolder, unknown);
  if (unknown || start.state.step >= steps || !options.writesCheckpoints)
    return Status::ok();
  const std::vector<int64_t> existing = checkpoints.steps();
  const int64_t kept =
      !checkpoints.holds(start.checkpoint)
          ? 0
          : std::ranges::count_if(existing, [&](int64_t step) { return step <= start.state.step; });
  Result<std::string> tight =
      checkRoom(options.outFolder, disk.available, checkpointBytes(plan),
                addedAtOnce({start.state.step, steps, checkpointEvery(), checkpointKeep(), kept}));
  if (tight && !tight->empty() && notes == Notes::Said)
    note(*tight);
  return tight.status();
}

Status Run::load(const ExecutorFactory &makeExecutor) {
  ExecutorOptions wanted = options.executor;
  wanted.ranks = ranks;
  wanted.network = job.network();
  wanted.others = job.others(ranks);
  if (wanted.scratchFolder.empty())
    wanted.scratchFolder = options.outFolder;
  if (wanted.kernelsFolder.empty())
    wanted.kernelsFolder = options.planFolder;
  WINDLASS_TRY(checkHostRoom(job, needOf(plan, ranks, job.isAlone(), wanted.scratchFolder)));
  for (const PacedLink &link : pacedLinks)
    pace.setLink(link.lane, link.bytesPerSecond, link.latencySeconds);
  wanted.pace = pacedLinks.empty() ? nullptr : &pace;
  wanted.recordTrace = true; // the report says how much of the transfers was hidden
  wanted.recordWork = !options.traceFile.empty();
  Result<std::unique_ptr<Executor>> made = makeExecutor(plan, wanted);
  if (!made)
    return made.status();
  executor = made.take();
  for (const std::string &notice : executor->notices())
    note(notice);
  job.setWhereabouts([this] { return executor->whereabouts(); });
  job.setRelease([this](const Status &verdict) { executor->stop(verdict); });
  states.emplace(plan, *executor, job);
  Status filled = fillStates();
  for (std::error_code unreachable; !filled && job.isAlone() && !folder.isHeld() &&
                                    !start.checkpoint.empty() &&
                                    !std::filesystem::exists(start.checkpoint, unreachable);) {
    WINDLASS_TRY(choose()); // the run that writes here has retired it, after newer ones
    filled = fillStates();
  }
  return filled;
}

Status Run::fillStates() {
  if (start.checkpoint.empty())
    return states->writeAll(weights->values(start.state.seed));
  Result<FetchedCheckpoint> fetched = FetchedCheckpoint::fetch(job, start.checkpoint, options.outFolder);
  if (!fetched)
    return fetched.status();
  WINDLASS_TRY(loadCheckpoint(fetched->path(), plan, *states));
  return job.meet(); // nobody reads a copy any more
}

Status Run::train() {
  if (start.state.step >= steps) {
    note((steps == 1 ? "the one step is done" : "all " + counted(steps, "step") + " are done") + "; " +
         (isScheduleOver(plan.training, updatesUntil(start.state.step + 1))
              ? "the learning rate is 0 from here on: compile with a larger \"steps\""
              : std::string("go on with a larger --steps")) +
         ", or start afresh with --resume off");
    return Status::ok();
  }
  const TrainerOptions loop = {steps,
                               plan.training.validationEvery,
                               checkpointEvery(),
                               checkpointKeep(),
                               {options.quiet || !job.isFirst(), options.logEvery},
                               options.checkpointFormat,
                               options.gradientsFile,
                               options.writesCheckpoints};
  if (!pacedLinks.empty())
    print("  paced                 transfers take as long as the given links would\n");
  RunSummary summary;
  {
    Trainer trainer({plan, *executor, *batches, *states, checkpoints, *metrics, job}, start.state, loop);
    WINDLASS_TRY(trainer.run());
    summary = trainer.summary();
    summary.paced = !pacedLinks.empty();
  }
  Result<MemoryUse> memory = gatherMemory(plan, *executor, job);
  if (!memory || !job.isFirst())
    return memory.status();
  std::string report =
      describeRun(plan, *memory, summary) + "  metrics               " + metricsPath() + "\n";
  if (!options.traceFile.empty()) {
    WINDLASS_TRY(writeTrace(options.traceFile, plan, summary.trace));
    report += "  trace                 " + options.traceFile + "\n";
  }
  if (!options.gradientsFile.empty())
    report += "  gradients             " +
              (summary.gradientsStep == 0
                   ? "none: every step was skipped"
                   : options.gradientsFile + ", of step " + std::to_string(summary.gradientsStep)) +
              "\n";
  print(report);
  if (!options.gradientsFile.empty() && summary.gradientsStep == 0) // also where nothing else is printed
    printMessage("warning", "--dump-gradients: every step was skipped, so " + options.gradientsFile +
                                " was not written");
  return Status::ok();
}

Status Run::exportModel() {
  WINDLASS_TRY(exportWeights(options.exportFile, plan, *states));
  print("  exported              " + options.exportFile + "\n");
  return Status::ok();
}

Status Run::sample() {
  SampleOptions wanted = options.sample;
  wanted.seed = start.state.seed;
  Result<std::string> text = sampleText(plan, *executor, job, wanted);
  if (!text)
    return text.status();
  const std::string whole = wanted.prompt + *text + "\n";
  if (!job.isFirst())
    return Status::ok();
  // Any byte may come of a model; a file or a pipe takes them as they are.
  const std::string shown = isatty(STDOUT_FILENO) == 1 ? printable(whole) : whole;
  std::fwrite(shown.data(), 1, shown.size(), stdout);
  return Status::ok();
}

} // namespace

Status runPlan(const plan::Plan &plan, const RunOptions &options, const ExecutorFactory &makeExecutor) {
  JobProcess alone;
  return runPlan(plan, options, makeExecutor, alone);
}

Status runPlan(const plan::Plan &plan, const RunOptions &options, const ExecutorFactory &makeExecutor,
               JobProcess &job) {
  Run run(plan, options, job);
  WINDLASS_TRY(run.check());
  WINDLASS_TRY(run.openInputs());
  WINDLASS_TRY(run.agree());
  Status ready = run.claimFolder();
  if (ready.isOk())
    ready = run.choose();
  if (ready.isOk() && job.isFirst())
    ready = run.checkOutputs(Run::Notes::Unsaid);
  if (ready.isOk())
    ready = run.load(makeExecutor);
  if (ready.isOk())
    ready = job.meet(); // nobody begins before all are ready
  if (ready.isOk())
    ready = options.dryRun ? run.checkOutputs(Run::Notes::Said) : run.openOutputs();
  if (!ready.isOk() || options.dryRun)
    run.dropEmptyFolders();
  WINDLASS_TRY(ready);
  if (options.dryRun) {
    run.print("  dry run               everything is ready for the first step; nothing was written\n");
    return Status::ok();
  }
  if (!options.data.empty())
    WINDLASS_TRY(run.train());
  if (!options.exportFile.empty())
    WINDLASS_TRY(run.exportModel());
  return options.sample.prompt.empty() ? Status::ok() : run.sample();
}

} // namespace windlass

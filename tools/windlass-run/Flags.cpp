// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/windlass-run/Flags.h"

#include "tools/command-line/Numbers.h"
#include "tools/command-line/Parse.h"
#include "tools/command-line/Version.h"
#include "tools/command-line/Words.h"

#include <map>

namespace windlass {
namespace {

constexpr int64_t kMostProcesses = 1024;         // on one machine
constexpr int64_t kMostSteps = INT64_C(1) << 31; // as in a training file

constexpr const char *kAbout =
    R"(Trains from a plan that windlass-compile wrote. Every rank is a set of threads, in this process
or in one of several processes; every byte is stored where the plan puts it.
)";

constexpr const char *kExamples = R"(Examples
  Train on a folder of text, bytes as tokens; metrics and checkpoints go to ./out:
      windlass-run gpt2.plan --data /usr/share/common-licenses
  The first 60 steps only; a second call goes on where the first stopped:
      windlass-run gpt2.plan --data corpus.txt --steps 60
  Start over (the old checkpoints are moved aside), another order of the data:
      windlass-run gpt2.plan --data corpus.txt --resume off --seed 7
  Let the newest checkpoint continue a text:
      windlass-run gpt2.plan --sample "The license" --sample-tokens 300
  Write its weights as one file, for transformers or PyTorch:
      windlass-run gpt2.plan --export model.safetensors
  Check that its checkpoints are, byte for byte, as they were written:
      windlass-run --verify out
  A timeline of the last step, for https://ui.perfetto.dev:
      windlass-run gpt2.plan --data synthetic --steps 5 --trace step.json
  In four processes on this machine, or wherever mpirun puts them (docs/cluster.md):
      windlass-run gpt2.plan --data corpus.txt --ranks 4
      mpirun -np 4 windlass-run gpt2.plan --data corpus.txt
  Run as if the links were those of another machine:
      windlass-run gpt2.plan --data synthetic --pace machine.json
      windlass-run gpt2.plan --data synthetic --pace cg_in=12GB/s+5us,nc_in=3GB/s

Left in --out: metrics.jsonl (one JSON object a step), checkpoints/step-NNNNNNNN/
{config.json, model.safetensors, optimizer.safetensors, trainer_state.json}; sharded ones hold
shard-NNNNN-model-*.safetensors and shard-NNNNN-optimizer-*.safetensors instead.
SIGINT (Ctrl-C), SIGTERM or SIGHUP (a session that ends) ends the step, writes a checkpoint and
leaves; a second SIGINT or SIGTERM leaves at once.

A plan holds compiled code: run only plans that you trust.
Exit codes: 0 done, 1 wrong input, 2 wrong command line, 3 the plan cannot run on
this machine, 4 the run failed (a loss that is not finite, a disk, a lost rank), 70 a bug.)";

/// A default in a help text.
std::string shown(auto number) { return CLI::detail::to_string(number); }

/// Adds a flag that turns `setting` off.
CLI::Option *addOff(CLI::App &app, const std::string &flag, bool &setting, const std::string &help) {
  return app.add_flag_callback(flag, [&setting] { setting = false; }, help);
}

void addTraining(CLI::App &app, RunOptions &options, std::string &shuffle) {
  app.add_option("PLAN", options.planFolder, "folder that windlass-compile wrote; --verify needs none")
      ->type_name("");
  app.add_option(
         "--data", options.data,
         "text (bytes as tokens), .bin of nanoGPT or llm.c, .npy: a file, a folder or a \"pattern*\";\n"
         ".safetensors (a tensor per input), or synthetic[:seed]; without it nothing is trained")
      ->type_name("WHAT");
  app.add_option("--token-type", options.tokenType,
                 "type of tokens in a .bin without a header: u8, u16 (default) or u32")
      ->check(CLI::IsMember({"u8", "u16", "u32"}))
      ->type_name("TYPE");
  app.add_option("--steps", options.steps, "step to reach, counted over all runs; default: the plan's")
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(0, kMostSteps));
  app.add_option("--out", options.outFolder,
                 "folder of metrics and checkpoints; default: " + options.outFolder)
      ->type_name("FOLDER");
  app.add_option("--seed", options.seed, "seed of initial values and data order; default: the plan's")
      ->type_name("N")
      ->transform(wholeNumber<uint64_t>(0));
  app.add_option("--shuffle", shuffle,
                 "whether sequences are drawn in a new order every epoch; default: the plan's")
      ->type_name("on|off")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option("--resume", options.resume,
                 "auto (newest checkpoint in --out), off, or a checkpoint folder; default: " + options.resume)
      ->type_name("auto|off|FOLDER");
  app.add_option(
         "--weights", options.weightsFolder,
         "folder of the files with the first values of a fresh run; default: where they were when the plan\n"
         "was compiled")
      ->type_name("FOLDER");
  app.add_option("--checkpoint-every", options.checkpointEvery,
                 "steps between checkpoints; 0: only at the end; default: the plan's")
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(0, kMostSteps));
  app.add_option("--checkpoint-keep,--keep", options.checkpointKeep,
                 "number of newest checkpoints to keep; 0: all; default: the plan's")
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(0, kMostSteps));
  const std::map<std::string, CheckpointFormat> formats = {{"full", CheckpointFormat::Full},
                                                           {"sharded", CheckpointFormat::Sharded}};
  app.add_option(
         "--checkpoint-format", options.checkpointFormat,
         "full (default): one file; sharded: one per rank, as torch.distributed.checkpoint reads them")
      ->transform(wordOf(formats))
      ->type_name("NAME");
  app.add_flag_callback(
         "--no-checkpoint", [&options] { options.writesCheckpoints = false; },
         "write no checkpoints, not even at the end: for measurements, or if the disk has no room; no run\n"
         "can resume from this one")
      ->excludes("--checkpoint-every")
      ->excludes("--checkpoint-keep")
      ->excludes("--checkpoint-format");
  app.add_option("--export", options.exportFile,
                 "the weights as one .safetensors, after training or, without --data, of a checkpoint")
      ->type_name("FILE");
  app.add_flag(
      "--dry-run", options.dryRun,
      "prepare everything (plan, kernels, memory, disk, data, checkpoint), run no step and leave no\n"
      "files; --data is optional");
}

void addVerifying(CLI::App &app, std::string &folder) {
  app.add_option(
         "--verify", folder,
         "compare the checkpoints in a folder with the hashes that were written with them, and change\n"
         "nothing; the folder is an --out, its checkpoints, or one of them")
      ->type_name("FOLDER");
}

/// Refuses other flags beside --verify, which only checks checkpoints.
void refuseBesideVerify(const CLI::App &app) {
  for (const CLI::Option *option : app.get_options())
    if (option->count() > 0 && option->get_name() != "--verify")
      throw CLI::ExcludesError("--verify", option->get_name());
}

void addSampling(CLI::App &app, RunOptions &options) {
  const std::string group = "Sampling";
  app.add_option("--sample", options.sample.prompt, "text to continue, after training if there is --data")
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--sample-tokens", options.sample.tokens,
                 "number of tokens to add; default: " + shown(options.sample.tokens))
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(1, kMostSteps))
      ->group(group);
  app.add_option("--temperature", options.sample.temperature,
                 "0 always takes the likeliest token; default: " + shown(options.sample.temperature))
      ->type_name("N")
      ->check(realNumber(0, 100))
      ->group(group);
}

void addExecution(CLI::App &app, RunOptions &options) {
  const std::string group = "Execution (changes when and where, never what)";
  const std::map<std::string, bool> executors = {{"concurrent", false}, {"reference", true}};
  const std::map<std::string, NvmeEngine> engines = {
      {"auto", NvmeEngine::Automatic}, {"io_uring", NvmeEngine::IoUring}, {"threads", NvmeEngine::Threads}};
  app.add_option("--executor", options.executor.reference,
                 "concurrent (default), or reference: one instruction after another")
      ->transform(wordOf(executors))
      ->type_name("NAME")
      ->group(group);
  app.add_flag("--check-kernels", options.executor.checkKernels,
               "as reference, and also run each launch of the device on the host: for a run of a few steps,\n"
               "which ends with exit code 4 if the bits differ")
      ->group(group);
  app.add_option("--nvme-folder", options.executor.scratchFolder,
                 "where the NVMe tier keeps its unlinked files; default: --out")
      ->type_name("FOLDER")
      ->group(group);
  app.add_option("--nvme-engine", options.executor.nvmeEngine, "auto (default), io_uring or threads")
      ->transform(wordOf(engines))
      ->type_name("NAME")
      ->group(group);
  addOff(app, "--buffered-nvme", options.executor.directIo, "do not ask for O_DIRECT")->group(group);
  addOff(app, "--unregistered-nvme", options.executor.registerMemory,
         "do not pin the host arenas for io_uring")
      ->group(group);
  addOff(app, "--unbound-ranks", options.executor.bindRanks,
         "let the threads of all ranks run on any core; without it, equal ranks divide the cores of their\n"
         "process, if all of them can get the same number")
      ->group(group);
  app.add_option("--pace", options.pace,
                 "slow links down to these rates: those of a hardware file, or LANE=RATE[+LATENCY],...\n"
                 "(lanes: nc_in, nc_out, cg_in, cg_out, gg, nodes)")
      ->type_name("LINKS")
      ->group(group);
  app.add_option("--device-timeout", options.executor.deviceSeconds,
                 "a GPU that takes longer for one instruction is taken to hang, and the run ends; default: " +
                     shown(options.executor.deviceSeconds))
      ->type_name("SECONDS")
      ->check(realNumber(1, 1e6))
      ->group(group);
  app.add_option("--canary", options.executor.canary,
                 "byte with which every arena is filled first (for tests)")
      ->type_name("BYTE")
      ->transform(wholeNumber(0, 255))
      ->group(group);
}

void addJob(CLI::App &app, ParsedFlags &parsed) {
  const std::string group = "Several processes (mpirun, srun and torchrun start them as well)";
  const std::map<std::string, NetworkKind> networks = {
      {"auto", NetworkKind::Automatic}, {"tcp", NetworkKind::Tcp}, {"mpi", NetworkKind::Mpi}};
  app.add_option(
         "--ranks", parsed.processes,
         "number of processes to start on this machine; the plan's ranks are shared out to them evenly")
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(1, kMostProcesses))
      ->group(group);
  app.add_option(
         "--network", parsed.job.network,
         "what moves bytes between processes: tcp; mpi, which is MPI alone; or auto (default): from memory\n"
         "to memory on one host, and between hosts MPI if mpirun or mpiexec started them, else TCP. Losses\n"
         "and states are the same, to the last bit")
      ->transform(wordOf(networks))
      ->type_name("NAME")
      ->group(group);
  app.add_option(
         "--interface", parsed.job.interface,
         "network interface or address to listen at; default: the one that leads to the first process")
      ->type_name("NAME")
      ->group(group);
  app.add_option("--collective-timeout", parsed.job.collectiveSeconds,
                 "time that a process waits in a collective for another live process; then the job ends;\n"
                 "default: " +
                     shown(parsed.job.collectiveSeconds))
      ->type_name("SECONDS")
      ->check(realNumber(0.1, 1e6))
      ->group(group);
}

void addReporting(CLI::App &app, RunOptions &options) {
  const std::string group = "Reports";
  app.add_option("--metrics", options.metricsFile, "file of the metrics; default: metrics.jsonl in --out")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--trace", options.traceFile, "the last step as Chrome trace events")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--dump-gradients", options.gradientsFile,
                 "the first step's gradients as one .safetensors: the mean over the batch, summed over\n"
                 "micro-batches and ranks, before clipping; in fp16 of the first step that is not skipped")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--log-every", options.logEvery,
                 "steps between printed lines, if stdout is no terminal; default: " + shown(options.logEvery))
      ->type_name("N")
      ->transform(wholeNumber<int64_t>(1, kMostSteps))
      ->group(group);
  app.add_flag("--quiet", options.quiet, "print only errors, notes and the sample")->group(group);
}

} // namespace

ParsedFlags parseFlags(int argc, char **argv) {
  ParsedFlags parsed;
  parsed.options.version = parsed.job.version = version();
  parsed.options.executor.scratchFolder.clear(); // --out, unless given
  parsed.options.executor.bindRanks = true;
  std::string shuffle;
  CLI::App app(kAbout, "windlass-run");
  app.footer(kExamples);
  app.set_version_flag("--version", versionOf("windlass-run"));
  addTraining(app, parsed.options, shuffle);
  addVerifying(app, parsed.verifyFolder);
  addSampling(app, parsed.options);
  addExecution(app, parsed.options);
  addJob(app, parsed);
  addReporting(app, parsed.options);
  const bool &isDry = parsed.options.dryRun;
  const auto settle = [&] {
    if (!parsed.verifyFolder.empty())
      return refuseBesideVerify(app);
    if (parsed.options.planFolder.empty())
      throw CLI::RequiredError("PLAN");
    for (const char *file : {"--metrics", "--trace"})
      if (app.count(file) > 0 && parsed.options.data.empty() && !isDry)
        throw CLI::RequiresError(file, "--data");
  };
  parsed.exitCode = parseCommandLine(app, argc, argv, settle);
  if (parsed.exitCode || !parsed.verifyFolder.empty())
    return parsed;
  if (parsed.options.data.empty() && !isDry)
    warnOfUnread(app,
                 {"--steps", "--token-type", "--shuffle", "--checkpoint-every", "--checkpoint-keep",
                  "--checkpoint-format", "--no-checkpoint", "--log-every"},
                 "without --data");
  if (parsed.options.sample.prompt.empty())
    warnOfUnread(app, {"--sample-tokens", "--temperature"}, "without --sample");
  if (!shuffle.empty())
    parsed.options.shuffle = shuffle == "on";
  parsed.options.mustHaveCheckpoint = app.count("--out") > 0 && parsed.options.resume == "auto";
  return parsed;
}

} // namespace windlass

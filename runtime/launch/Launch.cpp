// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/Launch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <random>

namespace windlass {
namespace {

constexpr int64_t kMostProcesses = 1 << 16;

/// The variables of one launcher.
struct Launcher {
  const char *name, *rank, *size, *localRank, *localSize;
  bool speaksMpi, mergesOutput;
};
constexpr std::array<Launcher, 4> kLaunchers = {{
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE", true, true},
    {"mpiexec", "PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS", true, true},
    {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "", false, true},
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", false, false},
}};

/// What one launcher says.
struct Said {
  const Launcher *launcher;
  int64_t rank, size, localRank, localSize;
};

std::string quoted(const char *variable, const char *value) {
  return std::string(variable) + " is \"" + value + "\"";
}

/// A whole number from `least` to `most`.
Result<int64_t> numberIn(const Environment &environment, const char *variable, int64_t least, int64_t most) {
  const char *text = environment(variable);
  int64_t value = 0;
  const auto [stop, failure] = std::from_chars(text, text + std::strlen(text), value);
  if (failure != std::errc() || *stop != 0 || value < least || value > most)
    return Status::badInput(quoted(variable, text) + ": must be a whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
  return value;
}

/// Nothing where the launcher says nothing. A batch script of Slurm has a SLURM_PROCID, but is no step.
Result<std::optional<Said>> ask(const Launcher &launcher, const Environment &environment) {
  const char *rank = environment(launcher.rank), *size = environment(launcher.size);
  if (!size && (!rank || launcher.rank == std::string_view("SLURM_PROCID")))
    return std::optional<Said>();
  if (!rank || !size)
    return Status::badInput(quoted(rank ? launcher.rank : launcher.size, rank ? rank : size) + ", but " +
                            (rank ? launcher.size : launcher.rank) + " is not set: " + launcher.name +
                            " sets both");
  Result<int64_t> processes = numberIn(environment, launcher.size, 1, kMostProcesses);
  if (!processes)
    return processes.status();
  Result<int64_t> process = numberIn(environment, launcher.rank, 0, *processes - 1);
  if (!process)
    return process.status();
  Said said = {&launcher, *process, *processes, *process, 0};
  if (environment(launcher.localRank)) {
    Result<int64_t> local = numberIn(environment, launcher.localRank, 0, *processes - 1);
    if (!local)
      return local.status();
    said.localRank = *local;
  }
  if (environment(launcher.localSize)) {
    Result<int64_t> local = numberIn(environment, launcher.localSize, said.localRank + 1, *processes);
    if (!local)
      return local.status();
    said.localSize = *local;
  }
  return std::optional(said);
}

Status contradiction(const Environment &environment, const char *one, const char *other) {
  return Status::badInput(quoted(one, environment(one)) + ", but " + quoted(other, environment(other)) +
                          ": unset what is left of another launcher");
}

Status compare(const Environment &environment, const Said &first, const Said &second) {
  if (first.rank != second.rank)
    return contradiction(environment, first.launcher->rank, second.launcher->rank);
  if (first.size != second.size)
    return contradiction(environment, first.launcher->size, second.launcher->size);
  return Status::ok();
}

/// The port itself, or the next one where torchrun's agent listens at that of its variables.
uint16_t besideTheAgent(const Environment &environment, uint16_t port) {
  const char *agentListens = environment("TORCHELASTIC_USE_AGENT_STORE");
  if (!agentListens || std::string_view(agentListens) != "True")
    return port;
  return port == std::numeric_limits<uint16_t>::max() ? port - 1 : port + 1;
}

/// MASTER_ADDR and MASTER_PORT.
Result<std::optional<Endpoint>> meetingOf(const Environment &environment) {
  const char *host = environment("MASTER_ADDR"), *port = environment("MASTER_PORT");
  if (!host && !port)
    return std::optional<Endpoint>();
  if (!host || !port)
    return Status::badInput(std::string(host ? "MASTER_ADDR" : "MASTER_PORT") + " is set, but " +
                            (host ? "MASTER_PORT" : "MASTER_ADDR") + " is not");
  Result<int64_t> number = numberIn(environment, "MASTER_PORT", 1, std::numeric_limits<uint16_t>::max());
  if (!number)
    return number.status();
  return std::optional(Endpoint{host, besideTheAgent(environment, static_cast<uint16_t>(*number))});
}

/// What is said of the job as a whole.
Status addMeeting(const Environment &environment, LaunchPlace &place) {
  Result<std::optional<Endpoint>> meeting = meetingOf(environment);
  if (!meeting)
    return meeting.status();
  place.meeting = *meeting;
  if (const char *token = environment(kTokenVariable))
    place.token = token;
  if (environment(kListeningVariable)) {
    Result<int64_t> number = numberIn(environment, kListeningVariable, 0, std::numeric_limits<int>::max());
    if (!number)
      return number.status();
    place.listening = static_cast<int>(*number);
  }
  if (place.processes == 1 || place.speaksMpi)
    return Status::ok();
  if (!place.meeting)
    return Status::badInput(
        place.launcher + " started " + std::to_string(place.processes) +
        " processes, but MASTER_ADDR and MASTER_PORT do not say where the first one waits "
        "for the others");
  if (place.token.empty())
    return Status::badInput(std::string(kTokenVariable) +
                            " is not set: give all processes of the job the same secret, and no other job");
  return Status::ok();
}

} // namespace

std::string freshToken() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 32; ++i)
    token += "0123456789abcdef"[random() % 16];
  return token;
}

Result<std::optional<LaunchPlace>> readLaunch(const Environment &environment) {
  std::optional<Said> first;
  for (const Launcher &launcher : kLaunchers) {
    if (launcher.name == std::string_view("srun") && first)
      continue;
    Result<std::optional<Said>> said = ask(launcher, environment);
    if (!said)
      return said.status();
    if (*said && first)
      WINDLASS_TRY(compare(environment, *first, **said));
    if (*said && !first)
      first = *said;
  }
  if (!first)
    return std::optional<LaunchPlace>();
  LaunchPlace place;
  place.process = first->rank;
  place.processes = first->size;
  place.localProcess = first->localRank;
  place.localProcesses = first->localSize;
  place.launcher = first->launcher->name;
  place.mergesOutput = first->launcher->mergesOutput;
  place.speaksMpi = first->launcher->speaksMpi;
  WINDLASS_TRY(addMeeting(environment, place));
  return std::optional(place);
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- JobProcess.h - this process among those of its job ====================//
//
// Duty: the view of a run on the other processes of its job, if there are any: which ranks this process runs,
// a network for bytes, exchanges of texts, and a common end. Without other processes every answer is about
// this process alone, and no port is opened.
// Threads: as ControlChannel. Errors: BadInput if launcher, flags or processes contradict each other;
// CannotFit if MPI is asked for and missing; later those of ControlChannel.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/launch/ControlChannel.h"
#include "runtime/launch/HostLinks.h"
#include "runtime/launch/Launch.h"
#include "runtime/plan/RankSet.h"
#include "runtime/transport/OtherProcesses.h"
#include "runtime/transport/mpi/MpiWorld.h"
#include "runtime/transport/tcp/TcpNetwork.h"

namespace windlass {

/// Automatic: MPI between hosts where its launcher started this process, else TCP; and on a host, where the
/// system lets them, processes read each other's memory. Mpi: MPI alone.
enum class NetworkKind : uint8_t { Automatic, Tcp, Mpi };

struct JobOptions {
  NetworkKind network = NetworkKind::Automatic;
  std::string interface = {};                  ///< where it listens; empty: as JobProcess::start chooses
  double collectiveSeconds = kExchangeSeconds; ///< that an exchange waits for processes that live
  std::string version;
};

class JobProcess {
public:
  /// A job of this process alone.
  JobProcess() = default;
  /// Connects to the other processes, if a launcher started several.
  static Result<std::unique_ptr<JobProcess>> start(const JobOptions &options, const Environment &environment);
  /// Opens the network between the processes. All must have the same network; a failure is that of the whole
  /// job.
  Status connect(const JobOptions &options);

  bool isAlone() const { return !channel; }
  /// Whether this process prints, and writes the files of which a job has only one.
  bool isFirst() const { return place.process == 0; }
  int64_t process() const { return place.process; }
  int64_t processes() const { return place.processes; }
  /// "2 processes on 1 host, bytes over TCP; each on 4 processors of its own"; "" alone.
  std::string describe() const;

  /// This process's ranks, as many as every other's. BadInput where they cannot be shared out.
  Result<plan::RankSet> takeRanks(const plan::Plan &plan);
  /// The view of devices on the other processes, each of which has as many ranks. This object must outlive
  /// it.
  OtherProcesses others(const plan::RankSet &mine);
  /// Null alone.
  ByteNetwork *network() const { return bytes.get(); }

  /// What each process passed as `mine`, by process. All processes call it.
  Result<std::vector<std::string>> exchange(std::string mine);
  /// The same in the first process; in the others the texts are empty.
  Result<std::vector<std::string>> gather(std::string mine);
  /// The first process's `text`, in all processes.
  Result<std::string> tell(std::string text);
  /// Waits until all have come here.
  Status meet() { return exchange({}).status(); }
  Status agree(const ControlChannel::Facts &facts) { return channel ? channel->agree(facts) : Status::ok(); }
  std::string nameOf(int64_t process) const { return channel ? channel->nameOf(process) : "this process"; }
  /// The host of a process, as all of the job call it.
  std::string hostOf(int64_t process) const { return channel ? channel->hostOf(process) : hostName(); }
  void setWhereabouts(std::function<std::string()> tell);
  /// If the job fails, another thread calls `release`, besides ending the network. It ends waits for other
  /// processes on other ways, and returns at once. Once another function is set, this one is not called any
  /// more.
  void setRelease(std::function<void(const Status &verdict)> release);

  /// Ends the job for this process, and prints the failure if it is this process that prints it. Returns the
  /// exit code.
  int end(const Status &status);

private:
  Status openMpi();
  Status meetOverMpi(const JobOptions &options);
  Status join(const JobOptions &options);
  Status openTcp(const JobOptions &options);
  Result<std::unique_ptr<TcpNetwork>> makeTcp(const JobOptions &options);
  Result<Door> openDoor(const JobOptions &options) const;
  Status watchHosts(const JobOptions &options);
  Status shareCores();
  Status sayCores(const std::string &mine);
  Result<std::vector<std::vector<int64_t>>> findNear(const std::vector<int64_t> &readable);
  Result<std::string> listeningAddress(const JobOptions &options) const;

  LaunchPlace place;
  Socket listening;
  bool sharesMemory = false;   ///< with other processes of this host
  bool anyShareMemory = false; ///< of the job
  std::string cores;           ///< on which each process runs, for people
  MpiWorld *mpi = nullptr;
  std::unique_ptr<ByteNetwork> bytes;
  HostLinks hosts;                         ///< where the network does not notice that one is out of reach
  std::unique_ptr<ControlChannel> channel; ///< last: its thread aborts `bytes` and asks `hosts`
};

} // namespace windlass

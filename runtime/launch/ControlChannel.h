// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ControlChannel.h - that a job's processes live and agree ============//
//
// Duty: a TCP connection of every process to the first one, and no other library under it. It tells what all
// must know alike before step one, what each reports after a step, and that somebody is gone: every second
// each says that it lives and where it is; five seconds of silence, or a connection that closes before its
// end, is a death. The first failure becomes the verdict of the job, the same for all: whoever waits here is
// released, and a process that has not ended by itself two seconds later is ended from here.
// The first process listens only until all others are there.
// Threads: one of its own; `exchange`, `agree`, `finish` by one other; the rest by any.
// Errors: `join`: RunFailed naming who did not come, BadInput for another version; later: the verdict, with
// the exit code of whoever failed.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "runtime/wire/Door.h"
#include "runtime/wire/FrameLine.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace windlass {

class ControlChannel {
public:
  struct Config {
    int64_t process = 0, processes = 1;
    Endpoint meeting;  ///< where the first process waits
    Socket listening;  ///< of the first process, if it is open already
    std::string token; ///< of the job
    std::string version;
    std::string host = hostName(), machine = bootId(); ///< where this process is
    bool speaksOnEveryHost = false; ///< nobody brings together what processes of other hosts print
    /// Prints the verdict: called once in the first process, in one that has lost the first one, and in the
    /// first one of a host that shows its own output; by the channel's thread, as soon as there is a verdict:
    /// a launcher that notices a death, too, leaves a process a second.
    std::function<void(const Status &)> say;
    size_t mostBytes = FrameLine::kMostBytes - 64; ///< of an exchange, of all processes together
    double joinSeconds = 60, silenceSeconds = 5, graceSeconds = 2;
  };
  /// What is compared by name between processes.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  /// Returns when all processes of the job are connected.
  static Result<std::unique_ptr<ControlChannel>> join(Config config);
  ~ControlChannel();

  /// Brings every process, or the first one alone, what each of them brought, by process. All call it in one
  /// order. Fails with the verdict; RunFailed where it is more than one message holds.
  enum class For { All, First };
  Result<std::vector<std::string>> exchange(std::string mine, For whom = For::All);
  /// BadInput, the same for all, where a process has another value than the first one.
  Status agree(const Facts &mine);

  /// This machine's end of the connection to the others.
  const Endpoint &address() const { return here; }

  /// How a process is called from here on: by its ranks of the plan.
  void setRanksOfEach(int64_t ranks) { ranksOfEach = ranks; }
  /// "rank 1 (host b)"
  std::string nameOf(int64_t process) const;
  /// Processes are on one host where this is the same: its name, with a number where other machines have the
  /// same name ("node#2").
  const std::string &hostOf(int64_t process) const { return members[static_cast<size_t>(process)].host; }

  /// What this process says of where it is; called each second, by the channel's thread; never after another
  /// was set.
  void setWhereabouts(std::function<std::string()> tell);
  /// Called once by the channel's thread, should the job fail, with the verdict: releases whoever waits for
  /// other processes, and returns at once. Never called after another was set.
  void setRelease(std::function<void(const Status &verdict)> release);
  /// Asked each second, by the channel's thread, for a process that this one does not reach any more. The
  /// first process finds out what that means: silent to it as well, that one is lost; else a link is cut.
  void setWatch(std::function<std::optional<int64_t>()> watch);

  /// Ends this process. If `mine` is ok, waits for the other processes; else `mine` becomes the verdict,
  /// unless there is one. Returns the verdict once it is reported.
  Status finish(const Status &mine);

private:
  struct Member {
    std::string host, machine; ///< the machine is known to the first process alone
    int64_t pid = 0;
  };
  /// A process that this process is connected to.
  struct Peer {
    int64_t process = 0;
    FrameLine line;
    double silence = 0; ///< seconds, as far as this process itself was awake
    uint64_t timesHeard = 0;
    std::string whereabouts;
    bool isDone = false;
  };

  /// Process `from` does not reach process `about`.
  struct Complaint {
    int64_t from = 0, about = 0;
    std::optional<uint64_t> timesHeard; ///< of whom it is about, once that was looked at
  };

  explicit ControlChannel(Config config);
  Status meetOthers();
  Status waitForOthers(Door &door);
  void refuseAll(Door &door, const Status &why);
  Status checkThatTheyStay();
  Status meetFirst();
  Result<Peer> welcome(Door::Guest guest);
  void tellHostsApart();
  std::string missing() const;

  void keep();
  void beat();
  void report(const Status &failure);
  void serve(Peer &peer);
  void handle(Peer &peer, const Frame &frame);
  void takePart(int64_t process, uint64_t number, std::string bytes);
  void complain(int64_t from, int64_t about);
  void settleComplaints();
  void noticeDeaths(double awake);
  void decide(const Status &status, bool isOwn);
  void enforce(std::unique_lock<std::mutex> &lock);
  Status named(const Status &failure, int64_t process) const;
  Status lost(const Peer &peer, const std::string &how) const;
  Status cutBetween(const Complaint &complaint) const;
  const Peer *peerOf(int64_t process) const;
  void sendToAll(uint32_t kind, std::string_view bytes);
  bool allDone() const;
  bool isToBeSaidHere() const;
  void sayOnce();
  bool hasUnsent() const;
  void wake() const;

  bool isFirst() const { return config.process == 0; }

  Config config;
  std::atomic<int64_t> ranksOfEach = 0;
  std::vector<Member> members;
  Endpoint here;
  int64_t refused = 0; ///< while others were waited for
  int wakeup = -1;     ///< an eventfd that ends the thread's sleep

  std::mutex hookMutex; ///< while one of these is called
  std::function<std::string()> whereabouts;
  std::function<std::optional<int64_t>()> watch;
  std::function<void(const Status &)> release;

  mutable std::mutex mutex; ///< over all below
  std::condition_variable changed;
  std::vector<std::unique_ptr<Peer>> peers; ///< of the first process all others; of the others the first
  std::map<uint64_t, std::vector<std::optional<std::string>>> parts; ///< of the first process, by number
  std::map<uint64_t, std::vector<std::string>> wholes;
  uint64_t exchanges = 0;
  std::vector<Complaint> complaints; ///< of the first process
  bool hasComplained = false;
  std::string lastWhereabouts; ///< of this process
  std::optional<Status> verdict;
  bool verdictIsOwn = false; ///< found here: nobody else may know it
  Deadline graceEnds;
  bool isSaid = false, mainIsDone = false, goodbye = false, closing = false;

  std::thread keeper; ///< last
};

} // namespace windlass

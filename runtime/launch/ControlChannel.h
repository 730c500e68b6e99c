// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- ControlChannel.h - liveness and agreement of the processes of a job ===//
//
// Duty: a TCP connection from every process to the first one, without another library. Over it processes
// compare what must be equal before the first step, exchange what their ranks report, and notice lost
// processes. Every second each process sends a sign of life, with its whereabouts. A process is lost if
// nothing has come from it for five seconds, or if its connection closes before its end. The first failure
// becomes the verdict of the job, the same in all processes. The verdict releases every call that waits here;
// a process that has not ended two seconds later is ended by its channel.
// The first process listens only until all others are connected.
// Threads: one of its own; `exchange`, `agree`, `finish` by one other; the rest by any.
// Errors: `join`: RunFailed naming the missing processes, BadInput for another version; later: the verdict,
// with the exit code of the process that failed.
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
    Endpoint meeting;  ///< where the first process listens
    Socket listening;  ///< of the first process, if it is open already
    std::string token; ///< of the job
    std::string version;
    std::string host = hostName(), machine = bootId(); ///< where this process is
    bool speaksOnEveryHost = false;                    ///< no launcher merges the output of all hosts
    /// Prints the verdict. Called at most once: in the first process, in a process that found the failure
    /// itself (it may have lost the first process), and, with speaksOnEveryHost, in the first process of each
    /// host. By the channel's thread as soon as there is a verdict, since a launcher that notices a death may
    /// end this process a second later; else by finish().
    std::function<void(const Status &)> say;
    size_t mostBytes = FrameLine::kMostBytes - 64; ///< of an exchange, of all processes together
    double joinSeconds = 60, silenceSeconds = 5, graceSeconds = 2;
  };
  /// Names and values that agree() compares between processes.
  using Facts = std::vector<std::pair<std::string, std::string>>;

  /// Returns when all processes of the job are connected.
  static Result<std::unique_ptr<ControlChannel>> join(Config config);
  ~ControlChannel();

  /// Returns what each process passed as `mine`, by process. With For::First, only the first process gets it,
  /// and the others get empty texts. All processes call this in the same order; it blocks until all have.
  /// Errors: the verdict; RunFailed if a message would be longer than mostBytes.
  enum class For { All, First };
  Result<std::vector<std::string>> exchange(std::string mine, For whom = For::All);
  /// BadInput, the same in all processes, if a process has another value of a fact than the first process.
  Status agree(const Facts &mine);

  /// This machine's end of the connection to the others.
  const Endpoint &address() const { return here; }

  /// Sets the number of the plan's ranks in each process. From then on messages name a process by its ranks.
  void setRanksOfEach(int64_t ranks) { ranksOfEach = ranks; }
  /// "rank 1 (host b)"
  std::string nameOf(int64_t process) const;
  /// The name of the host of a process; with a number if several machines have this name ("node#2"). Two
  /// processes are on one host if it is the same.
  const std::string &hostOf(int64_t process) const { return members[static_cast<size_t>(process)].host; }

  /// `tell` returns the whereabouts of this process. The channel's thread calls it each second. Once another
  /// function is set, this one is not called any more.
  void setWhereabouts(std::function<std::string()> tell);
  /// If the job fails, the channel's thread calls `release` once, with the verdict. It ends all waits for
  /// other processes, and returns at once. Once another function is set, this one is not called any more.
  void setRelease(std::function<void(const Status &verdict)> release);
  /// `watch` returns a process that this process cannot reach any more, if there is one. The channel's thread
  /// calls it each second. The first process decides what it means: a process that is silent to the first
  /// process as well is lost; else the link between the two processes is cut.
  void setWatch(std::function<std::optional<int64_t>()> watch);

  /// Ends this process's part in the job. If `mine` is ok, waits until all other processes have finished;
  /// else `mine` becomes the verdict, unless there is one. Returns the verdict, or ok if there is none.
  Status finish(const Status &mine);

private:
  struct Member {
    std::string host, machine; ///< `machine`: known in the first process alone
    int64_t pid = 0;
  };
  /// A process that this process is connected to.
  struct Peer {
    int64_t process = 0;
    FrameLine line;
    double silence = 0; ///< seconds since its last bytes, without those in which this process slept
    uint64_t timesHeard = 0;
    std::string whereabouts;
    bool isDone = false;
  };

  /// A report of process `from` that it cannot reach process `about`.
  struct Complaint {
    int64_t from = 0, about = 0;
    std::optional<uint64_t> timesHeard; ///< of the peer `about`, when the report was first looked at
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
  int64_t refused = 0; ///< processes, in join()
  int wakeup = -1;     ///< an eventfd that ends the thread's sleep

  std::mutex hookMutex; ///< while one of these is called
  std::function<std::string()> whereabouts;
  std::function<std::optional<int64_t>()> watch;
  std::function<void(const Status &)> release;

  mutable std::mutex mutex; ///< guards all members below
  std::condition_variable changed;
  std::vector<std::unique_ptr<Peer>> peers; ///< of the first process all others; of the others the first
  std::map<uint64_t, std::vector<std::optional<std::string>>> parts; ///< of the first process, by number
  std::map<uint64_t, std::vector<std::string>> wholes;
  uint64_t exchanges = 0;
  std::vector<Complaint> complaints; ///< of the first process
  bool hasComplained = false;
  std::string lastWhereabouts; ///< of this process
  std::optional<Status> verdict;
  bool verdictIsOwn = false; ///< found by this process; others may not know it
  Deadline graceEnds;
  bool isSaid = false, mainIsDone = false, goodbye = false, closing = false;

  std::thread keeper; ///< last
};

} // namespace windlass

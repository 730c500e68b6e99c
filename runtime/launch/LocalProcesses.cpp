// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/LocalProcesses.h"

#include "runtime/launch/Launch.h"
#include "runtime/wire/Socket.h"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace windlass {
namespace {

constexpr double kGraceSeconds = 3;
constexpr std::array kHandedOn = {SIGINT, SIGTERM, SIGHUP};

/// Sets the environment of the process with this number.
void describe(int64_t process, int64_t processes, const Endpoint &meeting, const std::string &token,
              const Socket &listening) {
  const auto set = [](const char *name, const std::string &value) { ::setenv(name, value.c_str(), 1); };
  for (const char *name : {"RANK", "LOCAL_RANK"})
    set(name, std::to_string(process));
  for (const char *name : {"WORLD_SIZE", "LOCAL_WORLD_SIZE"})
    set(name, std::to_string(processes));
  set("MASTER_ADDR", meeting.host);
  set("MASTER_PORT", std::to_string(meeting.port));
  set(kTokenVariable, token);
  ::unsetenv(kListeningVariable);
  if (process == 0) { // which inherits the port that this process has reserved
    set(kListeningVariable, std::to_string(listening.number()));
    ::fcntl(listening.number(), F_SETFD, 0);
  }
}

/// Replaces the new process by the program; returns only if the program cannot be started.
void become(const std::vector<std::string> &arguments, pid_t parent) {
  ::setpgid(0, 0); // signals of a terminal come once, from the parent
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent)
    return;
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  std::vector<char *> list;
  for (const std::string &argument : arguments)
    list.push_back(const_cast<char *>(argument.c_str()));
  list.push_back(nullptr);
  ::execv("/proc/self/exe", list.data());
}

class Children {
public:
  Status start(int64_t processes, const std::vector<std::string> &arguments) {
    Result<Socket> listening = Socket::listenAt({"127.0.0.1", 0});
    if (!listening)
      return listening.status();
    const Endpoint meeting = listening->local();
    const std::string token = freshToken();
    const pid_t parent = ::getpid();
    for (int64_t process = 0; process < processes; ++process) {
      const pid_t child = ::fork();
      if (child == 0) {
        describe(process, processes, meeting, token, *listening);
        become(arguments, parent);
        ::_exit(static_cast<int>(ExitCode::RunFailed));
      }
      if (child < 0) {
        const Status failure =
            Status::runFailed(std::string("--ranks: no process can be started: ") + std::strerror(errno));
        signalAll(SIGKILL);
        return failure;
      }
      running.push_back(child);
    }
    return Status::ok();
  }

  /// Until all have ended; signals of `wanted` are blocked. Those that a signal ended could say nothing.
  Result<int> collect(const sigset_t &wanted) {
    Deadline until = Deadline::max();
    while (!running.empty()) {
      const timespec nap = {0, 100'000'000};
      if (const int signal = ::sigtimedwait(&wanted, nullptr, &nap); signal > 0 && signal != SIGCHLD)
        signalAll(signal);
      reap();
      if (exitCode != 0 && until == Deadline::max())
        until = afterSeconds(kGraceSeconds);
      if (WireClock::now() >= until)
        signalAll(SIGKILL);
    }
    if (oneSpoke)
      return exitCode;
    return Status::runFailed("--ranks: every process was ended by a signal, the first one by \"" +
                             std::string(strsignal(endedBy)) + "\"");
  }

private:
  void signalAll(int signal) const {
    for (pid_t child : running)
      ::kill(child, signal);
  }

  void reap() {
    std::erase_if(running, [this](pid_t child) {
      int status = 0;
      if (::waitpid(child, &status, WNOHANG) != child)
        return false;
      const int code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::RunFailed);
      exitCode = exitCode == 0 ? code : exitCode;
      oneSpoke |= WIFEXITED(status);
      endedBy = endedBy == 0 && WIFSIGNALED(status) ? WTERMSIG(status) : endedBy;
      return true;
    });
  }

  std::vector<pid_t> running;
  int exitCode = 0;
  int endedBy = 0;       ///< the signal that ended the first of those that one ended
  bool oneSpoke = false; ///< ended by itself, after words if by a failure
};

} // namespace

Result<int> runLocalProcesses(int64_t processes, const std::vector<std::string> &arguments) {
  sigset_t wanted;
  ::sigemptyset(&wanted);
  for (int signal : kHandedOn)
    ::sigaddset(&wanted, signal);
  ::sigaddset(&wanted, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &wanted, nullptr);
  Children children;
  WINDLASS_TRY(children.start(processes, arguments));
  return children.collect(wanted);
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command-line/CommandLine.h"
#include "runtime/base/Output.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

namespace windlass {
namespace {

int finishOutput(int exitCode) {
  const bool lostBefore = std::ferror(stdout) != 0, flushed = std::fflush(stdout) == 0;
  const int error = errno; // before another system call changes it
  if ((flushed && !lostBefore) || !isOutputRead())
    return exitCode;
  const int lost = exitCodeOf(
      Status::badInput("standard output: " +
                       std::string(flushed ? "a part of it could not be written" : std::strerror(error))));
  return exitCode == 0 ? lost : exitCode;
}

} // namespace

int runTool(int argc, char **argv, int (*run)(int argc, char **argv)) {
  for (int signal : {SIGPIPE, SIGXFSZ})
    std::signal(signal, SIG_IGN);
  return finishOutput(run(argc, argv));
}

std::function<void(const std::string &)> warnOnce() {
  return [printed = std::make_shared<std::set<std::string>>()](const std::string &text) {
    if (printed->insert(text).second)
      printMessage("warning", text);
  };
}

} // namespace windlass

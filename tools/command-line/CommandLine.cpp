#include "tools/command-line/CommandLine.h"
#include "runtime/base/Status.h"
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace windlass {

int finishOutput(int exitCode) {
  const bool lostBefore = std::ferror(stdout) != 0, flushed = std::fflush(stdout) == 0;
  if (flushed && !lostBefore)
    return exitCode;
  const int lost = reportAndExitCode(
      Status::badInput("standard output: " +
                       std::string(flushed ? "a part of it could not be written" : std::strerror(errno))));
  return exitCode == 0 ? lost : exitCode;
}

} // namespace windlass

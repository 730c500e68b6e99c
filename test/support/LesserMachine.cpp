// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lesser-machine WORD... -- COMMAND ARGUMENT...: runs a command as on a machine that lacks something. The
// word "nobody" gives up root. Every other word names system calls that the kernel then refuses (seccomp).
// The exit code is that of the command, or 125 if this cannot be arranged.
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace {

constexpr int kCannotArrange = 125;
constexpr unsigned kNobody = 65534;

/// Calls of `number` fail with `error` if the low half of argument `argument` passes the comparison `test`
/// with `operand`.
struct Refusal {
  std::string_view word;
  int number, error;
  int argument = -1; ///< -1: for all arguments
  uint16_t test = BPF_JGE;
  uint32_t operand = 0;
};

constexpr std::array<Refusal, 9> kRefusals = {{
    {"no-io_uring", SYS_io_uring_setup, EPERM},
    {"no-registration", SYS_io_uring_register, ENOMEM, 1, BPF_JEQ, 0}, // 0: buffers
    {"no-direct", SYS_fcntl, EINVAL, 2, BPF_JSET, O_DIRECT},
    {"no-room", SYS_fallocate, ENOSPC},
    {"little-room", SYS_fallocate, ENOSPC, 3, BPF_JGE, 1040 * 512},
    {"full-disk", SYS_pwrite64, ENOSPC, 2, BPF_JGE, 1},
    {"broken-disk", SYS_pwrite64, EIO, 2, BPF_JGE, 4096},
    {"no-threads", SYS_clone3, EAGAIN},
    {"no-threads", SYS_clone, EAGAIN},
}};

void refuse(const Refusal &refusal, std::vector<sock_filter> &program) {
  const bool asksArgument = refusal.argument >= 0;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(refusal.number), 0,
                             static_cast<uint8_t>(asksArgument ? 3 : 1)));
  if (asksArgument) {
    const uint32_t at = offsetof(seccomp_data, args) + 8u * static_cast<uint32_t>(refusal.argument);
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at));
    program.push_back(BPF_JUMP(static_cast<uint16_t>(BPF_JMP | refusal.test | BPF_K), refusal.operand, 0, 1));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(refusal.error)));
}

int cannot(const char *what) {
  std::fprintf(stderr, "lesser-machine: cannot %s: %s\n", what, std::strerror(errno));
  return kCannotArrange;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<sock_filter> program;
  bool nobody = false;
  int at = 1;
  for (; at < argc && std::string_view(argv[at]) != "--"; ++at) {
    const size_t before = program.size();
    for (const Refusal &refusal : kRefusals)
      if (refusal.word == argv[at])
        refuse(refusal, program);
    nobody |= std::string_view(argv[at]) == "nobody";
    if (program.size() == before && std::string_view(argv[at]) != "nobody") {
      errno = EINVAL;
      return cannot(argv[at]);
    }
  }
  if (++at >= argc)
    return cannot("find the command");
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const int command = open(argv[at], O_RDONLY | O_CLOEXEC); // the user nobody may not reach its folder
  if (command < 0)
    return cannot("open the command");
  if (nobody && getuid() == 0 && (setgroups(0, nullptr) != 0 || setgid(kNobody) != 0 || setuid(kNobody) != 0))
    return cannot("become nobody");
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    return cannot("refuse system calls");
  fexecve(command, argv + at, environ);
  return cannot("run the command");
}

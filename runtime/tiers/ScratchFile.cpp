// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/tiers/ScratchFile.h"
#include "runtime/base/Units.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <unistd.h>
#include <utility>

namespace windlass {

namespace {

int openNameless(const std::string &folder) {
  int fd = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
    return fd;
  std::string path = folder + "/windlass-XXXXXX";
  fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd >= 0)
    unlink(path.c_str());
  return fd;
}

/// A folder that is not there or not ours to write, rather than a disk that fails.
bool isUsersMistake(int error) {
  return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM || error == EROFS;
}

/// Some file systems accept the flag and refuse the reads, so one read is tried.
bool turnDirect(int fd) {
  int flags = fcntl(fd, F_GETFL);
  if (flags < 0 || fcntl(fd, F_SETFL, flags | O_DIRECT) != 0)
    return false;
  std::unique_ptr<void, void (*)(void *)> block(
      std::aligned_alloc(ScratchFile::kAlignment, ScratchFile::kAlignment), std::free);
  if (pread(fd, block.get(), ScratchFile::kAlignment, 0) == ScratchFile::kAlignment)
    return true;
  fcntl(fd, F_SETFL, flags);
  return false;
}

} // namespace

Result<ScratchFile> ScratchFile::create(const std::string &folder, int64_t bytes, bool direct) {
  ScratchFile file;
  file.bytes = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  file.fd = openNameless(folder);
  if (file.fd < 0)
    return Status(isUsersMistake(errno) ? ExitCode::BadInput : ExitCode::RunFailed,
                  "scratch folder '" + folder + "': no file can be made: " + std::strerror(errno));
  if (int error = file.bytes > 0 ? posix_fallocate(file.fd, 0, file.bytes) : 0)
    return Status::runFailed("scratch folder '" + folder + "': " + formatCount(file.bytes) +
                             " bytes cannot be reserved: " + std::strerror(error));
  file.direct = direct && file.bytes > 0 && turnDirect(file.fd);
  return file;
}

ScratchFile::ScratchFile(ScratchFile &&other) noexcept { *this = std::move(other); }

ScratchFile &ScratchFile::operator=(ScratchFile &&other) noexcept {
  std::swap(fd, other.fd);
  std::swap(bytes, other.bytes);
  std::swap(direct, other.direct);
  return *this;
}

ScratchFile::~ScratchFile() {
  if (fd >= 0)
    close(fd);
}

} // namespace windlass

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/wire/FrameLine.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace windlass {
namespace {

struct Header {
  uint32_t kind = 0, bytes = 0;
};

} // namespace

void FrameLine::put(uint32_t kind, std::string_view bytes) {
  const Header header = {kind, static_cast<uint32_t>(bytes.size())};
  outbox.append(reinterpret_cast<const char *>(&header), sizeof header);
  outbox.append(bytes);
}

void FrameLine::move() {
  if (isBroken())
    return;
  receive();
  send();
}

void FrameLine::receive() {
  std::array<char, 1 << 16> buffer;
  for (;;) {
    const ssize_t got = ::recv(socket.number(), buffer.data(), buffer.size(), 0);
    if (got <= 0) {
      broken |= got == 0 || (errno != EAGAIN && errno != EINTR);
      return;
    }
    inbox.append(buffer.data(), static_cast<size_t>(got));
    heard = true;
  }
}

void FrameLine::send() {
  size_t sent = 0;
  while (sent < outbox.size()) {
    const ssize_t now = ::send(socket.number(), outbox.data() + sent, outbox.size() - sent, MSG_NOSIGNAL);
    if (now <= 0) {
      broken |= now < 0 && errno != EAGAIN && errno != EINTR;
      break;
    }
    sent += static_cast<size_t>(now);
  }
  outbox.erase(0, sent);
}

std::optional<Frame> FrameLine::take() {
  Header header;
  if (inbox.size() - taken < sizeof header) {
    inbox.erase(0, taken);
    taken = 0;
    return std::nullopt;
  }
  std::memcpy(&header, inbox.data() + taken, sizeof header);
  if (header.bytes > kMostBytes) {
    broken = true;
    return std::nullopt;
  }
  if (inbox.size() - taken < sizeof header + header.bytes)
    return std::nullopt;
  Frame frame = {header.kind, inbox.substr(taken + sizeof header, header.bytes)};
  taken += sizeof header + header.bytes;
  return frame;
}

} // namespace windlass

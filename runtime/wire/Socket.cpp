// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/wire/Socket.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <memory>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace windlass {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo *)>;

Status failure(const Endpoint &endpoint, const std::string &what, int error) {
  return Status::runFailed(endpoint.text() + ": " + what + ": " + std::strerror(error));
}

Result<Addresses> resolve(const Endpoint &endpoint, int flags) {
  addrinfo wanted = {}, *found = nullptr;
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = flags | AI_NUMERICSERV;
  const int error =
      getaddrinfo(endpoint.host.c_str(), std::to_string(endpoint.port).c_str(), &wanted, &found);
  if (error != 0)
    return Status::runFailed(endpoint.text() + ": no such host: " + gai_strerror(error));
  return Addresses(found, freeaddrinfo);
}

Socket open(const addrinfo &address) {
  return Socket(::socket(address.ai_family, address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

void sendAtOnce(const Socket &socket) {
  const int on = 1;
  ::setsockopt(socket.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

/// 0, or why there is no connection.
int finishConnecting(const Socket &socket, Deadline deadline) {
  pollfd wait = {socket.number(), POLLOUT, 0};
  if (::poll(&wait, 1, millisecondsUntil(deadline, 5000)) <= 0)
    return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket.number(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

int connectOnce(const Addresses &addresses, Deadline deadline, Socket &connected) {
  int error = EADDRNOTAVAIL;
  for (const addrinfo *address = addresses.get(); address; address = address->ai_next) {
    Socket socket = open(*address);
    error = ::connect(socket.number(), address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS)
      error = finishConnecting(socket, deadline);
    if (error != 0)
      continue;
    sendAtOnce(socket);
    connected = std::move(socket);
    return 0;
  }
  return error;
}

std::string numberOf(const sockaddr *address, socklen_t size) {
  std::array<char, NI_MAXHOST> host = {};
  return ::getnameinfo(address, size, host.data(), host.size(), nullptr, 0, NI_NUMERICHOST) == 0 ? host.data()
                                                                                                 : "";
}

} // namespace

int millisecondsUntil(Deadline deadline, int most) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - WireClock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count() + 1, 0, most));
}

Socket &Socket::operator=(Socket &&other) noexcept {
  std::swap(descriptor, other.descriptor);
  return *this;
}

Socket::~Socket() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Result<Socket> Socket::listenAt(const Endpoint &endpoint) {
  Result<Addresses> addresses = resolve(endpoint, AI_PASSIVE);
  if (!addresses)
    return addresses.status();
  Socket socket = open(**addresses);
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(socket.number(), (*addresses)->ai_addr, (*addresses)->ai_addrlen) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0)
    return failure(endpoint, errno == EADDRINUSE ? "cannot listen, another job may" : "cannot listen", errno);
  return socket;
}

Result<Socket> Socket::connectTo(const Endpoint &endpoint, Deadline deadline) {
  Result<Addresses> addresses = resolve(endpoint, 0);
  if (!addresses)
    return addresses.status();
  for (;;) {
    Socket connected;
    const int error = connectOnce(*addresses, deadline, connected);
    if (error == 0)
      return connected;
    if (WireClock::now() >= deadline)
      return failure(endpoint, "cannot connect", error);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Socket Socket::accept() const {
  Socket accepted(::accept4(descriptor, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (accepted.isOpen())
    sendAtOnce(accepted);
  return accepted;
}

Endpoint Socket::local() const {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  if (::getsockname(descriptor, reinterpret_cast<sockaddr *>(&address), &size) != 0)
    return {};
  const uint16_t port = address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6 &>(address).sin6_port
                                                      : reinterpret_cast<sockaddr_in &>(address).sin_port;
  return {numberOf(reinterpret_cast<sockaddr *>(&address), size), ntohs(port)};
}

Status Socket::send(std::span<const std::byte> bytes, Deadline deadline) const {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(sent));
      continue;
    }
    pollfd wait = {descriptor, POLLOUT, 0};
    if (errno != EAGAIN && errno != EINTR)
      return failure(local(), "cannot send", errno);
    if (::poll(&wait, 1, millisecondsUntil(deadline)) == 0 && WireClock::now() >= deadline)
      return failure(local(), "cannot send", ETIMEDOUT);
  }
  return Status::ok();
}

void Socket::askForSigns(int seconds) const {
  const int on = 1, asks = std::max(1, seconds - 1); // one a second: it breaks no more than one too early
  ::setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &on, sizeof on);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &on, sizeof on);
  ::setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPCNT, &asks, sizeof asks);
}

bool Socket::isUnanswered(double seconds) const {
  tcp_info info = {};
  socklen_t size = sizeof info;
  return ::getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 && info.tcpi_unacked > 0 &&
         info.tcpi_last_ack_recv >= seconds * 1000;
}

void Socket::shutDown() const { ::shutdown(descriptor, SHUT_RDWR); }

std::string hostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string bootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  return std::getline(file, id) ? id : "";
}

Result<std::string> addressOfInterface(const std::string &interface) {
  ifaddrs *listed = nullptr;
  if (::getifaddrs(&listed) != 0)
    return Status::runFailed(std::string("the network interfaces cannot be listed: ") + std::strerror(errno));
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs *)> all(listed, freeifaddrs);
  for (const ifaddrs *each = listed; each; each = each->ifa_next) {
    if (!each->ifa_addr || each->ifa_addr->sa_family != AF_INET || !(each->ifa_flags & IFF_UP))
      continue;
    const std::string number = numberOf(each->ifa_addr, sizeof(sockaddr_in));
    const bool leadsAway = !(each->ifa_flags & IFF_LOOPBACK);
    if (interface.empty() ? leadsAway : interface == each->ifa_name || interface == number)
      return number;
  }
  if (interface.empty())
    return std::string("127.0.0.1");
  return Status::badInput("--interface: this machine, " + hostName() + ", has no network interface \"" +
                          interface + "\"");
}

} // namespace windlass

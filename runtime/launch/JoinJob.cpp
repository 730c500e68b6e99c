// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the processes of a job meet: ControlChannel::join(), before there is a thread of the channel.
#include "runtime/base/Counted.h"
#include "runtime/launch/ControlChannel.h"
#include "runtime/launch/ControlFrames.h"
#include <algorithm>
#include <poll.h>
#include <unistd.h>

namespace windlass {
namespace {

/// The version of the control frames. A process with another version is refused with a message.
constexpr int64_t kProtocol = 2;
/// The purpose in the greeting of a control connection; connections for tensors count from 0.
constexpr int64_t kControlPurpose = -1;

/// Waits for the next frame, other than beats, of a line that no thread serves yet: until `deadline` for the
/// first bytes, then for as long as no silence is longer than `silenceSeconds`. Nothing if none came.
std::optional<Frame> await(FrameLine &line, Deadline deadline, double silenceSeconds) {
  for (;;) {
    line.move();
    if (line.hasHeard())
      deadline = afterSeconds(silenceSeconds);
    while (std::optional<Frame> frame = line.take())
      if (frame->kind != Beat)
        return frame;
    if (line.isBroken() || WireClock::now() >= deadline)
      return std::nullopt;
    pollfd wait = {line.number(), POLLIN, 0};
    ::poll(&wait, 1, millisecondsUntil(deadline));
  }
}

void flush(FrameLine &line, Deadline deadline) {
  for (line.move(); line.hasUnsent() && !line.isBroken() && WireClock::now() < deadline; line.move()) {
    pollfd wait = {line.number(), POLLOUT, 0};
    ::poll(&wait, 1, millisecondsUntil(deadline));
  }
}

} // namespace

std::string ControlChannel::missing() const {
  std::string text;
  for (size_t process = 1; process < members.size(); ++process)
    if (members[process].pid == 0)
      text += (text.empty() ? "" : ", ") + std::to_string(process);
  return text;
}

Status ControlChannel::meetOthers() {
  Socket listening = std::move(config.listening);
  if (!listening.isOpen()) {
    Result<Socket> opened = Socket::listenAt(config.meeting);
    if (!opened)
      return opened.status();
    listening = opened.take();
  }
  Door door(std::move(listening), config.token);
  here = door.address();
  members[0] = {config.host, config.machine, ::getpid()};
  const Status met = waitForOthers(door);
  if (!met)
    refuseAll(door, met);
  for (const std::unique_ptr<Peer> &peer : peers)
    flush(peer->line, afterSeconds(1));
  return met;
}

/// Sends the failure to all processes that have connected, and to those that connect soon: they would wait in
/// vain.
void ControlChannel::refuseAll(Door &door, const Status &why) {
  const std::string packed = packStatus(why);
  for (const std::unique_ptr<Peer> &peer : peers) {
    peer->line.put(Refuse, packed);
    peer->line.move(); // at once: the peer would give up while later ones are waited for
  }
  for (const Deadline deadline = afterSeconds(config.silenceSeconds);
       std::ssize(peers) + refused + 1 < config.processes;) {
    std::optional<Door::Guest> guest = door.next(deadline);
    if (!guest)
      return;
    if (guest->greeting.purpose != kControlPurpose)
      continue;
    auto late = std::make_unique<Peer>();
    late->line = FrameLine(std::move(guest->socket));
    late->line.put(Refuse, packed);
    late->line.move();
    peers.push_back(std::move(late));
  }
}

Status ControlChannel::waitForOthers(Door &door) {
  const Deadline deadline = afterSeconds(config.joinSeconds);
  Deadline nextBeat = afterSeconds(kBeatSeconds);
  while (std::ssize(peers) + 1 < config.processes) {
    std::optional<Door::Guest> guest = door.next(std::min(deadline, afterSeconds(kNapMilliseconds / 1000.0)));
    if (WireClock::now() >= nextBeat) {
      sendToAll(Beat, "");
      nextBeat = afterSeconds(kBeatSeconds);
    }
    WINDLASS_TRY(checkThatTheyStay());
    if (!guest && WireClock::now() >= deadline)
      return Status::runFailed("of " + counted(config.processes, "process") + " these did not come to " +
                               config.meeting.text() + " within " +
                               std::to_string(static_cast<int>(config.joinSeconds)) + " s: " + missing());
    if (!guest || guest->greeting.purpose != kControlPurpose)
      continue;
    Result<Peer> peer = welcome(std::move(*guest));
    if (!peer)
      return peer.status();
    if (peer->process > 0)
      peers.push_back(std::make_unique<Peer>(peer.take()));
  }
  tellHostsApart();
  Packing all;
  for (const Member &member : members)
    all.addText(member.host).add(member.pid);
  const std::string packed = all.take();
  for (const std::unique_ptr<Peer> &peer : peers)
    peer->line.put(Welcome, packed);
  return Status::ok();
}

/// Adds numbers to the names of hosts that several machines have, in the order of their processes.
void ControlChannel::tellHostsApart() {
  std::map<std::string, std::vector<std::string>> machinesOf; // by name
  for (const Member &member : members)
    if (std::vector<std::string> &known = machinesOf[member.host];
        std::ranges::find(known, member.machine) == known.end())
      known.push_back(member.machine);
  for (Member &member : members)
    if (const std::vector<std::string> &known = machinesOf[member.host]; known.size() > 1)
      member.host += "#" + std::to_string(std::ranges::find(known, member.machine) - known.begin() + 1);
}

/// RunFailed if a process that had connected is gone while others are waited for.
Status ControlChannel::checkThatTheyStay() {
  for (const std::unique_ptr<Peer> &peer : peers) {
    peer->line.move();
    if (peer->line.isBroken())
      return lost(*peer, "has died, or closed its connection, before all others had come");
  }
  return Status::ok();
}

/// The process that connected; a peer with process 0 if it was refused or has left. An error if the process
/// is of another job size or version, which fails the whole job.
Result<ControlChannel::Peer> ControlChannel::welcome(Door::Guest guest) {
  Peer peer;
  peer.line = FrameLine(std::move(guest.socket));
  const auto &[purpose, process, processes] = guest.greeting;
  const std::optional<Frame> hello =
      await(peer.line, afterSeconds(config.silenceSeconds / 2), config.silenceSeconds / 2);
  if (!hello || hello->kind != Hello)
    return peer;
  Unpacking facts(hello->bytes);
  const auto protocol = facts.get<int64_t>();
  const std::string version(facts.getText()), host(facts.getText());
  const auto pid = facts.get<int64_t>();
  const std::string machine(facts.getText());
  Status refusal;
  const std::string who = "process " + std::to_string(process) + " (host " + host + ")";
  const std::string first = "the first process (host " + members[0].host + ")";
  if (protocol != kProtocol || version != config.version)
    refusal = Status::badInput(who + " is Windlass " + version + ", but " + first + " is " + config.version);
  else if (processes != config.processes)
    refusal = Status::badInput(who + " was started as one of " + std::to_string(processes) + ", but " +
                               first + " as one of " + std::to_string(config.processes));
  if (!refusal) {
    peer.line.put(Refuse, packStatus(refusal));
    flush(peer.line, afterSeconds(1));
    ++refused;
    return refusal;
  }
  const bool isKnown =
      process <= 0 || process >= config.processes || members[static_cast<size_t>(process)].pid != 0;
  if (isKnown) { // of two jobs with one token the other is the mistake
    peer.line.put(Refuse,
                  packStatus(Status::badInput("another process of this job is " + std::to_string(process) +
                                              " already: two jobs have one token and one port")));
    flush(peer.line, afterSeconds(1));
    return peer;
  }
  members[static_cast<size_t>(process)] = {host, machine, pid};
  peer.process = process;
  return peer;
}

Status ControlChannel::meetFirst() {
  const Deadline deadline = afterSeconds(config.joinSeconds);
  Result<Socket> socket = Door::enter(config.meeting, config.token,
                                      {kControlPurpose, config.process, config.processes}, deadline);
  if (!socket)
    return socket.status().in("the first process of the job is not to be found");
  here = socket->local();
  auto first = std::make_unique<Peer>();
  first->line = FrameLine(socket.take());
  first->line.put(Hello, Packing()
                             .add(kProtocol)
                             .addText(config.version)
                             .addText(config.host)
                             .add(static_cast<int64_t>(::getpid()))
                             .addText(config.machine)
                             .take());
  const std::optional<Frame> answer = await(first->line, deadline, config.silenceSeconds);
  if (answer && answer->kind == Refuse)
    return unpackStatus(answer->bytes);
  if (!answer && !first->line.isBroken())
    return Status::runFailed(config.meeting.text() + ": whoever waits there does not answer");
  if (!answer || answer->kind != Welcome)
    return Status::runFailed(config.meeting.text() +
                             ": whoever waits there does not take this process for one of its job: it has " +
                             "another token, or has ended");
  Unpacking all(answer->bytes);
  for (Member &member : members) {
    member.host = all.getText();
    member.pid = all.get<int64_t>();
  }
  peers.push_back(std::move(first));
  return Status::ok();
}

} // namespace windlass

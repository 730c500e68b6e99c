// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/ControlChannel.h"

#include "runtime/launch/ControlFrames.h"
#include <algorithm>
#include <cstdio>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace windlass {
namespace {

Status tooLong(const std::string &who, size_t bytes, size_t most) {
  return Status::runFailed(who + " to say " + std::to_string(bytes) +
                           " bytes in one message of the control channel, which holds " +
                           std::to_string(most));
}

std::string wasLastAt(const std::string &whereabouts) {
  return whereabouts.empty() ? "" : "; it was last at " + whereabouts;
}

/// The bit of an exchange number that marks For::First.
constexpr uint64_t kForFirst = uint64_t{1} << 63;
constexpr double kGoodbyeSeconds = 1;

} // namespace

ControlChannel::ControlChannel(Config given)
    : config(std::move(given)), members(static_cast<size_t>(config.processes)),
      wakeup(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Result<std::unique_ptr<ControlChannel>> ControlChannel::join(Config config) {
  std::unique_ptr<ControlChannel> channel(new ControlChannel(std::move(config)));
  WINDLASS_TRY(channel->isFirst() ? channel->meetOthers() : channel->meetFirst());
  channel->keeper = std::thread([raw = channel.get()] { raw->keep(); });
  return channel;
}

ControlChannel::~ControlChannel() {
  {
    std::lock_guard lock(mutex);
    closing = true;
  }
  wake();
  if (keeper.joinable())
    keeper.join();
  if (wakeup >= 0)
    ::close(wakeup);
}

//===- What the other thread asks for =====================================//

std::string ControlChannel::nameOf(int64_t process) const {
  const int64_t begin = process * ranksOfEach, end = begin + ranksOfEach - 1;
  const std::string ranks = ranksOfEach == 0 ? "process " + std::to_string(process)
                            : ranksOfEach == 1
                                ? "rank " + std::to_string(begin)
                                : "ranks " + std::to_string(begin) + " to " + std::to_string(end);
  return ranks + " (host " + hostOf(process) + ")";
}

void ControlChannel::setWhereabouts(std::function<std::string()> tell) {
  std::lock_guard lock(hookMutex);
  whereabouts = std::move(tell);
}

void ControlChannel::setWatch(std::function<std::optional<int64_t>()> given) {
  std::lock_guard lock(hookMutex);
  watch = std::move(given);
}

void ControlChannel::setRelease(std::function<void(const Status &)> given) {
  std::lock_guard lock(hookMutex);
  release = std::move(given);
}

Result<std::vector<std::string>> ControlChannel::exchange(std::string mine, For whom) {
  if (mine.size() > config.mostBytes)
    return tooLong("this process has", mine.size(), config.mostBytes);
  std::unique_lock lock(mutex);
  const uint64_t number = exchanges++ | (whom == For::First ? kForFirst : 0);
  if (isFirst())
    takePart(0, number, std::move(mine));
  else
    peers[0]->line.put(Part, Packing().add(number).addText(mine).take());
  wake();
  changed.wait(lock, [&] { return verdict || wholes.contains(number); });
  if (auto whole = wholes.extract(number)) // complete, whatever has happened since
    return std::move(whole.mapped());
  return *verdict;
}

Status ControlChannel::agree(const Facts &mine) {
  Packing packing;
  for (const auto &[name, value] : mine)
    packing.addText(name).addText(value);
  Result<std::vector<std::string>> all = exchange(packing.take());
  if (!all)
    return all.status();
  const std::vector<std::string> expected = unpackTexts((*all)[0]);
  for (size_t process = 1; process < all->size(); ++process) {
    const std::vector<std::string> found = unpackTexts((*all)[process]);
    for (size_t i = 0; i + 1 < expected.size() && i + 1 < found.size(); i += 2)
      if (found[i + 1] != expected[i + 1])
        return Status::badInput(expected[i] + ": " + nameOf(static_cast<int64_t>(process)) + " has " +
                                found[i + 1] + ", but " + nameOf(0) + " has " + expected[i + 1]);
  }
  return Status::ok();
}

Status ControlChannel::finish(const Status &mine) {
  std::unique_lock lock(mutex);
  mainIsDone = true;
  if (!verdict && !mine.isOk())
    report(mine);
  else if (!verdict && !isFirst())
    peers[0]->line.put(Done, "");
  wake();
  changed.wait(lock, [&] { return verdict || goodbye; });
  wake();
  changed.wait_for(lock, std::chrono::duration<double>(kGoodbyeSeconds), [&] { return !hasUnsent(); });
  if (!verdict)
    return Status::ok();
  sayOnce();
  return *verdict;
}

/// Whether this process prints the verdict: the first process, and a process that found the failure itself;
/// with speaksOnEveryHost, the first process of each host, too.
bool ControlChannel::isToBeSaidHere() const {
  const auto own = static_cast<size_t>(config.process);
  const bool isFirstOfHost =
      std::none_of(members.begin(), members.begin() + config.process,
                   [&](const Member &earlier) { return earlier.host == members[own].host; });
  return isFirst() || verdictIsOwn || (config.speaksOnEveryHost && isFirstOfHost);
}

void ControlChannel::sayOnce() {
  if (!std::exchange(isSaid, true) && isToBeSaidHere() && config.say)
    config.say(*verdict);
}

//===- The channel's thread ===============================================//

void ControlChannel::wake() const {
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wakeup, &one, sizeof one);
}

void ControlChannel::keep() {
  Deadline nextBeat = WireClock::now(), before = nextBeat;
  std::vector<pollfd> wait;
  for (std::unique_lock lock(mutex); !closing;) {
    wait.assign(1, {wakeup, POLLIN, 0});
    for (const std::unique_ptr<Peer> &peer : peers)
      if (!peer->line.isBroken())
        wait.push_back(
            {peer->line.number(), static_cast<short>(POLLIN | (peer->line.hasUnsent() ? POLLOUT : 0)), 0});
    lock.unlock();
    ::poll(wait.data(), wait.size(), kNapMilliseconds);
    uint64_t wakes = 0;
    [[maybe_unused]] const ssize_t read = ::read(wakeup, &wakes, sizeof wakes);
    const bool isDue = WireClock::now() >= nextBeat;
    if (isDue) {
      beat();
      nextBeat = afterSeconds(kBeatSeconds);
    }
    lock.lock();
    for (const std::unique_ptr<Peer> &peer : peers)
      serve(*peer);
    settleComplaints();
    if (isFirst() && mainIsDone && !verdict && !goodbye && allDone()) {
      goodbye = true;
      sendToAll(Bye, "");
    }
    const Deadline now = WireClock::now();
    noticeDeaths(std::min(std::chrono::duration<double>(now - before).count(), 0.5));
    before = now;
    changed.notify_all();
    if (verdict)
      enforce(lock);
  }
}

/// Sends a sign of life with this process's whereabouts, and reports a process that it cannot reach.
void ControlChannel::beat() {
  std::string text;
  std::optional<int64_t> unheard;
  {
    std::lock_guard lock(hookMutex);
    text = whereabouts ? whereabouts() : "";
    unheard = watch ? watch() : std::nullopt;
  }
  std::lock_guard lock(mutex);
  sendToAll(Beat, text);
  lastWhereabouts = text;
  if (!unheard || hasComplained || mainIsDone)
    return;
  hasComplained = true;
  if (isFirst())
    complain(0, *unheard);
  else
    peers[0]->line.put(Unheard, Packing().add(*unheard).take());
}

/// Reports a failure of this process to the first process, which decides the verdict.
void ControlChannel::report(const Status &failure) {
  if (isFirst())
    decide(named(failure, 0), /*isOwn=*/true);
  else
    peers[0]->line.put(Fail, packStatus(failure));
}

void ControlChannel::serve(Peer &peer) {
  peer.line.move();
  if (peer.line.hasHeard()) {
    peer.silence = 0;
    ++peer.timesHeard;
  }
  while (std::optional<Frame> frame = peer.line.take())
    handle(peer, *frame);
}

void ControlChannel::handle(Peer &peer, const Frame &frame) {
  Unpacking unpacking(frame.bytes);
  switch (frame.kind) {
  case Beat:
    if (!frame.bytes.empty())
      peer.whereabouts = frame.bytes;
    break;
  case Part: {
    const auto number = unpacking.get<uint64_t>();
    takePart(peer.process, number, std::string(unpacking.getText()));
    break;
  }
  case Whole: {
    const auto number = unpacking.get<uint64_t>();
    wholes[number] = unpackTexts(unpacking.getText());
    break;
  }
  case Fail: {
    peer.isDone = true;
    decide(named(unpackStatus(frame.bytes), peer.process), /*isOwn=*/true);
    break;
  }
  case Verdict:
    decide(unpackStatus(frame.bytes), /*isOwn=*/false);
    break;
  case Unheard:
    complain(peer.process, unpacking.get<int64_t>());
    break;
  case Done:
    peer.isDone = true;
    break;
  case Bye:
    peer.isDone = goodbye = true;
    break;
  default:
    break;
  }
}

/// The failure with the name of the process in front, unless its message names a host already.
Status ControlChannel::named(const Status &failure, int64_t process) const {
  const auto isNamed = [text = failure.message() + " "](const Member &member) {
    const std::string host = "host " + member.host;
    const size_t at = text.find(host);
    return at != std::string::npos &&
           std::string_view("), ").find(text[at + host.size()]) != std::string::npos;
  };
  return std::ranges::any_of(members, isNamed) ? failure : failure.in(nameOf(process));
}

bool ControlChannel::allDone() const {
  return std::ranges::all_of(peers, [](const std::unique_ptr<Peer> &peer) { return peer->isDone; });
}

bool ControlChannel::hasUnsent() const {
  return std::ranges::any_of(peers, [](const std::unique_ptr<Peer> &peer) {
    return peer->line.hasUnsent() && !peer->line.isBroken();
  });
}

void ControlChannel::sendToAll(uint32_t kind, std::string_view bytes) {
  for (const std::unique_ptr<Peer> &peer : peers) {
    peer->line.put(kind, bytes);
    peer->line.move();
  }
}

/// In the first process: keeps the part of one process in an exchange. With the last part, sends the whole to
/// all processes.
void ControlChannel::takePart(int64_t process, uint64_t number, std::string bytes) {
  auto &all = parts[number];
  all.resize(static_cast<size_t>(config.processes));
  all[static_cast<size_t>(process)] = std::move(bytes);
  if (!std::ranges::all_of(all, &std::optional<std::string>::has_value))
    return;
  std::vector<std::string> whole;
  for (std::optional<std::string> &part : all)
    whole.push_back(std::move(*part));
  parts.erase(number);
  const std::vector<std::string> nothing(whole.size());
  const std::string packed =
      Packing().add(number).addText(packTexts(number & kForFirst ? nothing : whole)).take();
  if (packed.size() > config.mostBytes)
    return decide(tooLong("all processes together have", packed.size(), config.mostBytes), /*isOwn=*/true);
  for (const std::unique_ptr<Peer> &peer : peers)
    peer->line.put(Whole, packed);
  wholes[number] = std::move(whole);
}

Status ControlChannel::lost(const Peer &peer, const std::string &how) const {
  const Member &member = members[static_cast<size_t>(peer.process)];
  return Status::runFailed(nameOf(peer.process) + " " + how + " (its process is " +
                           std::to_string(member.pid) + ")" + wasLastAt(peer.whereabouts));
}

const ControlChannel::Peer *ControlChannel::peerOf(int64_t process) const {
  const auto found = std::ranges::find(peers, process, [](const auto &peer) { return peer->process; });
  return found == peers.end() ? nullptr : found->get();
}

Status ControlChannel::cutBetween(const Complaint &complaint) const {
  const Peer *from = peerOf(complaint.from);
  return Status::runFailed(nameOf(complaint.from) + " does not reach " + nameOf(complaint.about) +
                           " any more, though that one lives: the link between them is cut" +
                           wasLastAt(from ? from->whereabouts : lastWhereabouts));
}

void ControlChannel::complain(int64_t from, int64_t about) {
  if (about >= 0 && about < config.processes && about != from)
    complaints.push_back({from, about, {}});
}

/// In the first process: settles reports that a process cannot be reached. If the process is heard again here
/// after the report was first looked at, it lives, and the link between the two processes is cut. If it stays
/// silent, noticeDeaths() finds it lost. Bytes that had come by then do not count: they were sent before.
void ControlChannel::settleComplaints() {
  for (Complaint &each : complaints) {
    const Peer *about = peerOf(each.about); // null: this process itself
    if (about && !each.timesHeard)
      each.timesHeard = about->timesHeard;
    if (!about || about->timesHeard != each.timesHeard)
      decide(cutBetween(each), /*isOwn=*/true);
  }
}

void ControlChannel::noticeDeaths(double awake) {
  for (const std::unique_ptr<Peer> &peer : peers) {
    if (peer->isDone || verdict)
      continue;
    peer->silence += awake;
    if (peer->line.isBroken())
      decide(lost(*peer, "has died, or closed its connection"), /*isOwn=*/true);
    else if (peer->silence >= config.silenceSeconds)
      decide(lost(*peer,
                  "does not answer for " + std::to_string(static_cast<int>(config.silenceSeconds)) + " s"),
             /*isOwn=*/true);
  }
}

/// Makes the first failure that this process learns of the verdict; the first process sends it to all.
void ControlChannel::decide(const Status &status, bool isOwn) {
  if (verdict)
    return;
  verdict = status;
  verdictIsOwn = isOwn;
  graceEnds = afterSeconds(config.graceSeconds);
  if (isFirst())
    sendToAll(Verdict, packStatus(status));
}

/// Releases all waits for other processes. Once the grace period is over, ends this process if its main
/// thread is not done, for it may be in a wait that nothing ends. Its files are complete, or still under
/// hidden names.
void ControlChannel::enforce(std::unique_lock<std::mutex> &lock) {
  const Status why = *verdict;
  lock.unlock();
  {
    std::lock_guard hooks(hookMutex);
    if (const auto once = std::exchange(release, {}))
      once(why);
  }
  lock.lock();
  sayOnce();
  if (mainIsDone || WireClock::now() < graceEnds)
    return;
  std::fflush(nullptr);
  ::_exit(static_cast<int>(verdict->code()));
}

} // namespace windlass

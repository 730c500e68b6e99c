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

/// In the number of an exchange whose whole is the first process's alone.
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

/// The first process says it, and who has lost that; where every host shows what its own processes say, the
/// first one of each.
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

/// Says that this process lives, and where it is.
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

/// Before the end of this process: the first one decides.
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

/// With the name of whose failure it is, unless it says already which host it is about.
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

/// Of the first process: a part of an exchange, of which the last one makes it whole.
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

/// Of the first process: whom a process does not reach either is heard here again, and only the link between
/// the two is cut, or stays silent, and is lost. A sign counts that came after all that waited here when the
/// complaint came: it was sent later.
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

/// The first failure that is known here is the job's, as far as this process can tell.
void ControlChannel::decide(const Status &status, bool isOwn) {
  if (verdict)
    return;
  verdict = status;
  verdictIsOwn = isOwn;
  graceEnds = afterSeconds(config.graceSeconds);
  if (isFirst())
    sendToAll(Verdict, packStatus(status));
}

/// The verdict frees whoever waits for other processes; a process that goes on nevertheless is ended: it may
/// be in a wait that nothing ends, and what it has written is whole or hidden.
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

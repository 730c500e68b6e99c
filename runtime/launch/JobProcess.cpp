// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/JobProcess.h"

#include "runtime/base/Cores.h"
#include "runtime/base/Counted.h"
#include "runtime/base/Output.h"
#include "runtime/transport/SplitNetwork.h"
#include "runtime/transport/tcp/NearMemory.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <unistd.h>

namespace windlass {
namespace {

constexpr const char *kLoop = "127.0.0.1";

} // namespace

Result<std::unique_ptr<JobProcess>> JobProcess::start(const JobOptions &options,
                                                      const Environment &environment) {
  auto job = std::make_unique<JobProcess>();
  Result<std::optional<LaunchPlace>> launched = readLaunch(environment);
  if (!launched)
    return launched.status();
  if (!*launched || (*launched)->processes == 1)
    return job;
  job->place = **launched;
  if (job->place.speaksMpi && options.network != NetworkKind::Tcp)
    WINDLASS_TRY(job->meetOverMpi(options));
  if (!job->place.meeting || job->place.token.empty())
    return Status::badInput(job->place.launcher +
                            " starts processes that find each other through MPI; without it, " +
                            "say in MASTER_ADDR, MASTER_PORT and " + kTokenVariable + " where they meet");
  WINDLASS_TRY(job->join(options));
  return job;
}

Status JobProcess::connect(const JobOptions &options) {
  if (isAlone())
    return Status::ok();
  const bool isMpiAlone = options.network == NetworkKind::Mpi, wantsMpi = mpi || isMpiAlone;
  WINDLASS_TRY(agree({{"the network", isMpiAlone ? "MPI"
                                      : wantsMpi ? "MPI between hosts"
                                                 : "TCP"}})); // MPI waits for all where one asks for it
  WINDLASS_TRY(shareCores());
  if (wantsMpi && !mpi)
    WINDLASS_TRY(openMpi());
  if (!isMpiAlone)
    WINDLASS_TRY(openTcp(options));
  if (mpi)
    WINDLASS_TRY(watchHosts(options));
  bytes->setPatience(options.collectiveSeconds);
  bytes->setNames([this](int64_t process) { return nameOf(process); });
  channel->setWatch([this] {
    const std::optional<int64_t> lost = hosts.unreachable();
    return lost ? lost : bytes->unreachable();
  });
  setRelease({});
  return Status::ok();
}

/// Where the first process waits for the others.
Result<std::string> JobProcess::listeningAddress(const JobOptions &options) const {
  if (options.interface.empty() && place.localProcesses == place.processes)
    return std::string(kLoop);
  return addressOfInterface(options.interface);
}

Status JobProcess::openMpi() {
  Result<std::unique_ptr<MpiWorld>> opened = MpiWorld::open();
  if (!opened)
    return opened.status();
  mpi = opened->get();
  bytes = opened.take();
  if (mpi->process() == place.process && mpi->processes() == place.processes)
    return Status::ok();
  return Status::badInput(
      place.launcher + " says that this is process " + std::to_string(place.process) + " of " +
      std::to_string(place.processes) + ", but " + mpi->library() + " that it is process " +
      std::to_string(mpi->process()) + " of " + std::to_string(mpi->processes()) +
      (place.speaksMpi ? ": windlass-mpi.so was built for another MPI than the launcher's"
                       : ": " + place.launcher + " starts no processes of MPI; leave --network mpi out"));
}

/// Through MPI the first process says where it waits, and the token.
Status JobProcess::meetOverMpi(const JobOptions &options) {
  WINDLASS_TRY(openMpi());
  Packing packing;
  Status ready;
  if (isFirst()) {
    Result<std::string> address = listeningAddress(options);
    Result<Socket> opened = address ? Socket::listenAt({*address, 0}) : Result<Socket>(address.status());
    ready = opened.status();
    if (opened)
      listening = opened.take();
    packing.addText(address ? *address : "").add(listening.local().port).addText(freshToken());
  }
  Result<std::string> told = mpi->tell(packing.take());
  WINDLASS_TRY(ready);
  if (!told)
    return told.status();
  Unpacking unpacking(*told);
  place.meeting = Endpoint();
  place.meeting->host = unpacking.getText();
  place.meeting->port = unpacking.get<uint16_t>();
  place.token = unpacking.getText();
  return place.meeting->port == 0 ? Status::runFailed("the first process of the job cannot listen")
                                  : Status::ok();
}

Status JobProcess::join(const JobOptions &options) {
  ControlChannel::Config config;
  config.process = place.process;
  config.processes = place.processes;
  config.meeting = *place.meeting;
  config.token = place.token;
  config.version = options.version;
  config.speaksOnEveryHost = !place.mergesOutput;
  config.say = [](const Status &verdict) { exitCodeOf(verdict); };
  config.listening = std::move(listening);
  if (place.listening >= 0)
    config.listening = Socket(place.listening);
  if (isFirst() && !config.listening.isOpen() && !options.interface.empty()) {
    Result<std::string> address = addressOfInterface(options.interface);
    if (!address)
      return address.status();
    config.meeting.host = *address;
  }
  Result<std::unique_ptr<ControlChannel>> joined = ControlChannel::join(std::move(config));
  if (!joined)
    return joined.status();
  channel = joined.take();
  return Status::ok();
}

/// Processes of one host that may all run on the same cores divide them.
Status JobProcess::shareCores() {
  const std::vector<Processor> here = processorsHere();
  Result<std::vector<std::string>> all = exchange(textOfProcessors(here));
  if (!all)
    return all.status();
  int64_t part = 0, parts = 0, others = 0; // of the processes of this host
  for (int64_t process = 0; process < place.processes; ++process) {
    if (hostOf(process) != hostOf(place.process))
      continue;
    const bool isAlike = (*all)[static_cast<size_t>(process)] == (*all)[static_cast<size_t>(place.process)];
    parts += isAlike ? 1 : 0;
    part += isAlike && process < place.process ? 1 : 0;
    others += isAlike ? 0 : 1;
  }
  const std::vector<int64_t> mine = partOf(here, part, parts);
  std::string said;
  if (others > 0 || parts == 1)
    said = "on the cores it was given";
  else if (mine.empty())
    said = "on all of " + counted(std::ssize(here), "processor");
  else if (!runOn(mine))
    said = "on no core of its own, which the system refuses";
  else
    said = "on " + counted(std::ssize(mine), "processor") + " of its own";
  return sayCores(said);
}

/// Sets `cores`: one text if all processes say the same, else a text for each host.
Status JobProcess::sayCores(const std::string &mine) {
  Result<std::vector<std::string>> all = exchange(mine);
  if (!all)
    return all.status();
  if (std::ranges::count(*all, mine) == std::ssize(*all)) {
    cores = "each " + mine;
    return Status::ok();
  }
  std::map<std::string, std::string> ofHosts;
  for (int64_t process = 0; process < place.processes; ++process)
    ofHosts.emplace(hostOf(process), (*all)[static_cast<size_t>(process)]);
  for (const auto &[host, text] : ofHosts)
    cores += (cores.empty() ? "" : ", ") + ("host " + host + ": each " + text);
  return Status::ok();
}

/// Each process's door is on the interface that leads to the first one, unless another was asked for.
Result<Door> JobProcess::openDoor(const JobOptions &options) const {
  Result<std::string> address = options.interface.empty() ? Result<std::string>(channel->address().host)
                                                          : addressOfInterface(options.interface);
  if (!address)
    return address.status();
  Result<Socket> opened = Socket::listenAt({*address, 0});
  if (!opened)
    return opened.status();
  return Door(opened.take(), place.token);
}

/// The first process of every host but the first one, which all others hear anyway, watches the others.
Status JobProcess::watchHosts(const JobOptions &options) {
  std::set<std::string> known = {hostOf(0)};
  std::vector<int64_t> watching;
  for (int64_t process = 0; process < place.processes; ++process)
    if (known.insert(hostOf(process)).second)
      watching.push_back(process);
  if (watching.size() < 2)
    return Status::ok();
  Result<Door> door = openDoor(options);
  const Endpoint mine = door ? door->address() : Endpoint();
  Result<std::vector<std::string>> all = exchange(Packing().addText(mine.host).add(mine.port).take());
  WINDLASS_TRY(door.status());
  if (!all)
    return all.status();
  std::vector<HostLinks::Place> places;
  for (int64_t process : watching) {
    Unpacking unpacking((*all)[static_cast<size_t>(process)]);
    std::string host(unpacking.getText());
    places.push_back({process, nameOf(process), {std::move(host), unpacking.get<uint16_t>()}});
  }
  const auto own = std::ranges::find(watching, place.process);
  if (own == watching.end())
    return Status::ok();
  Result<HostLinks> connected =
      HostLinks::connect(door.take(), place.token, places, static_cast<size_t>(own - watching.begin()));
  if (!connected)
    return connected.status();
  hosts = connected.take();
  return Status::ok();
}

/// Opens TCP. If there is MPI, TCP serves only processes that read each other's memory.
Status JobProcess::openTcp(const JobOptions &options) {
  Result<std::unique_ptr<TcpNetwork>> tcp = makeTcp(options);
  if (!tcp)
    return tcp.status();
  if (!mpi)
    bytes = tcp.take();
  else if (anyShareMemory)
    bytes = std::make_unique<SplitNetwork>(tcp.take(), std::move(bytes));
  return Status::ok();
}

Result<std::unique_ptr<TcpNetwork>> JobProcess::makeTcp(const JobOptions &options) {
  Result<Door> opened = openDoor(options);
  if (!opened)
    return opened.status();
  Door door = opened.take();
  const Endpoint mine = door.address();
  const MemoryMark mark;
  Result<std::vector<std::string>> all =
      exchange(Packing().addText(mine.host).add(mine.port).addText(mark.text()).take());
  if (!all)
    return all.status();
  TcpNetwork::Config config = {.process = place.process, .token = place.token, .addresses = {}, .near = {}};
  std::vector<int64_t> readable;
  for (const std::string &each : *all) {
    Unpacking unpacking(each);
    const std::string host(unpacking.getText());
    config.addresses.push_back({host, unpacking.get<uint16_t>()});
    readable.push_back(MemoryMark::readableProcess(unpacking.getText()));
  }
  Result<std::vector<std::vector<int64_t>>> near = findNear(readable);
  if (!near)
    return near.status();
  config.near = near.take();
  return std::make_unique<TcpNetwork>(std::move(door), std::move(config));
}

/// By process: the process ids of all processes whose memory it reads and that read its memory; else 0.
Result<std::vector<std::vector<int64_t>>> JobProcess::findNear(const std::vector<int64_t> &readable) {
  Result<std::vector<std::string>> all = exchange(Packing().addList(std::span(readable)).take());
  if (!all)
    return all.status();
  std::vector<std::vector<int64_t>> reads;
  for (const std::string &each : *all) {
    reads.push_back(Unpacking(each).getList<int64_t>());
    reads.back().resize(readable.size());
  }
  std::vector<std::vector<int64_t>> near = reads;
  for (size_t one = 0; one < near.size(); ++one)
    for (size_t other = 0; other < near.size(); ++other)
      if (reads[other][one] == 0)
        near[one][other] = 0;
  const auto shares = [](const std::vector<int64_t> &ofOne) {
    return std::ranges::count_if(ofOne, [](int64_t process) { return process != 0; }) > 1;
  };
  sharesMemory = shares(near[static_cast<size_t>(place.process)]);
  anyShareMemory = std::ranges::any_of(near, shares);
  return near;
}

OtherProcesses JobProcess::others(const plan::RankSet &mine) {
  if (isAlone())
    return {};
  OtherProcesses others{0, 0, [this](std::string said) { return exchange(std::move(said)); }};
  for (int64_t process = 0; process < place.processes; ++process)
    if (hostOf(process) == hostOf(place.process)) {
      others.ranksOnHost += static_cast<int64_t>(mine.size());
      others.ranksBefore += process < place.process ? static_cast<int64_t>(mine.size()) : 0;
    }
  return others;
}

std::string JobProcess::describe() const {
  if (isAlone())
    return "";
  std::set<std::string> hosts;
  for (int64_t process = 0; process < place.processes; ++process)
    hosts.insert(channel->hostOf(process));
  return counted(place.processes, "process") + " on " + counted(std::ssize(hosts), "host") + ", bytes over " +
         (mpi ? mpi->library() : "TCP") + (sharesMemory ? ", on a host from memory to memory" : "") + "; " +
         cores;
}

Result<plan::RankSet> JobProcess::takeRanks(const plan::Plan &plan) {
  if (isAlone())
    return plan::RankSet::allOf(plan);
  if (plan.ranks() % place.processes != 0)
    return Status::badInput("the plan's " + counted(plan.ranks(), "rank") +
                            " cannot be shared out evenly to " + counted(place.processes, "process") +
                            "; start as many as ranks, or a divisor of that");
  const int64_t each = plan.ranks() / place.processes;
  channel->setRanksOfEach(each);
  return plan::RankSet(place.process * each, each);
}

Result<std::vector<std::string>> JobProcess::exchange(std::string mine) {
  if (isAlone())
    return std::vector<std::string>{std::move(mine)};
  return channel->exchange(std::move(mine));
}

Result<std::vector<std::string>> JobProcess::gather(std::string mine) {
  if (isAlone())
    return std::vector<std::string>{std::move(mine)};
  return channel->exchange(std::move(mine), ControlChannel::For::First);
}

Result<std::string> JobProcess::tell(std::string text) {
  Result<std::vector<std::string>> all = exchange(isFirst() ? std::move(text) : std::string());
  return all ? Result<std::string>(std::move((*all)[0])) : Result<std::string>(all.status());
}

void JobProcess::setWhereabouts(std::function<std::string()> tell) {
  if (channel)
    channel->setWhereabouts(std::move(tell));
}

void JobProcess::setRelease(std::function<void(const Status &)> release) {
  if (channel)
    channel->setRelease([network = bytes.get(), also = std::move(release)](const Status &verdict) {
      network->abort();
      if (also)
        also(verdict);
    });
}

int JobProcess::end(const Status &status) {
  if (isAlone())
    return exitCodeOf(status);
  const Status verdict = channel->finish(status);
  if (verdict.isOk() && mpi)
    mpi->close();
  if (!verdict.isOk()) { // MPI would wait for those that are gone
    std::fflush(nullptr);
    ::_exit(static_cast<int>(verdict.code()));
  }
  return 0;
}

} // namespace windlass

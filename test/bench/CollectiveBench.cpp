// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives of 64 MiB between the processes of one machine, compared with those of the MPI library:
//   mpirun -np 4 --bind-to none windlass_collective_bench [MiB] [rounds]
// The collectives take turns, round after round, and the medians are printed. The MPI library sums in its own
// order, Windlass in rank order.
#include "runtime/tiers/Arena.h"
#include "runtime/transport/ExchangeTransport.h"
#include "runtime/transport/OrderedSum.h"
#include "runtime/transport/mpi/MpiWorld.h"
#include "runtime/transport/tcp/NearMemory.h"
#include "runtime/transport/tcp/TcpNetwork.h"
#include "runtime/wire/Packing.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mpi.h>
#include <numeric>

namespace windlass {
namespace {

template <typename Value> Value orDie(Result<Value> result) {
  if (!result) {
    std::fprintf(stderr, "error: %s\n", result.status().message().c_str());
    MPI_Abort(MPI_COMM_WORLD, 4);
  }
  return result.take();
}
void orDie(const Status &status) { orDie(status ? Result<int>(0) : Result<int>(status)); }

/// Gathers the text of every process on all processes.
std::vector<std::string> gathered(std::string mine, int processes) {
  mine.resize(512);
  std::string all(mine.size() * static_cast<size_t>(processes), '\0');
  MPI_Allgather(mine.data(), 512, MPI_BYTE, all.data(), 512, MPI_BYTE, MPI_COMM_WORLD);
  std::vector<std::string> parts;
  for (int p = 0; p < processes; ++p)
    parts.push_back(all.substr(512 * static_cast<size_t>(p), 512));
  return parts;
}

std::unique_ptr<TcpNetwork> makeTcp(const MpiWorld &world, const MemoryMark *mark) {
  Door door(orDie(Socket::listenAt({"127.0.0.1", 0})), "bench");
  const std::string mine =
      Packing().add(door.address().port).addText(mark ? mark->text() : std::string()).take();
  TcpNetwork::Config config = {.process = world.process(), .token = "bench", .addresses = {}, .near = {}};
  std::vector<int64_t> readable; // on one machine all processes read each other's memory
  for (const std::string &each : gathered(mine, static_cast<int>(world.processes()))) {
    Unpacking unpacking(each);
    config.addresses.push_back({"127.0.0.1", unpacking.get<uint16_t>()});
    readable.push_back(mark ? MemoryMark::readableProcess(unpacking.getText()) : 0);
  }
  config.near.assign(readable.size(), readable);
  return std::make_unique<TcpNetwork>(std::move(door), std::move(config));
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

struct Row {
  std::string name;
  std::function<void()> run;
  std::vector<double> seconds = {};
};

void measure(std::vector<Row> &rows, int rounds) {
  for (int round = 0; round <= rounds; ++round) // the first round is warm-up
    for (Row &row : rows) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      row.run();
      MPI_Barrier(MPI_COMM_WORLD);
      if (round > 0)
        row.seconds.push_back(MPI_Wtime() - start);
    }
}

} // namespace
} // namespace windlass

int main(int argc, char **argv) {
  using namespace windlass;
  const int64_t bytes = (argc > 1 ? std::atoll(argv[1]) : 64) << 20;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 7;
  const std::unique_ptr<MpiWorld> world = orDie(MpiWorld::open());
  const int64_t ranks = world->processes(), rank = world->process();
  std::vector<int64_t> places(static_cast<size_t>(ranks));
  std::iota(places.begin(), places.end(), 0);
  const MemoryMark mark;
  const std::unique_ptr<TcpNetwork> tcp = makeTcp(*world, nullptr), near = makeTcp(*world, &mark);
  ExchangeTransport overMpi(ranks, orDie(world->makeGroup(0, places)));
  ExchangeTransport overTcp(ranks, orDie(tcp->makeGroup(0, places)));
  ExchangeTransport overMemory(ranks, orDie(near->makeGroup(0, places)));

  const int64_t piece = bytes / ranks / 64 * 64;
  // Arenas as in a run without other processes on its host, and with some.
  const Arena own = orDie(Arena::create(piece * (ranks + 1), 0)),
              seen = orDie(Arena::create(piece * (ranks + 1), 0, Arena::Seen::ByProcessesOfHost));
  std::vector<Row> rows;
  const auto add = [&](const std::string &name, const Arena &arena, Transport &transport) {
    const std::span<std::byte> shard = arena.span().subspan(static_cast<size_t>(piece * ranks));
    const WholeTensor whole = {arena.data(), piece};
    rows.push_back({"reduce-scatter, " + name, [=, &transport] {
                      orDie(transport.reduceScatter(rank, plan::ElementType::F32, shard, {&whole, 1}, {}));
                    }});
    rows.push_back(
        {"all-gather, " + name, [=, &transport] { orDie(transport.allGather(rank, shard, {&whole, 1})); }});
  };
  const int elements = static_cast<int>(piece / 4);
  std::byte *const whole = own.data(), *const shard = whole + piece * ranks;
  rows.push_back({"reduce-scatter, MPI_Reduce_scatter_block", [&] {
                    MPI_Reduce_scatter_block(whole, shard, elements, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
                  }});
  rows.push_back({"all-gather, MPI_Allgather", [&] {
                    MPI_Allgather(shard, elements, MPI_FLOAT, whole, elements, MPI_FLOAT, MPI_COMM_WORLD);
                  }});
  add("ours, in place", seen, overMemory);             // as --ranks and mpirun run on one machine
  add("ours, from memory to memory", own, overMemory); // as where memory is in no file
  add("ours over MPI", own, overMpi);
  add("ours over TCP", own, overTcp);
  // Lower bounds: the sums and the copies of a rank without any wait.
  std::vector<const std::byte *> pieces;
  for (int64_t q = 0; q < ranks; ++q)
    pieces.push_back(seen.data() + q * piece);
  rows.push_back({"the sums alone", [&] { sumInOrder(plan::ElementType::F32, pieces, shard, piece); }});
  rows.push_back(
      {"the copies alone", [&] { std::memcpy(whole, seen.data(), static_cast<size_t>(piece * ranks)); }});
  measure(rows, rounds);
  for (size_t i = 0; rank == 0 && i < rows.size(); ++i)
    std::printf("%-52s %8.1f ms  %5.2f times MPI's rate\n", rows[i].name.c_str(),
                1e3 * median(rows[i].seconds), median(rows[i % 2].seconds) / median(rows[i].seconds));
  MPI_Barrier(MPI_COMM_WORLD);
  world->close();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of the tables of --analyze stay readable, however large the model and the machine. Links that
// share the host's memory are no faster than it.
#include "compiler/analysis/Figures.h"
#include "compiler/analysis/Grid.h"
#include <gtest/gtest.h>
#include <map>
#include <sstream>

using namespace windlass;
using namespace windlass::analysis;

namespace {

/// The cells of a line, which two or more spaces separate.
std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells;
  for (size_t at = line.find_first_not_of(' '); at != std::string::npos;) {
    const size_t end = std::min(line.find("  ", at), line.size());
    cells.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(' ', end);
  }
  return cells;
}

std::vector<std::vector<std::string>> linesOf(const std::string &text, const std::string &named) {
  std::vector<std::vector<std::string>> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (line.find(named) != std::string::npos)
      lines.push_back(cellsOf(line));
  return lines;
}

TEST(Grid, AColumnIsAsWideAsItsLongestCellAsksFor) {
  Grid grid({{3, Grid::Align::Left}, {4}, {4}});
  grid.add({"a", "12", "12345"});
  grid.add({"b", "1", ""});
  EXPECT_EQ(grid.text(), "a    12  12345\n"
                         "b     1\n");
}

TEST(Tables, ColumnsOfALargeModelStayApart) {
  Analysis large;
  large.parameters.matrices = large.parameters.outside = 2'000'000'000'000;
  large.machine.nodes = 64;
  large.machine.ranksPerNode = 16;
  large.machine.deviceCapacity = int64_t{80} << 30;
  large.groupRanks = 16;
  const std::string states = describeStates(large);
  ASSERT_EQ(linesOf(states, "ZeRO Table 2, Nm 16").size(), 1u);
  EXPECT_EQ(linesOf(states, "ZeRO Table 2, Nm 16").front().back(), "87,960,930,222,080");
  for (const char *table : {"ZeRO Table 1", "ZeRO Table 2", "MiCS", "hpZ", "ZeRO Section 6", "baseline"})
    for (const std::vector<std::string> &line : linesOf(states, table))
      EXPECT_EQ(line.size(), 5u) << ::testing::PrintToString(line);
  const std::vector<std::string> parameters = {
      "parameters", "INF 1", "12 nl hd^2", "-", "2,000,000,000,000", "matrices of layers"};
  EXPECT_EQ(linesOf(describeQuantities(large), "matrices of layers").front(), parameters);
}

/// The rate of each link of a rank, with two ranks in a node.
std::map<std::string, double> linkRates(double hostLink, int64_t sharedCores = 0) {
  Analysis analysis;
  analysis.transformer = TransformerSizes{};
  model::Machine &machine = analysis.machine;
  machine.ranksPerNode = 2;
  machine.nvmeCapacity = 1 << 20;
  machine.sharedCores = sharedCores;
  machine.rates.fill({100e9, false});
  machine.rates[static_cast<size_t>(model::RateId::NvmeBoth)] = {};
  machine.rates[static_cast<size_t>(model::RateId::CgOut)] = {10e9, false};
  machine.rates[static_cast<size_t>(model::RateId::HostLink)] = {hostLink, false};
  std::map<std::string, double> rates;
  const std::optional<Efficiency> figures = efficiencyOf(analysis);
  for (const MovedBytes &moved : figures->moved)
    for (const LinkEfficiency &link : moved.over)
      rates[link.link] = link.perSecond;
  return rates;
}

TEST(Efficiency, LinksThroughTheHostsMemoryAreNoFasterThanIt) {
  const auto expect = [](const std::map<std::string, double> &rates, double cg, double nvme, double host,
                         double gg) {
    ASSERT_EQ(rates.size(), 4u);
    EXPECT_NEAR(rates.at("cg"), cg, 1e-6 * cg);
    EXPECT_NEAR(rates.at("nvme"), nvme, 1e-6 * nvme);
    EXPECT_NEAR(rates.at("host"), host, 1e-6 * host);
    EXPECT_NEAR(rates.at("gg"), gg, 1e-6 * gg);
  };
  // The slower direction of the link of each rank; half of the node's disk and host. A gather brings a rank
  // half of the bytes.
  expect(linkRates(0), 10e9, 50e9, 50e9, 200e9);
  // Half of 40 GB/s for each rank. Devices reach each other past the host.
  expect(linkRates(40e9), 10e9, 20e9, 20e9, 200e9);
  expect(linkRates(8e9), 4e9, 4e9, 4e9, 200e9);
  // A core of its own for each rank, whose rates have the host's memory in them. Cores copy a whole gather.
  expect(linkRates(8e9, 2), 10e9, 50e9, 50e9, 100e9);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The columns of the tables of --analyze stay readable, however large the model and the machine.
#include "compiler/analysis/Analysis.h"
#include "compiler/analysis/Grid.h"
#include <gtest/gtest.h>
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

} // namespace

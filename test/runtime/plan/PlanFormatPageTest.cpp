// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page on the plan format (docs/plan-format.md) has the same table of instructions as the code.
#include "runtime/plan/InstructionTable.h"
#include "test/support/Folders.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace windlass::plan;

namespace {

/// The parts of a text between separators, without the spaces around them.
std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    size_t first = part.find_first_not_of(" `"), last = part.find_last_not_of(" `");
    parts.push_back(first == std::string::npos ? "" : part.substr(first, last - first + 1));
  }
  return parts;
}

struct Row {
  std::set<std::string> lanes;
  std::string operands;

  bool operator==(const Row &) const = default;
};

void PrintTo(const Row &row, std::ostream *out) {
  for (const std::string &lane : row.lanes)
    *out << lane << " ";
  *out << "| " << row.operands;
}

/// Several instructions may share a line of the page. Then semicolons separate their operands, and different
/// lanes stand in the order of the instructions.
std::map<std::string, Row> rowsOfPage() {
  std::ifstream page(WINDLASS_SOURCE_DIR "/docs/plan-format.md");
  std::map<std::string, Row> rows;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    inside = line == "| op | lane | operands | does |" || (inside && line.starts_with("|"));
    std::vector<std::string> cells = split(line, '|');
    if (!inside || cells.size() != 5 || !line.starts_with("| `"))
      continue;
    std::vector<std::string> ops = split(cells[1], ','), lanes = split(cells[2], ','),
                             operands = split(cells[3], ';');
    for (size_t i = 0; i < ops.size(); ++i) {
      Row &row = rows[ops[i]];
      if (ops.size() > 1 && lanes.size() == ops.size())
        row.lanes = {lanes[i]};
      else
        row.lanes = {lanes.begin(), lanes.end()};
      row.operands = i < operands.size() ? operands[i] : "";
    }
  }
  return rows;
}

/// The operands in the words of the page: "rd wd*" is "r device, w device…".
std::string operandsInWords(Opcode op) {
  if (rowOf(op).operands == "kernel")
    return "as its kernel says, all in one arena";
  std::string words;
  OperandCount count = operandCount(op);
  for (size_t i = 0; i < count.least; ++i) {
    OperandRule rule = operandRule(op, i);
    words += (i ? ", " : "") + std::string(textOf(rule.access)) + " " + std::string(textOf(rule.tier));
  }
  return words + (count.more ? "…" : "");
}

TEST(PlanFormatPage, HasTheTableOfInstructions) {
  std::map<std::string, Row> table;
  for (size_t op = 0; op < countOf<Opcode>(); ++op) {
    const InstructionRow &row = rowOf(static_cast<Opcode>(op));
    Row &expected = table[std::string(row.text)];
    for (size_t lane = 0; lane < kLanes; ++lane)
      if (row.lanes.holds(static_cast<Lane>(lane)))
        expected.lanes.insert(std::string(textOf(static_cast<Lane>(lane))));
    expected.operands = operandsInWords(static_cast<Opcode>(op));
  }
  EXPECT_EQ(rowsOfPage(), table);
}

} // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===- Figures.h - the numbers of an analysis, before they are printed =======//
//
// Duty: every figure of `windlass-compile --analyze` once: the tables for people (Analysis.h) and the JSON
// for programs (Json.cpp) are made of these.
// Units: bytes, elements, FLOP. Errors: none. Threads: pure functions.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "compiler/analysis/Analysis.h"
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace windlass::analysis {

enum class Unit { Elements, Bytes, Flop };
std::string_view word(Unit unit);
/// Three digits; elements with all of theirs.
std::string shown(double value, Unit unit);

/// A value by a formula that assumes heads which together are as wide as the hidden size; nothing where they
/// are not.
inline std::optional<double> ofPapersWidths(const Analysis &analysis, double value) {
  return analysis.transformer->hasPapersWidths() ? std::optional(value) : std::nullopt;
}

/// By formula, and as counted in the IR.
struct Quantity {
  struct Counted {
    double value = 0;
    const char *words = "";
  };
  const char *name = "", *source = "", *formula = "";
  Unit unit = Unit::Elements;
  std::optional<double> papers = {}; ///< none: no transformer, or one of other widths
  std::vector<Counted> counted = {}; ///< the first is the whole or the main part
};
/// Empty where no IR was counted.
std::vector<Quantity> quantitiesOf(const Analysis &analysis);

struct ActivationTable {
  struct Row {
    const char *recompute = "", *formula = "";
    std::vector<std::optional<double>> bytes; ///< by tensor-parallel ranks; none: other widths
  };
  std::vector<int64_t> ranks;
  std::vector<Row> rows;
  std::string counted;               ///< what `countedBytes` are of; empty: of one rank, in another table
  std::optional<double> papers = {}; ///< the same by formula; none: other widths
  double countedBytes = 0;
};
/// Empty without a transformer.
ActivationTable activationsOf(const Analysis &analysis);

/// Elements of a layer that tensor ranks exchange, and bytes that it keeps on each of them, each way.
struct ExchangeRow {
  std::string recompute;
  const char *act = "", *formula = ""; ///< as ACT counts, and as the IR has it
  double byAct = 0, byFormula = 0;
  ExchangedElements counted;
  std::optional<double> keptByAct;
  double kept = 0;
};
/// Empty without a transformer or tensor ranks.
std::vector<ExchangeRow> exchangesOf(const Analysis &analysis);

/// By what ZeRO partitions: nothing, Pos, Pos+g, Pos+g+p.
struct StateTable {
  struct Row {
    std::string name;
    std::array<std::optional<double>, 4> stages;
  };
  std::string title;
  Unit unit = Unit::Bytes;
  std::vector<Row> rows;
};
/// Bytes of a rank, the largest models, those that ZeRO's authors trained, elements on the wire.
std::array<StateTable, 4> stateTablesOf(const Analysis &analysis);

/// What a link moves, and how efficient that leaves the step (INF Eq. 6).
struct LinkEfficiency {
  std::string link;
  int64_t links = 1;    ///< that work together
  double perSecond = 0; ///< bytes, of one
  double efficiency = 0;
};
struct MovedBytes {
  const char *name = "", *source = "";
  double intensity = 0;                  ///< FLOP per byte
  double forHalf = 0, forNineTenths = 0; ///< bytes per second for efficiencies of 50 and 90 %
  std::vector<LinkEfficiency> over;
};
struct Efficiency {
  double peak = 0; ///< FLOP per second
  std::vector<MovedBytes> moved;
};
/// Empty without a transformer; without checkpoints of activations where heads are not as wide as the
/// papers'.
std::optional<Efficiency> efficiencyOf(const Analysis &analysis);

} // namespace windlass::analysis

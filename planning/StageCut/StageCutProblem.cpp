// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/StageCut/StageCutProblem.h"

#include "planning/TextForm.h"

namespace windlass::planning {

std::string printStageCut(const StageCutProblem &problem) {
  std::string text = "rank capacity=" + std::to_string(problem.capacity) + "\n";
  for (int64_t slots : problem.slots)
    text += "stage slots=" + std::to_string(slots) + "\n";
  for (const CutLayer &layer : problem.layers)
    text += "layer seconds=" + shortest(layer.seconds) + " kept=" + std::to_string(layer.kept) +
            (layer.joined ? " joined=1\n" : "\n");
  return text;
}

Result<StageCutProblem> parseStageCut(std::string_view text) {
  StageCutProblem problem;
  for (TextLine &line : textLines(text)) {
    if (line.word() == "rank")
      problem.capacity = line.integer("capacity");
    else if (line.word() == "stage")
      problem.slots.push_back(line.integer("slots", 1));
    else if (line.word() == "layer")
      problem.layers.push_back({line.real("seconds"), line.integer("kept"), line.integer("joined") != 0});
    else
      line.fail(line.word(), "the facts of a stage cut are \"rank\", \"stage\" and \"layer\"");
    WINDLASS_TRY(line.finish());
  }
  return problem;
}

} // namespace windlass::planning

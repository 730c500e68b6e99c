// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stands in for ModelQuestions.cpp where no LLVM is installed.
#include "tools/windlass-sim/ModelQuestions.h"

namespace windlass::sim {

Status answer(const ModelQuestion &question) {
  return Status::badInput(question.model +
                          ": is no plan's folder, and this windlass-sim was built without the "
                          "compiler, which a model needs");
}

} // namespace windlass::sim

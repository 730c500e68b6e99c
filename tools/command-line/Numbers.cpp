// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/command-line/Numbers.h"

namespace windlass {

CLI::Validator realNumber(double least, double most) {
  const std::string range = CLI::detail::to_string(least) + " to " + CLI::detail::to_string(most);
  return {[=](const std::string &text) -> std::string {
            const std::optional<double> value = numberOf<double>(text);
            return value && *value >= least && *value <= most
                       ? ""
                       : "must be a number from " + range + ", is " + text;
          },
          range};
}

} // namespace windlass

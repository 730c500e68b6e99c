// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/KernelFiles.h"
#include "runtime/base/Hash.h"

namespace windlass::plan {

std::string pathOf(const KernelFile &file, const std::string &folder) {
  return (folder.empty() ? "." : folder) + "/" + file.name;
}

Status checkKernelFile(const KernelFile &file, const std::string &folder) {
  const std::string path = pathOf(file, folder);
  Result<std::string> hash = hashOfFile(path);
  WINDLASS_TRY(hash.status());
  if (*hash != file.hash)
    return Status::badInput("'" + path + "': hash is " + *hash + ", the plan asks for " + file.hash +
                            "; copy the plan's folder again, or compile it anew");
  return Status::ok();
}

std::vector<std::string> findKernelFaults(const Plan &plan, const std::string &folder) {
  std::vector<std::string> faults;
  for (const KernelFile &file : plan.kernelFiles)
    if (const Status status = checkKernelFile(file, folder); !status)
      faults.push_back(status.message());
  return faults;
}

} // namespace windlass::plan

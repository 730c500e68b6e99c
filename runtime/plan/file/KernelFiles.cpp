// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/plan/file/KernelFiles.h"
#include "runtime/base/File.h"
#include "runtime/base/Hash.h"
#include "runtime/plan/KernelSignature.h"

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

/// The host's file says beside the code what each kernel is (KernelSignature.h). It is not loaded to ask.
static Status checkTable(const Plan &plan, const KernelFile &file, const std::string &folder) {
  if (file.target != plan.target.cpu)
    return Status::ok();
  Result<std::string> code = readFile(pathOf(file, folder));
  WINDLASS_TRY(code.status());
  const std::string table = signatureTable(plan.kernels) + '\0';
  return code->find(table) != std::string::npos
             ? Status::ok()
             : Status::badInput("'" + pathOf(file, folder) +
                                "': was made for other kernels than the plan's; compile the plan again");
}

std::vector<std::string> findKernelFaults(const Plan &plan, const std::string &folder) {
  std::vector<std::string> faults;
  for (const KernelFile &file : plan.kernelFiles)
    for (const Status &status : {checkKernelFile(file, folder), checkTable(plan, file, folder)})
      if (!status) {
        faults.push_back(status.message());
        break;
      }
  return faults;
}

} // namespace windlass::plan

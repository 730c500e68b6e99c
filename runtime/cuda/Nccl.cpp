// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Nccl.h"
#include <cstdlib>

namespace windlass::cuda {

Result<Nccl> bindNccl(const SharedLibrary &library) {
  Nccl functions;
#define WINDLASS_NCCL_CALL(Member, Symbol, Since, Result, Parameters)                                        \
  WINDLASS_TRY(library.bind(#Symbol, Since, functions.Member));
#include "runtime/cuda/Nccl.def"
  return functions;
}

Result<Nccl> loadNccl() {
  static constexpr const char *kFiles[] = {"libnccl.so.2"};
  const Result<SharedLibrary> library = SharedLibrary::open("NCCL", kFiles);
  if (!library)
    return library.status();
  return bindNccl(*library);
}

/// Until 2.8 a release is numbered in thousands, since then in ten thousands.
std::string versionOf(const Nccl &nccl) {
  int number = 0;
  if (nccl.version(&number) != kNcclSuccess)
    return "of an unknown version";
  const int major = number < 10000 ? number / 1000 : number / 10000;
  const int minor = (number < 10000 ? number % 1000 : number % 10000) / 100;
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(number % 100);
}

NcclWay settleWay() {
  const auto settle = [](const char *variable, const char *usual) {
    ::setenv(variable, usual, /*overwrite=*/0);
    return std::string(std::getenv(variable));
  };
  std::string algorithm = settle("NCCL_ALGO", "Ring"), protocol = settle("NCCL_PROTO", "Simple");
  return {std::move(algorithm), std::move(protocol)};
}

} // namespace windlass::cuda

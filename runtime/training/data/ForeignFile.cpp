// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/training/data/ForeignFile.h"

#include <algorithm>
#include <string_view>

namespace windlass {
namespace {

using namespace std::string_view_literals;

constexpr const char *kUnpack = "unpack it first";
constexpr const char *kExtract = "save the text in it as .txt, or its tokens as .npy or .bin";
constexpr const char *kAlone = "a .safetensors file is given by its own name, not among others";

/// A kind of file, by how its name ends and how it begins; either may be empty.
struct Foreign {
  std::string_view ending, magic;
  const char *what, *instead;
};

constexpr Foreign kForeign[] = {
    {".gz", "\x1f\x8b"sv, "compressed (gzip)", kUnpack},
    {".tgz", "", "compressed (gzip)", kUnpack},
    {".bz2", "BZh", "compressed (bzip2)", kUnpack},
    {".xz",
     "\xfd"
     "7zXZ\0"sv,
     "compressed (xz)", kUnpack},
    {".zst", "\x28\xb5\x2f\xfd"sv, "compressed (zstd)", kUnpack},
    {".lz4", "\x04\x22\x4d\x18"sv, "compressed (lz4)", kUnpack},
    {".zip", "PK\x03\x04"sv, "an archive (zip, also .npz and .pt)", kUnpack},
    {".7z", "7z\xbc\xaf\x27\x1c"sv, "an archive (7z)", kUnpack},
    {".tar", "", "an archive (tar)", kUnpack},
    {".jsonl", "", "JSON records", kExtract},
    {".ndjson", "", "JSON records", kExtract},
    {".parquet", "PAR1", "a table (Parquet)", kExtract},
    {".arrow", "ARROW1", "a table (Arrow)", kExtract},
    {".feather", "FEA1", "a table (Feather)", kExtract},
    {".tfrecord", "", "records (TFRecord)", kExtract},
    {".h5", "\x89HDF\r\n\x1a\n"sv, "an HDF5 file", kExtract},
    {".hdf5", "", "an HDF5 file", kExtract},
    {".npz", "", "an archive of arrays (NumPy)", kExtract},
    {".pt", "", "a file of PyTorch", kExtract},
    {".pth", "", "a file of PyTorch", kExtract},
    {".pkl", "", "a pickle", kExtract},
    {".safetensors", "", "tensors", kAlone},
};

constexpr size_t kLongestMagic = 8;

} // namespace

Status refuseForeign(const File &file) {
  Result<int64_t> size = file.size();
  if (!size)
    return Status::badInput(size.status().message());
  std::string start(std::min<size_t>(kLongestMagic, static_cast<size_t>(*size)), '\0');
  if (const Status read = file.readAt(0, std::as_writable_bytes(std::span(start))); !read)
    return Status::badInput(read.message());
  for (const Foreign &known : kForeign)
    if (file.path().ends_with(known.ending) || (!known.magic.empty() && start.starts_with(known.magic)))
      return Status::badInput(file.path() + ": is no text but " + known.what + ": " + known.instead +
                              "; to train its bytes as they stand, name it .bin and say --token-type u8");
  return Status::ok();
}

} // namespace windlass

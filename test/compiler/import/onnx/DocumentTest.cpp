// What the document says of inputs, and what it is called.
#include "compiler/import/onnx/DescribeOnnx.h"
#include "test/compiler/import/onnx/ModelMaker.h"
#include "test/runtime/training/TemporaryFolder.h"

using namespace windlass;
using namespace windlass::test;

namespace {

using nlohmann::json;

json documentOf(const ModelMaker &maker, const std::string &name = "made.onnx") {
  TemporaryFolder folder;
  TrainingOptions training;
  training.microBatch = 4;
  Result<OnnxDescription> description = describeOnnx(folder.write(name, maker.bytes()), training, {});
  EXPECT_TRUE(description) << description.status().message();
  return description ? description->document : json::object();
}

/// A file may be called what is no UTF-8; JSON may not.
TEST(OnnxDocument, hasANameInUtf8) { EXPECT_EQ(documentOf(linearModel(), "a\xff.onnx")["name"], "a\uFFFD"); }

} // namespace

#include "dialects/Graph/IR/GraphDialect.h"

// RUN: not windlass-opt %s --partition="ranks=2 stage=4" 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not windlass-opt %s --partition="ranks=0 stage=3" 2>&1 | FileCheck %s --check-prefix=RANKS

// STAGE: error: partition needs ranks >= 1, a stage of 0 to 3 and a positive bucket size; found ranks 2, stage 4, bucket-bytes 4194304
// RANKS: found ranks 0, stage 3
module {}

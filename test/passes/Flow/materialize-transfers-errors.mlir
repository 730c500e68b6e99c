// RUN: windlass-opt %s --materialize-transfers --verify-diagnostics

// expected-error@+1 {{home 'w' has no tier; place it first}}
flow.home @w bytes(4096) class(parameter) tier(unplaced)

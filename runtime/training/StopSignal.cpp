#include "runtime/training/StopSignal.h"

namespace windlass {
namespace {

volatile std::sig_atomic_t lastSignal = 0;
void noteSignal(int signal) { lastSignal = signal; }

} // namespace

StopSignal::StopSignal() {
  lastSignal = 0;
  struct sigaction action = {};
  action.sa_handler = noteSignal;
  action.sa_flags = SA_RESTART | SA_RESETHAND;
  sigaction(SIGINT, &action, &oldInterrupt);
  sigaction(SIGTERM, &action, &oldTerminate);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &oldInterrupt, nullptr);
  sigaction(SIGTERM, &oldTerminate, nullptr);
}

int StopSignal::received() const { return lastSignal; }

} // namespace windlass

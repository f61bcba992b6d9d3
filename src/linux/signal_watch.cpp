// SPDX-License-Identifier: Apache-2.0
#include "linux/signal_watch.h"

#include <pthread.h>
#include <sys/signalfd.h>

namespace atys::linux {

Result<SignalWatch> SignalWatch::create() {
  SignalWatch watch;
  sigset_t watched;
  sigemptyset(&watched);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched, number);
  ::pthread_sigmask(SIG_BLOCK, &watched, &watch.before_);
  watch.fd_.reset(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!watch.fd_.is_open()) return fail_errno("watch for signals");
  return watch;
}

SignalWatch::~SignalWatch() {
  if (!fd_.is_open()) return;
  while (take().number != 0) {  // one that we have acted on must not end us now
  }
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

SignalWatch::Taken SignalWatch::take() {
  signalfd_siginfo info{};
  if (::read(fd_.get(), &info, sizeof(info)) != sizeof(info)) return {};
  return {static_cast<int>(info.ssi_signo), info.ssi_code == SI_KERNEL};
}

}  // namespace atys::linux

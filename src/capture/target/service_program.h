// SPDX-License-Identifier: Apache-2.0
// What a process runs, as a person would call it, and where: what services are told apart by that nobody has named. Only by
// what does not change when it is started again: no pid, no port, no id of a container.
#pragma once

#include <string>

#include "capture/target/process_facts.h"
#include "linux/process.h"

namespace atys::capture {

// The base name of its program; of an interpreter, that of the script or jar, or the class or module: "nginx", "search.py",
// "shop.Checkout", "gunicorn".
std::string program_name(const linux::ProcessInfo& process);

// The folder that this lies in, as the process sees it. What is looked for somewhere, a class or a module, is of that
// folder; what is on everybody's path, a script of a bin folder, and code given on the command line are of the folder that
// the process works in. Empty: it is not ours to see.
std::string program_folder(const linux::ProcessInfo& process, ProcessFacts& facts);

// What it runs in: its systemd service, its pod's owner or its container, or a control group that somebody made, by name:
// "nginx", "postgresql@15-main", "shop-web". Empty: none of these.
std::string place_of(const linux::ProcessInfo& process, ProcessFacts& facts);

}  // namespace atys::capture

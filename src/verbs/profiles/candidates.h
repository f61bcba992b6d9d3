// SPDX-License-Identifier: Apache-2.0
// What can be named on this machine: processes, services, profiles. For completion, so it is quick, bounded, and never
// fails.
#pragma once

#include <string>
#include <vector>

namespace atys::verbs {

struct Candidate {
  std::string value;
  std::string text;  // what it is; may be empty
};

enum class CandidateKind { Processes, Services, Cgroups, Users, Profiles, Ledgers, FleetServices, Events, Languages };

// Only values that mean themselves to every shell: a process may be called anything, `$(rm -r ~)` too. Texts are one line of
// printable characters.
std::vector<Candidate> candidates(CandidateKind kind);

// Whether a shell takes the text as one word, as it is.
bool is_plain_word(const std::string& text);

}  // namespace atys::verbs

// SPDX-License-Identifier: Apache-2.0
// A profile as the page wants it: JSON with a string table and columns of varints in base64.
//   functions  columns of string numbers; of `shortName` those that are even are twice such a number, those that are odd
//              twice how many characters of the name go before it, and one
//   nodes      the call tree in preorder, without the root: `shape`, how many levels the node lies above a child of the node
//              before it (0: it is its child), and `function`
//   places     where lines are known: `more`, how many places each node has beyond one; of each place but the root's, in the
//              order of nodes, `parent`, its position among the places of the parent's node if that has several, and `line`,
//              zigzag, as the difference to the line of that function before
//   rows       the samples, by context, time and place: `runs`, pairs of a context and how many rows it has; `time`, steps
//   since the
//              row before in the run, 1 for the first step, 0 for no time; `place` (a node where there are no places),
//              zigzag, as the difference to the row before; `values`, one column per value type: 0 for the value of the row
//              before, else 1 + zigzag. Totals are added up by the page.
//   facets     what contexts can be told apart by; `contexts` holds the value of each facet of each context
//   sums       where frames were folded into "(other)": `self` and `total` by function, zigzag, in the column that is drawn,
//              of the profile and of the one that it is compared with
//   base       where two profiles are compared: the same facts and samples of the other one
#pragma once

#include <string>

#include "format/format.h"
#include "profile/profile.h"

namespace atys::format::flame_html {

std::string page_title(const Profile& profile, const WriteOptions& options);
std::string page_data(const Profile& profile, const WriteOptions& options);

}  // namespace atys::format::flame_html

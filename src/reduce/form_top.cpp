// SPDX-License-Identifier: Apache-2.0
#include "reduce/form_top.h"

#include <algorithm>

#include "base/strings.h"
#include "reduce/call_tree.h"
#include "reduce/charged_places.h"
#include "reduce/code_origins.h"
#include "reduce/hot_paths.h"
#include "reduce/sample_count.h"

namespace atys::reduce {

namespace {

std::string path_text(const std::vector<std::string>& names) { return joined(names, " > "); }

Entity named(std::string name) {
  Entity entity;
  entity.name = std::move(name);
  return entity;
}

void add(Top& top, Entity entity, double self, double total) {
  const double share = top.value_total == 0 ? 0 : self / top.value_total;
  const SampleCount count{.effective = top.samples, .is_known = top.is_count_known};
  top.rows.push_back({std::move(entity), self, total, share_interval(share, count)});
}

void add_paths(Top& top, const Profile& profile, size_t column, const CodeOrigins& code) {
  for (const RawStack& row : hot_paths(profile, column, code)) add(top, named(path_text(row.path)), row.total, row.total);
}

void add_tree(Top& top, const Profile& profile, size_t column, const CodeOrigins& code) {
  const CallTree tree(profile, column, code.attribution(), [&](EntityId entity) { return code.is_own(entity); });
  for (uint32_t i = 1; i < tree.nodes().size(); ++i)
    add(top, named(path_text(tree.path_of(i))), tree.nodes()[i].self, tree.nodes()[i].total);
}

// Functions of the user's own code and of packages, each with what the runtime costs below it.
void add_charged(Top& top, const Profile& profile, size_t column, const CodeOrigins& code) {
  const auto charged = code.charged(profile, column, std::max(code.shown_as_own(), Origin::Library));
  for (size_t i = 0; i < charged.size(); ++i) {
    if (charged[i] != 0) add(top, code.attribution().entities()[i], charged[i], charged[i]);
  }
}

// Other places, each with what it calls that is not shown in its own right.
void add_places(Top& top, const Profile& profile, size_t column, const Dimension& by, const CodeOrigins& code, Origin most) {
  for (ChargedPlace& place : charged_places(profile, column, by, code, most))
    add(top, std::move(place.entity), place.charged, place.total);
}

}  // namespace

Result<Dimension> dimension_of(Form form, std::string_view by) {
  switch (form) {
    case Form::Table:
    case Form::Brief: return parse_dimension(by);
    case Form::Lines: return Dimension{DimensionKind::Line, {}};
    case Form::Paths:
    case Form::Raw:
    case Form::Tree: break;
  }
  return Dimension{};
}

Top top_in_form(const Profile& profile, size_t column, Form form, const Dimension& by, const OwnCode& own_code) {
  if (form == Form::Table) return top(profile, column, by);
  const CodeOrigins code(profile, column, own_code);
  const SampleCount count = count_samples(profile, column);
  Top result{.value_total = code.sum(), .samples = count.effective, .rows = {}, .is_count_known = count.is_known};
  if (form == Form::Lines) {
    add_places(result, profile, column, by, code, code.shown_as_own());
  } else if (form == Form::Brief && by.kind == DimensionKind::Function) {
    add_charged(result, profile, column, code);
  } else if (form == Form::Brief) {
    add_places(result, profile, column, by, code, std::max(code.shown_as_own(), Origin::Library));
  } else if (form == Form::Tree) {
    add_tree(result, profile, column, code);
  } else {
    add_paths(result, profile, column, code);
  }
  return result;
}

}  // namespace atys::reduce

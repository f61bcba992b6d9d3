// SPDX-License-Identifier: Apache-2.0
#include "verbs/diff_forms.h"

#include <algorithm>

#include "reduce/code_origins.h"
#include "verbs/call_tree.h"
#include "verbs/hot_paths.h"

namespace atys::verbs {

namespace {

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text.append(text.empty() ? "" : " > ").append(name);
  return text;
}

reduce::Entity named(std::string name) {
  reduce::Entity entity;
  entity.name = std::move(name);
  return entity;
}

void add(reduce::Top& top, reduce::Entity entity, double self, double total) {
  const double share = top.value_total == 0 ? 0 : self / top.value_total;
  const reduce::SampleCount count{.effective = top.samples, .is_known = top.is_count_known};
  top.rows.push_back({std::move(entity), self, total, reduce::share_interval(share, count)});
}

void add_paths(reduce::Top& top, const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  for (SummaryRow& row : hot_paths(viewed, code)) add(top, named(joined(row.path)), row.total, row.total);
}

void add_tree(reduce::Top& top, const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const CallTree tree(viewed.loaded.profile, viewed.column, code.attribution(),
                      [&](reduce::EntityId entity) { return code.is_own(entity); });
  for (uint32_t i = 1; i < tree.nodes().size(); ++i)
    add(top, named(joined(tree.path_of(i))), tree.nodes()[i].self, tree.nodes()[i].total);
}

// Functions of the user's own code and of packages, each with what the runtime costs below it.
void add_charged(reduce::Top& top, const ViewedProfile& viewed, const reduce::CodeOrigins& code) {
  const auto charged =
      code.charged(viewed.loaded.profile, viewed.column, std::max(code.shown_as_own(), reduce::Origin::Library));
  for (size_t i = 0; i < charged.size(); ++i) {
    if (charged[i] != 0) add(top, code.attribution().entities()[i], charged[i], charged[i]);
  }
}

}  // namespace

Result<reduce::Dimension> diff_dimension(const View& view) {
  if (view.form == "table") return reduce::parse_dimension(view.by);
  if (view.form == "lines") return reduce::parse_dimension("line");
  if (view.form == "paths" || view.form == "raw" || view.form == "tree" || view.form == "brief") return reduce::Dimension{};
  return fail(ErrorCode::InvalidInput, "diff has no form '" + view.form + "'",
              "use table, paths, tree, lines, brief or raw");
}

reduce::Top top_in_form(const ViewedProfile& viewed, const View& view, const reduce::Dimension& by,
                        const reduce::OwnCode& own_code) {
  if (view.form == "table" || view.form == "lines") return reduce::top(viewed.loaded.profile, viewed.column, by);
  const reduce::CodeOrigins code(viewed.loaded.profile, viewed.column, own_code);
  const reduce::SampleCount count = reduce::count_samples(viewed.loaded.profile, viewed.column);
  reduce::Top top{.value_total = code.sum(), .samples = count.effective, .rows = {}, .is_count_known = count.is_known};
  if (view.form == "brief") {
    add_charged(top, viewed, code);
  } else if (view.form == "tree") {
    add_tree(top, viewed, code);
  } else {
    add_paths(top, viewed, code);
  }
  return top;
}

}  // namespace atys::verbs

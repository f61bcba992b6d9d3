// SPDX-License-Identifier: Apache-2.0
#include "reduce/prune.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "profile/import.h"
#include "reduce/attribution.h"
#include "reduce/pattern.h"
#include "reduce/top.h"

namespace atys::reduce {

using namespace profile;

namespace {

// "std::map<K>::at(int) const" → "std::map<K>::at"; ".sym" → "sym". Parentheses that are part of a name stay.
std::string_view simple_name(std::string_view name) {
  static constexpr std::string_view kParts[] = {"(anonymous namespace)", "operator()"};
  if (name.starts_with('.')) name.remove_prefix(1);
  size_t at = 0;
  while ((at = name.find('(', at)) != std::string_view::npos) {
    bool is_part = false;
    for (const std::string_view part : kParts) {
      const size_t inside = part.find('(');
      if (at >= inside && name.substr(at - inside).starts_with(part)) {
        at += part.size() - inside;
        is_part = true;
        break;
      }
    }
    if (!is_part) return name.substr(0, at);
  }
  return name;
}

// How much of a frame goes: nothing, the innermost of its inlined functions, or all of it.
struct Cut {
  bool touches = false;
  size_t lines_cut = 0;  // innermost
  bool whole = false;
};

Cut cut_of(const Profile& profile, const Frame& frame, const Pattern& drop, const Pattern* keep) {
  const auto lines = profile.lines[frame.lines];
  for (size_t i = lines.size(); i-- > 0;) {
    const std::string_view name = simple_name(function_name(profile, lines[i].function));
    if (drop.matches_whole(name) && (keep == nullptr || !keep->matches_whole(name)))
      return {true, i + 1, i + 1 == lines.size()};
  }
  return {};
}

// Copies a profile with stacks changed by `shorten(stack, importer, frames)`, which fills `frames` of the new profile.
using Shorten = std::function<void(std::span<const FrameId>, Importer&, std::vector<FrameId>&)>;

Profile with_stacks(const Profile& profile, Profile& pruned, Importer& importer, const Shorten& shorten) {
  std::vector<int64_t> values(profile.value_types().size());
  std::vector<FrameId> frames;
  for (size_t row = 0; row < profile.samples.size(); ++row) {
    frames.clear();
    shorten(profile.stacks[profile.samples.stack(row)], importer, frames);
    for (size_t type = 0; type < values.size(); ++type) values[type] = profile.samples.value(row, type);
    pruned.samples.add(pruned.stacks.intern(frames), importer.labels(profile.samples.labels(row)), values,
                       profile.samples.time_ns(row));
  }
  return std::move(pruned);
}

// A frame without its `lines_cut` innermost lines.
FrameId import_outer_lines(FrameId id, size_t lines_cut, Importer& importer, Profile& into) {
  Frame frame = into.frames[importer.frame(id)];
  const auto all = into.lines[frame.lines];
  const std::vector<Line> outer(all.begin() + static_cast<ptrdiff_t>(lines_cut), all.end());
  frame.lines = into.lines.intern(outer);
  return into.frames.intern(frame);
}

}  // namespace

Result<Profile> prune_matching(const Profile& profile, const std::string& drop_expression,
                               const std::string& keep_expression) {
  if (drop_expression.empty()) return profile;
  const Pattern drop = TRY(Pattern::compile(drop_expression));
  std::optional<Pattern> keep;
  if (!keep_expression.empty()) keep = TRY(Pattern::compile(keep_expression));

  std::vector<Cut> cuts(profile.frames.size());
  for (uint32_t i = 1; i < cuts.size(); ++i)
    cuts[i] = cut_of(profile, profile.frames[FrameId{i}], drop, keep ? &*keep : nullptr);

  Profile pruned;
  Importer importer(profile, pruned);
  importer.copy_header();
  return with_stacks(
      profile, pruned, importer, [&](std::span<const FrameId> stack, Importer& to, std::vector<FrameId>& frames) {
        size_t first = 0;  // the frame that becomes the leaf
        bool found_user = false;
        for (size_t i = stack.size(); i-- > 0;) {
          const Cut& cut = cuts[raw(stack[i])];
          if (!cut.touches) found_user = true;
          if (!cut.touches || !found_user) continue;
          first = cut.whole ? i + 1 : i;
          break;
        }
        for (size_t i = first; i < stack.size(); ++i) {
          const Cut& cut = cuts[raw(stack[i])];
          const bool is_cut_leaf = i == first && cut.touches && !cut.whole;
          frames.push_back(is_cut_leaf ? import_outer_lines(stack[i], cut.lines_cut, to, pruned) : to.frame(stack[i]));
        }
      });
}

Result<Profile> prune_as_asked(const Profile& profile) {
  return prune_matching(profile, std::string(profile.text(profile.header.drop_frames)),
                        std::string(profile.text(profile.header.keep_frames)));
}

Profile prune_below(const Profile& profile, size_t column, double min_share) {
  // Which functions are large enough, by name and file, as `top` tells functions apart.
  const Top functions = top(profile, column, {});
  std::map<std::pair<std::string_view, std::string_view>, bool> is_large;
  for (const TopRow& row : functions.rows) {
    is_large[{row.entity.name, row.entity.file}] = row.total >= min_share * functions.value_total;
  }
  const Attribution attribution(profile, {});
  std::vector<bool> keeps(profile.frames.size());
  for (uint32_t i = 1; i < keeps.size(); ++i) {
    const Entity& outermost = attribution.entities()[static_cast<size_t>(attribution.of_frame(FrameId{i}).back())];
    keeps[i] = is_large[{outermost.name, outermost.file}];
  }

  Profile pruned;
  Importer importer(profile, pruned);
  importer.copy_header();
  const FrameId marker = pruned.named_frame("(pruned)");
  return with_stacks(profile, pruned, importer,
                     [&](std::span<const FrameId> stack, Importer& to, std::vector<FrameId>& frames) {
                       size_t first = stack.size();
                       while (first > 0 && keeps[raw(stack[first - 1])]) --first;
                       if (first > 0) frames.push_back(marker);
                       for (size_t i = first; i < stack.size(); ++i) frames.push_back(to.frame(stack[i]));
                     });
}

}  // namespace atys::reduce

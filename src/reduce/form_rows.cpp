// SPDX-License-Identifier: Apache-2.0
#include "reduce/form_rows.h"

#include <type_traits>

namespace atys::reduce {

namespace {

template <Form form, typename Rows>
constexpr bool kIsAt = std::is_same_v<std::variant_alternative_t<static_cast<size_t>(form), FormRows>, Rows>;

static_assert(kIsAt<Form::Table, TableRows> && kIsAt<Form::Paths, PathRows> && kIsAt<Form::Tree, TreeRows> &&
              kIsAt<Form::Lines, LineRows> && kIsAt<Form::Brief, BriefRows> && kIsAt<Form::Raw, RawRows>);

}  // namespace

size_t count_rows(const FormRows& rows) {
  return std::visit([](const auto& of_form) { return of_form.rows.size(); }, rows);
}

const CostRow* first_row(const FormRows& rows) {
  return std::visit([](const auto& of_form) -> const CostRow* { return of_form.rows.empty() ? nullptr : &of_form.rows[0]; },
                    rows);
}

}  // namespace atys::reduce

// SPDX-License-Identifier: Apache-2.0
// What a text is printed on. Pipes, files and clients get text as wide as it is; a terminal has a width and may have colour.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace atys::present::text {

struct Screen {
  size_t columns = 0;  // 0: no bound
  bool has_color = false;
};

// Told once, before anything is printed, by whoever owns the terminal; until then, and for everybody else, there is none.
void use_screen(const Screen& screen);
const Screen& screen();

enum class Tone { Plain, Bold, Faint, Good, Doubtful, Bad };
// The text in a colour, where the screen has any.
std::string toned(std::string_view text, Tone tone);

// Cells of a terminal that a text takes: two for wide characters, none for those that combine with the one before.
size_t screen_width(std::string_view text);
// The beginning of a text that takes at most so many.
std::string_view cut_to_width(std::string_view text, size_t columns);

// A name, path or sentence in at most so many cells; what tells it apart from others is kept: the last part of a qualified
// name before its arguments, the end of a path, the beginning of a sentence.
std::string shortened(std::string_view text, size_t columns);

// "a > b > c" in at most so many cells: its beginning and as much of its end as there is room for.
std::string joined_path(const std::vector<std::string>& names, size_t columns);

// A line of figures with a text behind them; where the text has little room the figures lose their blanks. `text_in` makes
// the text in so many cells.
std::string on_screen(std::string figures, const std::function<std::string(size_t columns)>& text_in);

// Lines of at most `columns` cells, each behind `indent` blanks; a word that is longer has a line of its own.
std::string wrapped(std::string_view text, size_t indent, size_t columns);

}  // namespace atys::present::text

// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/descriptor_io.h"
#include "present/text/screen.h"

namespace atys::cli {

namespace {

constexpr std::string_view kOtherScreen = "\033[?1049h\033[?25l";
constexpr std::string_view kOwnScreen = "\033[?25h\033[?1049l";
constexpr int kEscapeMs = 30;  // how long the rest of a sequence takes, also over a network

void write_out(std::string_view text) { (void)write_all(STDOUT_FILENO, text); }

winsize size_of_terminal() {
  winsize size{};
  ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  if (size.ws_row == 0) size.ws_row = 24;
  if (size.ws_col == 0) size.ws_col = 80;
  return size;
}

}  // namespace

Result<Terminal> Terminal::take_over() {
  Terminal terminal;
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDOUT_FILENO) == 0 || ::tcgetattr(STDIN_FILENO, &terminal.before_) != 0)
    return fail(ErrorCode::Unavailable, "not a terminal", "say how many windows: --windows N");
  const char* kind = std::getenv("TERM");
  if (kind != nullptr && std::string_view(kind) == "dumb")
    return fail(ErrorCode::Unavailable, "this terminal cannot be drawn on (TERM=dumb)", "say how many windows: --windows N");
  TRY(terminal.enter());
  return terminal;
}

Result<> Terminal::enter() {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  raw.c_cc[VSUSP] = _POSIX_VDISABLE;  // a key like others: the screen has to be given back first
  if (::tcsetattr(STDIN_FILENO, TCSANOW, &raw) != 0) return fail_errno("set up the terminal");
  is_ours_ = true;
  write_out(kOtherScreen);
  return {};
}

void Terminal::leave() {
  if (!std::exchange(is_ours_, false)) return;
  write_out(kOwnScreen);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &before_);
}

Terminal::Terminal(Terminal&& other) noexcept
    : before_(other.before_), keys_(std::move(other.keys_)), is_ours_(std::exchange(other.is_ours_, false)) {}

Terminal::~Terminal() { leave(); }

size_t Terminal::rows() const { return size_of_terminal().ws_row; }
size_t Terminal::columns() const { return size_of_terminal().ws_col; }

void Terminal::suspend() {
  leave();
  ::kill(0, SIGTSTP);  // all that the key would have stopped
  (void)enter();
}

void Terminal::wait(int timeout_ms) const {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  (void)::poll(&input, 1, timeout_ms);
}

bool Terminal::read_more(int timeout_ms) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (has_hung_up_ || ::poll(&input, 1, timeout_ms) <= 0) return false;
  char bytes[256];
  const ssize_t got = ::read(STDIN_FILENO, bytes, sizeof(bytes));
  has_hung_up_ = got <= 0;
  if (got > 0) keys_.add({bytes, static_cast<size_t>(got)});
  return got > 0;
}

Key Terminal::take_key() {
  while (read_more(0)) continue;
  if (const Key key = keys_.take(); key != Key::None) return key;
  if (keys_.is_unfinished()) {
    if (read_more(kEscapeMs)) return take_key();
    return keys_.take_unfinished();
  }
  return has_hung_up_ ? Key::Quit : Key::None;
}

void Terminal::draw(std::string_view text, size_t marked) const {
  const winsize size = size_of_terminal();
  std::string screen = "\033[H";
  for (size_t row = 0; row < size.ws_row; ++row) {
    const size_t end = text.find('\n');
    const std::string_view line = present::text::cut_to_width(text.substr(0, end), size.ws_col);
    screen += row == marked ? "\033[7m" : "";
    screen.append(line).append("\033[K").append(row == marked ? "\033[0m" : "");
    if (row + 1 < size.ws_row) screen += "\r\n";
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  write_out(screen);
}

}  // namespace atys::cli

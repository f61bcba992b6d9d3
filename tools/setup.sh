# SPDX-License-Identifier: Apache-2.0
# What `atys` and `check` share: installing packages and building presets. POSIX sh, sourced with `root` (the repository) and
# `me` (the name to speak under) set. Everything here is quiet when it succeeds, but for one passing line on a terminal.

progress() {
  if [ -t 2 ]; then printf '\r\033[K%s' "${1:+$me: $1…}" >&2; fi
}

die() {
  progress ''
  printf '%s: %s\n' "$me" "$1" >&2
  exit 1
}

# Runs a step with its output kept in a log, which is shown only if the step fails.
logged() {
  log=$1
  shift
  "$@" >>"$log" 2>&1 9>&- </dev/null
}

fail_with_log() {
  progress ''
  tail -n 60 "$1" >&2
  die "$2 (all of it: $1)"
}

packages_of() {
  awk -v wanted=" $* " '
    /^\[/ { gsub(/[][]/, ""); on = index(wanted, " " $0 " "); next }
    on && NF && !/^#/ && !seen[$1]++ { print $1, $2 }' "$root/packaging/debian-packages.txt"
}

missing_packages() {
  wanted=$(packages_of "$@" | while read -r package program; do
    if [ -z "$program" ] || ! command -v "$program" >/dev/null 2>&1; then echo "$package"; fi
  done)
  [ -n "$wanted" ] || return 0
  # shellcheck disable=SC2086  # one word per package
  installed=$(dpkg-query -W -f ' ${Package}=${db:Status-Status} ' $wanted 2>/dev/null || true)
  for package in $wanted; do
    case $installed in *" $package=installed "*) ;; *) echo "$package" ;; esac
  done
}

apt_get() {
  # shellcheck disable=SC2086  # `as_root` is a command with arguments, or nothing
  logged "$apt_log" $as_root env DEBIAN_FRONTEND=noninteractive apt-get -y -q -o DPkg::Lock::Timeout=300 "$@"
}

# A source that cannot be reached is no reason to stop: what is needed may come from another. apt waits for dpkg's lock but not
# for that of its package lists.
update_lists() {
  tries=0
  while ! apt_get update && [ $tries -lt 60 ] && tail -n 5 "$apt_log" | grep -q 'Could not get lock'; do
    tries=$((tries + 1))
    sleep 5
  done
}

# install_packages SECTION…: the packages of those sections. Where there is no dpkg, the build says what it misses.
install_packages() {
  command -v dpkg-query >/dev/null 2>&1 || return 0
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  missing=$(echo $missing)
  line="apt-get update && apt-get install -y --no-install-recommends $missing"
  if [ "$(id -u)" = 0 ]; then
    as_root=
  elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || { [ -t 0 ] && [ -t 2 ] && sudo -v; }; }; then
    as_root=sudo
  else
    die "Debian packages are missing and this user may not install them; as root, run: $line"
  fi
  progress "installing $missing"
  apt_log=$root/build/apt.log
  : >"$apt_log"
  # shellcheck disable=SC2086
  if ! apt_get install --no-install-recommends $missing; then
    update_lists
    apt_get install --no-install-recommends $missing ||
      fail_with_log "$apt_log" "cannot install the Debian packages that are missing; as root, run: $line"
  fi
  progress ''
}

# build PRESET [TARGET]: configures and builds.
build() {
  folder=$root/build/$1
  build_log=$root/build/$1.log
  # A build folder that came along with a copied repository belongs to the original.
  if [ -f "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  : >"$build_log"
  progress "building $1${2:+ $2}"
  cd "$root"
  logged "$build_log" cmake --preset "$1" || logged "$build_log" cmake --fresh --preset "$1" ||
    fail_with_log "$build_log" "cannot configure the $1 build"
  logged "$build_log" cmake --build --preset "$1" ${2:+--target "$2"} || fail_with_log "$build_log" "the $1 build fails"
  progress ''
}

# locked COMMAND…: two of us at once take turns, the second waits.
locked() {
  mkdir -p "$root/build" 2>/dev/null && [ -w "$root/build" ] || die "cannot write to $root/build"
  (
    if ! flock -n 9; then
      progress 'waiting for another build'
      flock 9
    fi
    "$@"
  ) 9>"$root/build/lock"
}

# What the release build is made of; a change of any of it, folders included, is a reason to build again.
release_is_current() {
  stamp=$root/build/release/built
  [ -x "$root/build/release/bin/atys" ] && [ -f "$stamp" ] || return 1
  read -r built_at <"$stamp" || return 1
  [ "$built_at" = "$root" ] || return 1
  [ -z "$(cd "$root" && find src cmake web schema CMakeLists.txt CMakePresets.json packaging/debian-packages.txt \
    -name node_modules -prune -o -newer "$stamp" -print -quit 2>/dev/null)" ]
}

# build_release [TARGET]: all of it, tests included, or TARGET alone. Both are the same build: what one has compiled, the other has.
build_release() {
  if [ "${1-}" = product ] && release_is_current; then return 0; fi
  install_packages build
  # The stamp is as old as the beginning of the build, so that what changes meanwhile is noticed the next time.
  printf '%s\n' "$root" >"$root/build/release.begun"
  build release "$@"
  mv "$root/build/release.begun" "$root/build/release/built"
}

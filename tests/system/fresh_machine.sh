#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Proves the two commands on a machine that has nothing: makes a bare Debian 12 by debootstrap, copies the repository in, and runs
# `atys` and `check` there. Needs root, debootstrap, a Debian mirror and some minutes, so it is no part of `check`.
#
#   fresh_machine.sh [--keep] [CHECK-ARGUMENT…]     the mirror is that of this machine's apt, or $MIRROR
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd -P)
keep=
if [ "${1-}" = --keep ]; then
  keep=1
  shift
fi
[ "$(id -u)" = 0 ] || { echo 'fresh_machine: needs root' >&2; exit 1; }
command -v debootstrap >/dev/null || { echo 'fresh_machine: needs debootstrap: apt-get install debootstrap' >&2; exit 1; }

mirror=${MIRROR-$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' |
  awk '$1 == "bookworm" && $2 == "main" { print $3; exit }')}
[ -n "$mirror" ] || { echo 'fresh_machine: apt knows no mirror of bookworm; set MIRROR' >&2; exit 1; }

# The bare machine is made once and kept as an archive; each run unpacks a fresh one.
mkdir -p "$root/build"
archive=$root/build/fresh-bookworm-$(dpkg --print-architecture).tar
machine=$(mktemp -d "$root/build/fresh.XXXXXX")
trap '[ -n "$keep" ] || rm -rf --one-file-system "$machine"' EXIT
if [ ! -f "$archive" ]; then
  debootstrap --variant=minbase bookworm "$machine" "$mirror" >"$root/build/debootstrap.log" 2>&1 ||
    { tail "$root/build/debootstrap.log" >&2; exit 1; }
  tar -C "$machine" --one-file-system -cf "$archive.new" .
  mv "$archive.new" "$archive"
else
  tar -C "$machine" -xf "$archive"
fi
chmod 755 "$machine"
apt-config dump | grep -i '^Acquire::.*proxy' >"$machine/etc/apt/apt.conf.d/99proxy" || true
[ ! -f /etc/resolv.conf ] || cp -L /etc/resolv.conf "$machine/etc/resolv.conf"
[ ! -f /etc/hosts ] || cp -L /etc/hosts "$machine/etc/hosts"
# npm trusts its own list of authorities; behind a proxy with its own, this machine's list is the one that counts.
[ ! -f /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$machine/srv/authorities.crt"
mkdir -p "$machine/srv/atys"
tar -C "$root" --exclude=./build --exclude=./.git --exclude=node_modules -cf - . | tar -C "$machine/srv/atys" -xf -

# Its own mount namespace: whatever happens, no mount stays behind.
cat >"$machine/srv/enter" <<'END'
set -eu
mount -t proc proc "$1/proc"
mount --rbind /sys "$1/sys"
mount --rbind /dev "$1/dev"
exec chroot "$1" /usr/bin/env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root NODE_EXTRA_CA_CERTS=/srv/authorities.crt \
  ${http_proxy+http_proxy="$http_proxy"} ${https_proxy+https_proxy="$https_proxy"} sh -c "$2"
END

failed=0
step() {
  begun=$(date +%s.%N)
  if unshare --mount --propagation private sh "$machine/srv/enter" "$machine" "$2"; then
    result=ok
  else
    result='not ok'
    failed=1
  fi
  echo "$result $1 ($(echo "$(date +%s.%N) $begun" | awk '{ printf "%.2f", $1 - $2 }') s)"
}

step 'a user without rights is told what to run' \
  'chown -R 1000 /srv/atys; said=$(setpriv --reuid 1000 --clear-groups /srv/atys/atys --help 2>&1) && exit 1
   chown -R 0 /srv/atys; rm -rf /srv/atys/build; echo "$said"; case $said in *"as root, run: apt-get"*) ;; *) exit 1 ;; esac'
step 'atys installs, builds and runs' '/srv/atys/atys --help >/dev/null'
step 'atys again' '/srv/atys/atys --help >/dev/null'
step 'atys through a symlink, from elsewhere' 'cd / && ln -s /srv/atys/atys /usr/local/bin/atys && atys --help >/dev/null'
step 'atys twice at once, after a change' \
  'touch /srv/atys/src/cli/main.cpp; cd /tmp; /srv/atys/atys --help >1 & /srv/atys/atys --help >2; wait $! && cmp 1 2'
step 'check' "/srv/atys/check $*"
step 'check again' "/srv/atys/check $*"
exit $failed

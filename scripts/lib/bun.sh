# Sourced from the root of the repository: finds the Bun that package.json pins, or gets it into
# the user's cache (from npm; without npm, by curl), puts it first on PATH and names it in BUN.
# With BUN_PLACE set, that folder is the only one that it looks in and puts it in.
# Changes nothing else on the machine. Ends the script with one line if that fails.

bun_fail() {
  echo "error: $1" >&2
  exit 1
}

# The registry's package with the executable for this processor and C library.
bun_package() {
  case "$(uname -s)-$(uname -m)" in
    Linux-x86_64 | Linux-amd64) name=bun-linux-x64 ;;
    Linux-aarch64 | Linux-arm64) name=bun-linux-aarch64 ;;
    *) bun_fail "this runs on Linux on x86-64 or ARM64, not on $(uname -s) on $(uname -m)" ;;
  esac
  if ldd --version 2>&1 | grep -qi musl; then name="$name-musl"; fi
  echo "$name"
}

# Both ways leave the package's archive in the folder $3.
bun_by_npm() {
  npm pack "@oven/$1@$2" --pack-destination "$3" --loglevel=error >/dev/null 2>"$3/log" || {
    head -n 4 "$3/log" >&2
    return 1
  }
}

bun_by_curl() {
  registry="${npm_config_registry:-https://registry.npmjs.org}"
  curl -fsSL "${registry%/}/@oven/$1/-/$1-$2.tgz" -o "$3/bun.tgz"
}

# The archive $2 is the one of the package $1 that this repository pins.
bun_check() {
  digest=$(sed -n "s/^$1 //p" scripts/lib/bun.sha512 | base64 -d | od -An -v -tx1 | tr -d ' \n')
  [ -n "$digest" ] && echo "$digest  $2" | sha512sum --check --status || {
    echo "The archive of $1 does not have the digest in scripts/lib/bun.sha512" >&2
    return 1
  }
}

bun_get() {
  name=$(bun_package) || exit 1
  command -v npm >/dev/null || command -v curl >/dev/null ||
    bun_fail "this needs Bun $1, and npm or curl to download it: install one of them"
  mkdir -p "$2" && draft=$(mktemp -d "$2/.draft-XXXXXX") ||
    bun_fail "the cache folder $2 cannot be written: set XDG_CACHE_HOME to one that can"
  for way in npm curl; do
    command -v "$way" >/dev/null || continue
    echo "Downloading Bun $1 with $way" >&2
    if "bun_by_$way" "$name" "$1" "$draft" && bun_check "$name" "$draft"/*.tgz &&
      tar -xzf "$draft"/*.tgz -C "$draft" --no-same-owner; then
      ln -sf bun "$2/bunx" && mv "$draft/package/bin/bun" "$2/bun" && break
    fi
  done
  rm -rf "$draft"
  [ -x "$2/bun" ] || bun_fail "Bun $1 could not be downloaded: is the npm registry reachable from here?"
}

bun_find() {
  version=$(sed -n 's/.*"packageManager": *"bun@\([0-9.]*\)".*/\1/p' package.json)
  [ -n "$version" ] || bun_fail "package.json names no Bun version in packageManager"
  cache="${XDG_CACHE_HOME:-${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}/.cache}"
  cache="${BUN_PLACE:-$cache/hosting-control}/bun-$version"
  set -- "$cache/bun"
  [ -n "${BUN_PLACE:-}" ] || set -- "$(command -v bun)" node_modules/.bin/bun "$cache/bun"
  for BUN; do
    if [ -x "$BUN" ] && [ "$("$BUN" --version 2>/dev/null)" = "$version" ]; then return; fi
  done
  bun_get "$version" "$cache"
  BUN="$cache/bun"
  [ "$("$BUN" --version)" = "$version" ] || bun_fail "the Bun in $cache does not run here"
}

# The packages of bun.lock. A folder that this user may not write to is used as it is.
bun_install() {
  if [ -d node_modules ] && ! [ -w node_modules ]; then return; fi
  if ! [ -d node_modules ]; then echo 'Installing the packages of bun.lock' >&2; fi
  output=$("$BUN" install --frozen-lockfile 2>&1) || {
    echo "$output" >&2
    bun_fail 'the packages of bun.lock could not be installed: is the npm registry reachable?'
  }
}

bun_find
BUN=$(CDPATH='' cd "$(dirname "$BUN")" && pwd)/bun
PATH="$(dirname "$BUN"):$PATH"
export PATH BUN

import { describe, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What a test wants of the machine it runs on. */
export type Needs = {
  root?: true
  /** Mount, pid, network and uts namespaces, with mounts inside of them. */
  namespaces?: true
  /** A Debian that apt-get can install packages on. */
  debian?: true
  /** Executables found on PATH. */
  programs?: readonly string[]
}

/**
 * `test` and `describe` for a machine that offers what is needed. Elsewhere they skip, and their
 * names end with `[skip: <reason>]`, which scripts/test.sh prints in its list. Set up inside of
 * such a `describe`: a file's own `beforeAll` runs even when every test of the file is skipped.
 */
export function needs(needed: Needs) {
  const reason = missing(needed)
  const label = (name: string) => (reason === undefined ? name : `${name} [skip: ${reason}]`)
  return {
    reason,
    describe: (name: string, body: () => void) =>
      describe.skipIf(reason !== undefined)(label(name), body),
    test: (name: string, body: () => void | Promise<void>, timeout_ms?: number) =>
      test.skipIf(reason !== undefined)(label(name), body, timeout_ms),
  }
}

/** What this machine lacks first, as a reason to read; undefined when it lacks nothing. */
export function missing({ root, debian, namespaces, programs = [] }: Needs): string | undefined {
  if (root && process.getuid?.() !== 0) return 'needs root'
  if (debian && !isDebian()) return 'needs Debian and its apt-get'
  if (namespaces && !hasNamespaces()) return 'needs namespaces with mounts'
  const absent = programs.find((program) => Bun.which(program) === null)
  return absent === undefined ? undefined : `needs the program ${absent}`
}

function isDebian(): boolean {
  try {
    return /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8')) && !!Bun.which('apt-get')
  } catch {
    return false
  }
}

let namespaces: boolean | undefined

/** Tried once: a container may be root and still not be allowed to. */
function hasNamespaces(): boolean {
  const apart = ['--mount', '--pid', '--net', '--uts', '--fork']
  const mount = ['mount', '-t', 'tmpfs', 'tmpfs', '/mnt']
  namespaces ??= spawnSync('unshare', [...apart, ...mount], { stdio: 'ignore' }).status === 0
  return namespaces
}

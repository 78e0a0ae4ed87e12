import type { RunOptions, Shell } from '../ports.ts'
import { tagOf, unitOf } from './programs.ts'
import { asUser, environment, shell } from './shell.ts'

/**
 * The shell of a sandboxed agent: what is `unconfined` runs in a transient unit of its own, outside
 * the sandbox and with the network. It outlives the agent, which is what dpkg needs.
 */
export const confinedShell: Shell = {
  run: (argv, options = {}) => shell.run(...outside(argv, options)),
  try: (argv, options = {}) => shell.try(...outside(argv, options)),
  stream: (argv, options = {}) => shell.stream(...outside(argv, options)),
  daemon: shell.daemon,
}

/** Status, standard input and both outputs are those of the program: systemd-run(1). */
export function transient(properties: readonly string[], tag?: string): string[] {
  const wait = ['--quiet', '--pipe', '--wait', '--collect', ...unitOf(tag)]
  return ['systemd-run', ...wait, ...properties.map((text) => `--property=${text}`), '--']
}

/** The program and its options as they are started: see RunOptions.unconfined. */
export function outside(
  argv: readonly string[],
  options: RunOptions,
): [readonly string[], RunOptions] {
  const { unconfined, env = {}, umask, user, group, timeout_ms = 600_000, ...rest } = options
  if (!unconfined) return [argv, options]
  const properties = [`RuntimeMaxSec=${Math.ceil(timeout_ms / 1000)}`]
  if (umask !== undefined) properties.push(`UMask=0${umask.toString(8)}`)
  const [program, args] = asUser(argv, { ...(user && { user }), ...(group && { group }) })
  const variables = Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`)
  // env(1) looks the program up as a plain start would: one that is missing ends with 127.
  const words = ['env', '-i', ...variables, program, ...args]
  // systemd replaces $VARIABLES in what it starts, and takes $$ for a dollar: systemd.service(5).
  const literal = words.map((word) => word.replaceAll('$', '$$$$'))
  const argvOutside = [...transient(properties, tagOf(options)), ...literal]
  return [argvOutside, { ...rest, timeout_ms: timeout_ms + 5000 }]
}

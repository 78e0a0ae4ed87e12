import { readFileSync } from 'node:fs'
import process from 'node:process'
import { deniedAddresses } from '#agent/kernel/host/denied-addresses.ts'
import type { Host, RunOptions, Shell, SiteProcess } from '#agent/kernel/host/ports.ts'
import { ANYTHING, executeDirectives, pathInside } from '#agent/kernel/host/root-programs.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import { ensureExecutable } from './executable.ts'
import { literalWords } from './literal-words.ts'
import { tagOf, unitOf } from './programs.ts'
import { environment, shell, withoutPrivileges } from './shell.ts'

type StartedProgram = [readonly string[], RunOptions]
type Init = Host['init']

const TIMEOUT_MS = 600_000
export const SYSTEMD_RUN = '/usr/bin/systemd-run'
const SETPRIV = '/usr/bin/setpriv'
const PERL = '/usr/bin/perl'
/**
 * systemd treats an end by SIGTERM, SIGHUP or SIGINT as a success, and systemd-run(1) then returns
 * 0. A command that fails after the program turns it into a failure, while apt and dpkg still get
 * SIGTERM before SIGKILL. The status of a program that ended by itself is kept. The command has no
 * variable: `systemctl daemon-reload` reads a running transient unit again, and then `$EXIT_CODE`
 * is those characters, so that a program that succeeds has failed. `+` allows it in addition to the
 * programs of the unit.
 */
const STOPPED_IS_FAILED = 'ExecStopPost=+/bin/grep -qzxF EXIT_CODE=exited /proc/self/environ'
/** The limits of a program outside the sandbox: apt and dpkg with package scripts. */
const OUTSIDE_PROPERTIES = ['MemoryMax=2G', 'TasksMax=512', STOPPED_IS_FAILED]

/**
 * The shell of a sandboxed agent: `unconfined` programs and those of a site run in their own
 * transient unit, outside the sandbox. It outlives the agent, as dpkg requires.
 */
export const confinedShell: Shell = shellThrough(outside, async ([[program = ''], { user }]) => {
  await ensureExecutable(program)
  if (user !== undefined) await ensureExecutable(SETPRIV)
})

/** The shell of an agent without a sandbox: programs of a site are still isolated. */
export const freeShell = (init: Init): Shell =>
  shellThrough((argv, options) => ofSite(argv, options, init))

type StartOf = (argv: readonly string[], options: RunOptions) => StartedProgram

function shellThrough(single: StartOf, ready?: (started: StartedProgram) => Promise<void>): Shell {
  const start = async (argv: readonly string[], given: RunOptions): Promise<StartedProgram> => {
    const { input_from, ...options } = given
    const started = single(argv, options)
    await ready?.(started)
    if (!input_from) return started
    const [from, own] = await start(input_from.argv, input_from.options)
    return [started[0], { ...started[1], input_from: { argv: from, options: own } }]
  }
  return {
    run: async (argv, options = {}) => shell.run(...(await start(argv, options))),
    try: async (argv, options = {}) => shell.try(...(await start(argv, options))),
    async *stream(argv, options = {}) {
      yield* shell.stream(...(await start(argv, options)))
    },
    async *bytes(argv, options = {}) {
      yield* shell.bytes(...(await start(argv, options)))
    },
    daemon: shell.daemon,
  }
}

/** Returns the arguments of systemd-run(1): its status, input and outputs are the program's. */
export function transient(properties: readonly string[], tag?: string, unit?: string): string[] {
  const named = unit === undefined ? unitOf(tag) : [`--unit=${unit}`]
  const wait = ['--quiet', '--pipe', '--wait', '--collect', ...named]
  return [SYSTEMD_RUN, ...wait, ...properties.map((text) => `--property=${text}`), '--']
}

/** Returns the program and its options as they are started: see RunOptions.unconfined. */
export function outside(argv: readonly string[], options: RunOptions): StartedProgram {
  if (options.site) return ofSite(argv, options, 'systemd')
  const { unconfined, starts, user, ...rest } = options
  const [program = '', ...words] = argv
  if (!unconfined) return [[pathInside(program, process.execPath), ...words], options]
  const all = user === undefined ? argv : withoutPrivileges(argv, user)
  const starters = [
    ...(user === undefined ? [] : [SETPRIV]),
    ...(literalWords(all).length > all.length ? [PERL] : []),
  ]
  const more = starts === ANYTHING ? starts : [...starters, ...(starts ?? [])]
  return inUnit(all, rest, [
    ...OUTSIDE_PROPERTIES,
    ...executeDirectives(program, more),
    ...denied(),
  ])
}

/** Denies addresses also to package managers: no mirror has such an address. */
const denied = () =>
  deniedAddresses(undefinedIfThrows(() => readFileSync('/etc/resolv.conf', 'utf8')) ?? '').split(
    '\n',
  )

/** Returns the program of a site, started by systemd or its substitute. */
export const ofSite = (
  argv: readonly string[],
  { site, ...options }: RunOptions,
  init: Init,
): StartedProgram => (site ? AS_SITE[init](argv, options, site) : [argv, options])

type AsSite = (argv: readonly string[], options: RunOptions, site: SiteProcess) => StartedProgram

const AS_SITE: Record<Init, AsSite> = {
  systemd: (argv, options, { slice, directives }) =>
    inUnit(argv, options, [`Slice=${slice}`, ...directives]),
  direct: (argv, options, { launcher }) => [[...launcher, ...argv], options],
}

function inUnit(
  argv: readonly string[],
  options: RunOptions,
  directives: readonly string[],
): StartedProgram {
  const { env = {}, umask, cwd, timeout_ms = TIMEOUT_MS, ...rest } = options
  const properties = [`RuntimeMaxSec=${Math.ceil(timeout_ms / 1000)}`, ...directives]
  if (umask !== undefined) properties.push(`UMask=0${umask.toString(8)}`)
  if (cwd !== undefined) properties.push(`WorkingDirectory=${cwd}`)
  const variables = Object.entries(environment(env)).map(([name, value]) => `${name}=${value}`)
  // env(1) finds the program like a plain start: a missing one ends with 127.
  const words = ['env', '-i', ...variables, ...argv]
  const argvOutside = [...transient(properties, tagOf(options)), ...literalWords(words)]
  return [argvOutside, { ...rest, timeout_ms: timeout_ms + 5000 }]
}

import { COMPILER_MB } from '#agent/kernel/host/own-program.ts'
import type { Host, Output, RunOptions, SiteProcess } from '#agent/kernel/host/ports.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { launcherOf, limitsOf, type Pace } from './direct.ts'
import { LOW } from './empty-root.ts'
import { sandboxOf } from './sandbox.ts'

/** What a program reads and writes, and the report of its progress. */
export type Streams = 'input' | 'input_file' | 'input_from' | 'output_file' | 'seen' | 'seen_ms'

/** The limits of one program of a site; the slice of the site has further limits. */
export interface SiteOptions extends Pick<RunOptions, Streams | 'env' | 'umask' | 'timeout_ms'> {
  /** Memory in MB: default 1024. */
  memory?: number
  /** The argv of the agent, if it is its own program: it sees it, and has room for compiled code. */
  own_program?: readonly string[]
  /** Processes and threads: default 64. */
  tasks?: number
  /** Size limit of each written file in bytes, `output_file` included; default: none. */
  file_bytes?: number
  /** True: at the lowest priority for CPU and disk. Default false. */
  idle?: boolean
  /** True: behind the visitors of the site, as a backup is. Default false. */
  low?: boolean
  /** Files and folders of root that the program may read although the sandbox hides them. */
  reads?: readonly string[]
  /** Folders of root that the program may write to, as `path:path in its view`. */
  writes?: readonly string[]
  /** False: it reaches local sockets only, and no network. Default true. */
  network?: boolean
  /** False: it does not see the site's files, which may be missing. Default true. */
  home?: boolean
  /** The user of another site: the own files also stand where that one has its files. */
  stands_for?: string
}

/**
 * Counts a program that systemd stops as failed: systemd-run(1) exits with 0 after SIGTERM, and a
 * truncated dump would pass for a complete one.
 */
const STOPPED_IS_FAILED = 'KillSignal=SIGKILL'
/** Everything else has priority, also other programs of the same site. */
const IDLE = ['Nice=19', 'IOSchedulingClass=idle', 'CPUWeight=1', 'IOWeight=1']
const DIRECTIVES: Record<Pace, readonly string[]> = { idle: IDLE, low: LOW }

type Owner = { user: string }

/**
 * Runs a program with the rights of a site: its system user, its slice, its view of the file
 * system, and no way to gain privileges. Its child processes end with it. The agent has no other
 * way to run programs that read or write a site's files, run its PHP or use its database. Never
 * throws for an exit status.
 */
export function tryAsSite(
  host: Host,
  site: Owner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.try(argv, asSite(site, options))
}

/** `tryAsSite` that throws CommandFailed for an exit status other than 0. */
export function runAsSite(
  host: Host,
  site: Owner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.run(argv, asSite(site, options))
}

/** The options of a program with the rights of a site, for `RunOptions.input_from`. */
export function asSite({ user }: Owner, options: SiteOptions): RunOptions {
  const { reads = [], writes = [], network = true, home = true, stands_for, ...given } = options
  const { env, ...others } = given
  const { memory = 1024, tasks = 64, idle, low, file_bytes, own_program, ...rest } = others
  const room = own_program ? memory + COMPILER_MB : memory
  const seen = [...(own_program ?? []).slice(0, 1), ...reads]
  const pace = idle ? 'idle' : low ? 'low' : undefined
  const site: SiteProcess = {
    user,
    slice: sliceOf(user),
    directives: [
      ...sandboxOf(user, { home }),
      STOPPED_IS_FAILED,
      ...(seen.length > 0 ? [`BindReadOnlyPaths=${seen.join(' ')}`] : []),
      ...(writes.length > 0 ? [`BindPaths=${writes.join(' ')}`] : []),
      ...(network ? [] : ['PrivateNetwork=yes']),
      ...(stands_for === undefined ? [] : standingFor(user, stands_for)),
      `MemoryMax=${memory}M`,
      `TasksMax=${tasks}`,
      ...(file_bytes === undefined ? [] : [`LimitFSIZE=${file_bytes}`]),
      ...(pace === undefined ? [] : DIRECTIVES[pace]),
    ],
    launcher: launcherOf({ user, pace, limits: limitsOf(room, file_bytes) }),
  }
  return { ...rest, env: { HOME: home ? homeOf(user) : '/', ...env }, site }
}

const standingFor = (user: string, original: string): string[] => [
  `BindPaths=${homeOf(user)}:${homeOf(original)}`,
  `ReadWritePaths=${homeOf(original)}`,
]

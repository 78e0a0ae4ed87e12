import { COMPILER_MB } from '#agent/kernel/host/own-program.ts'
import type { Host, Output, RunOptions, SiteProcess } from '#agent/kernel/host/ports.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { LOW_PRIORITY } from './empty-root.ts'
import { launcherOf, type Priority, resourceLimits } from './launcher.ts'
import { sandboxOf } from './sandbox.ts'

/** The options for what a program reads and writes, and for the report of its progress. */
export type StreamOption =
  | 'input'
  | 'input_file'
  | 'input_from'
  | 'output_file'
  | 'seen'
  | 'seen_ms'

/** The limits of one program of a site; the slice of the site has further limits. */
export interface SiteOptions
  extends Pick<RunOptions, StreamOption | 'env' | 'umask' | 'timeout_ms'> {
  /** The memory limit in MB; 1024 by default. */
  memory?: number
  /** The argv of the agent, if it is the program: visible, with memory for compiled code. */
  own_program?: readonly string[]
  /** The limit of processes and threads; 64 by default. */
  tasks?: number
  /** The limit of each written file in bytes, `output_file` included; none by default. */
  file_bytes?: number
  /** True for the lowest priority of CPU and disk. */
  idle?: boolean
  /** True for a priority behind the visitors of the site, as a backup has. */
  low?: boolean
  /** Files and folders of root that the program may read although the sandbox hides them. */
  reads?: readonly string[]
  /** Folders of root that the program may write to, as `path:path in its view`. */
  writes?: readonly string[]
  /** False for local sockets only, without a network; true by default. */
  network?: boolean
  /** False when it does not see the site's files, which may be missing; true by default. */
  home?: boolean
  /** The user of another site, at whose paths the own files also stand. */
  stands_for?: string
}

/**
 * The directive that counts a program that systemd stops as failed: systemd-run(1) exits with 0
 * after SIGTERM, and a truncated dump would pass for a complete one.
 */
const STOPPED_IS_FAILED = 'KillSignal=SIGKILL'
/** The directives that give everything else priority, also other programs of the same site. */
const IDLE_PRIORITY = ['Nice=19', 'IOSchedulingClass=idle', 'CPUWeight=1', 'IOWeight=1']
const DIRECTIVES: Record<Priority, readonly string[]> = { idle: IDLE_PRIORITY, low: LOW_PRIORITY }

type ProcessOwner = { user: string }

/**
 * Runs a program with the rights of a site: its system user, its slice, its view of the file
 * system, and no way to gain privileges. Its child processes end with it. The agent has no other
 * way to run programs that read or write a site's files, run its PHP or use its database. Never
 * throws for an exit status.
 */
export function tryAsSite(
  host: Host,
  site: ProcessOwner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.try(argv, asSite(site, options))
}

/** Runs a program like `tryAsSite`; throws CommandFailed for an exit status other than 0. */
export function runAsSite(
  host: Host,
  site: ProcessOwner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.run(argv, asSite(site, options))
}

/** Returns the options of a program with the rights of a site, for `RunOptions.input_from`. */
export function asSite({ user }: ProcessOwner, options: SiteOptions): RunOptions {
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
      ...(stands_for === undefined ? [] : standInDirectives(user, stands_for)),
      `MemoryMax=${memory}M`,
      `TasksMax=${tasks}`,
      ...(file_bytes === undefined ? [] : [`LimitFSIZE=${file_bytes}`]),
      ...(pace === undefined ? [] : DIRECTIVES[pace]),
    ],
    launcher: launcherOf({ user, pace, limits: resourceLimits(room, file_bytes) }),
  }
  return { ...rest, env: { HOME: home ? homeOf(user) : '/', ...env }, site }
}

const standInDirectives = (user: string, original: string): string[] => [
  `BindPaths=${homeOf(user)}:${homeOf(original)}`,
  `ReadWritePaths=${homeOf(original)}`,
]

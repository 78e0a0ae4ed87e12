import type { Host, Output, RunOptions, SiteProcess } from '#agent/host/ports.ts'
import { sliceOf } from '#agent/os/services/systemd.ts'
import { homeOf } from '#agent/os/site/paths.ts'
import { launcherOf, limitsOf } from './direct.ts'
import { sandboxOf } from './sandbox.ts'

/** The limits of one program of a site; the slice of the site has further limits. */
interface SiteLimits {
  /** Default 10 minutes. */
  timeout_ms?: number
  /** Memory in MB: default 1024. */
  memory?: number
  /** Processes and threads: default 64. */
  tasks?: number
  /** Bytes of the largest file that it writes, `output_file` included; default: what the disk has. */
  file_bytes?: number
  /** True: at the lowest priority for processors and disks. Default false. */
  idle?: boolean
}

export interface SiteOptions
  extends SiteLimits,
    Pick<RunOptions, 'input' | 'input_file' | 'output_file' | 'env' | 'umask'> {
  /** Files and folders of root's that the program may read, where the sandbox hides them. */
  reads?: readonly string[]
  /** False: it reaches no network, and the local sockets only. Default true. */
  network?: boolean
  /** False: it has no view of the site's files, which need not be there. Default true. */
  home?: boolean
}

/**
 * A program that systemd stops has failed: systemd-run(1) ends with 0 after SIGTERM, and a dump that was
 * cut off would pass for a whole one.
 */
const STOPPED_IS_FAILED = 'KillSignal=SIGKILL'
/** Everything else goes first, also what the same site runs. */
const IDLE = ['Nice=19', 'IOSchedulingClass=idle', 'CPUWeight=1', 'IOWeight=1']

type Owner = { user: string }

/**
 * Runs a program with the rights of a site: its system user, its slice, its view of the file system,
 * and no way to privileges. Whatever it starts ends with it. This is the only way in which the agent
 * starts what reads or writes a site's files, runs its PHP or uses its database. Never throws for an
 * exit status.
 */
export function tryAsSite(
  host: Host,
  site: Owner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.try(argv, asSite(site, options))
}

/** `tryAsSite` that throws CommandFailed when the exit status is not 0. */
export function runAsSite(
  host: Host,
  site: Owner,
  argv: readonly string[],
  options: SiteOptions = {},
): Promise<Output> {
  return host.shell.run(argv, asSite(site, options))
}

function asSite({ user }: Owner, options: SiteOptions): RunOptions {
  const { reads, network, home = true, memory, tasks, file_bytes, idle, env, ...rest } = options
  const HOME = home ? homeOf(user) : '/'
  return { ...rest, env: { HOME, ...env }, site: processOf(user, options) }
}

function processOf(user: string, options: SiteOptions): SiteProcess {
  const { reads = [], network = true, home = true, file_bytes } = options
  const { memory = 1024, tasks = 64, idle = false } = options
  return {
    user,
    slice: sliceOf(user),
    directives: [
      ...sandboxOf(user, { home }),
      STOPPED_IS_FAILED,
      ...(reads.length > 0 ? [`BindReadOnlyPaths=${reads.join(' ')}`] : []),
      ...(network ? [] : ['PrivateNetwork=yes']),
      `MemoryMax=${memory}M`,
      `TasksMax=${tasks}`,
      ...(file_bytes === undefined ? [] : [`LimitFSIZE=${file_bytes}`]),
      ...(idle ? IDLE : []),
    ],
    launcher: launcherOf({ user, idle, limits: limitsOf(memory, file_bytes) }),
  }
}

import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { launcherOf, limitsOf } from './direct.ts'
import { readOnlySandboxOf } from './sandbox.ts'

/** The rights of a program: those of a managed site, or of the user of another one. */
export interface Reader {
  user: string
  own: boolean
  docroot: string
}

/** The maximum time of the program. */
export const READING_MS = 5000
const MEMORY = 256
/** Enforced by the kernel for its only process, also without control groups. */
const PROCESS = [`LimitDATA=${MEMORY}M`, 'LimitCPU=5', 'LimitCORE=0', 'LimitNOFILE=256']
const LIMITS = [`MemoryMax=${MEMORY}M`, 'MemorySwapMax=0', 'TasksMax=4', 'LimitFSIZE=0', ...PROCESS]
/** It is killed immediately; the program also limits itself. */
const ENDS = ['KillSignal=SIGKILL', 'TimeoutStopSec=1', 'SuccessExitStatus=SIGKILL']

/**
 * Runs a program that reads a site with the rights of the site: like `tryAsSite`, but also for a
 * site that this agent did not create, without write access, network or a second process.
 */
export function readAsSite(
  host: Pick<Host, 'shell'>,
  reader: Reader,
  argv: readonly string[],
  input: string,
): Promise<Output> {
  const { user, own } = reader
  const limits = [...limitsOf(MEMORY, 0), '--cpu=5', '--nofile=256', '--nproc=512']
  const site = {
    user,
    slice: own ? sliceOf(user) : 'system.slice',
    directives: [...readOnlySandboxOf(user, reader), ...LIMITS, ...ENDS],
    launcher: launcherOf({ user, limits, network: false }),
  }
  return host.shell.try(argv, { input, env: { HOME: '/' }, timeout_ms: READING_MS, site })
}

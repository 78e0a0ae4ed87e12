import type { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import { runAsSite, type SiteOptions, type Streams, tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { inUse, stopOrphanedSlice } from '#agent/kernel/sandbox/slice.ts'

/** The arguments of each MariaDB client: as the site, over the local socket, without a password. */
export const clientOf = (user: string): string[] => [
  '--no-defaults',
  `--user=${user}`,
  '--socket=/run/mysqld/mysqld.sock',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
]

/** Why a client failed; `message` is MariaDB's own error. */
export function reasonOf({ output }: CommandFailed, message = `exit status ${output.code}`) {
  return isDiskFull(output.stderr) ? `${message}: no space left on device` : message
}

type ClientOptions = Pick<SiteOptions, Streams | 'file_bytes' | 'timeout_ms'>

/**
 * Runs a MariaDB client with the rights of a site, without a network and without access to the
 * files of any site. Throws CommandFailed.
 */
export const runAsOwner = (
  host: Host,
  user: string,
  argv: readonly string[],
  options: ClientOptions,
): Promise<Output> => inTurn(host, user, () => runInUse(host, user, argv, options))

/** `runAsOwner` for a caller that has the programs of the site `inUse`. */
export const runInUse: typeof runAsOwner = (host, user, argv, options) =>
  runAsSite(host, { user }, argv, confined(options))

/** `runAsOwner` that never throws for an exit status. */
export const tryAsOwner = (
  host: Host,
  user: string,
  argv: readonly string[],
  options: ClientOptions,
): Promise<Output> => inTurn(host, user, () => tryAsSite(host, { user }, argv, confined(options)))

const confined = (options: ClientOptions) => ({ ...options, network: false, home: false })

/** Several programs one after the other: no other one of `runAsOwner` runs in between. */
export async function inTurn<T>(host: Host, user: string, work: () => Promise<T>): Promise<T> {
  try {
    return await inUse(host, user, work)
  } finally {
    await stopOrphanedSlice(host, user)
  }
}

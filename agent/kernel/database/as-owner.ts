import type { CommandFailed } from '#agent/kernel/host/errors.ts'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { isDiskFull } from '#agent/kernel/host/storage.ts'
import {
  runAsSite,
  type SiteOptions,
  type StreamOption,
  tryAsSite,
} from '#agent/kernel/sandbox/run.ts'
import { stopOrphanedSlice, withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { unlimited } from './unlimited.ts'

/** Returns the common arguments of MariaDB clients: as the site, by socket, without a password. */
export const clientOf = (user: string): string[] => [
  '--no-defaults',
  `--user=${user}`,
  '--socket=/run/mysqld/mysqld.sock',
  '--default-character-set=utf8mb4',
  '--max-allowed-packet=1G',
]

/** Returns why a client failed; `message` is MariaDB's own error. */
export function reasonOf({ output }: CommandFailed, message = `exit status ${output.code}`) {
  return isDiskFull(output.stderr) ? `${message}: no space left on device` : message
}

type ClientOptions = Pick<SiteOptions, StreamOption | 'file_bytes' | 'timeout_ms'>

/** Runs a MariaDB client with the rights of a site, without network. Throws CommandFailed. */
export const runAsOwner = (
  host: Host,
  user: string,
  argv: readonly string[],
  options: ClientOptions,
): Promise<Output> => serialisedAsOwner(host, user, () => runInUse(host, user, argv, options))

/** `runAsOwner` for a caller that has the programs of the site in `withSliceInUse`. */
export const runInUse: typeof runAsOwner = (host, user, argv, options) =>
  runAsSite(host, { user }, argv, confinedOptions(options))

/** `runAsOwner` that never throws for an exit status. */
export const tryAsOwner = (
  host: Host,
  user: string,
  argv: readonly string[],
  options: ClientOptions,
): Promise<Output> =>
  serialisedAsOwner(host, user, () => tryAsSite(host, { user }, argv, confinedOptions(options)))

const confinedOptions = (options: ClientOptions) => ({ ...options, network: false, home: false })

/** Runs several programs one after the other: no other one of `runAsOwner` runs in between. */
export async function serialisedAsOwner<T>(
  host: Host,
  user: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withSliceInUse(host, user, () => unlimited(host, user, work))
  } finally {
    await stopOrphanedSlice(host, user)
  }
}

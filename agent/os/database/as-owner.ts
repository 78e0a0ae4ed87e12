import type { CommandFailed } from '#agent/host/errors.ts'
import type { Host, Output } from '#agent/host/ports.ts'
import { isDiskFull } from '#agent/host/storage.ts'
import { runAsSite, type SiteOptions } from '#agent/os/as-site/run.ts'
import { inUse, stopOrphanedSlice } from '#agent/os/as-site/slice.ts'

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

/**
 * Runs a MariaDB client with the rights of a site, without a network and without access to the
 * files of any site. Throws CommandFailed.
 */
export async function runAsOwner(
  host: Host,
  user: string,
  argv: readonly string[],
  options: Pick<SiteOptions, 'input' | 'input_file' | 'output_file' | 'file_bytes' | 'timeout_ms'>,
): Promise<Output> {
  try {
    return await inUse(host, user, () =>
      runAsSite(host, { user }, argv, { ...options, network: false, home: false }),
    )
  } finally {
    await stopOrphanedSlice(host, user)
  }
}

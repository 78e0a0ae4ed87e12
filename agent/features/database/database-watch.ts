import { restoreConnectionLimit } from '#agent/kernel/database/connections.ts'
import { endLongStatements } from '#agent/kernel/database/long-statements.ts'
import { endExpired } from '#agent/kernel/database/temporary-accounts.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Runner } from '#agent/kernel/operations/runner.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { apexOf } from '#shared/kernel/names.ts'

/**
 * Runs each round: ends temporary users whose time is over, and statements beyond the limit of
 * their site, and raises the connection limit if a restart of MariaDB has lowered it. It holds its
 * own connection, so that the agent has one when all others are in use. A problem is reported once.
 */
export function watchDatabase(
  host: Host,
  runner: Pick<Runner, 'isBusy'>,
  report: (error: unknown) => void,
): () => Promise<void> {
  let reported = ''
  return async () => {
    const problem = await runRound(host, runner, report).then(
      () => '',
      (error: unknown) => String(error),
    )
    if (problem !== '' && problem !== reported) report(new Error(`Watching MariaDB: ${problem}`))
    reported = problem
  }
}

async function runRound(
  host: Host,
  runner: Pick<Runner, 'isBusy'>,
  report: (error: unknown) => void,
): Promise<void> {
  const sites = await listSites(host)
  if (sites.length === 0 || !(await isRunning(host, MARIADB))) return
  const ended = endExpired(host).catch((error: unknown) => ({ error }))
  await restoreConnectionLimit(host)
  const busy = ({ domain, user }: Site) => runner.isBusy(apexOf(domain)) || host.unlimited.has(user)
  for (const { domain } of await endLongStatements(host, sites, busy)) {
    report(new Error(`A statement of ${domain} ran beyond the limit of its tier and was ended`))
  }
  const problem = await ended
  if (problem) throw problem.error
}

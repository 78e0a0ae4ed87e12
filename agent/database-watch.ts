import { apexOf } from '#shared/names.ts'
import type { Host } from './host/ports.ts'
import type { Runner } from './operations/runner.ts'
import { keepConnections } from './os/database/connections.ts'
import { endLongStatements } from './os/database/long-statements.ts'
import { endExpired } from './os/database/temporary-accounts.ts'
import { MARIADB } from './os/services/known.ts'
import { isRunning } from './os/services/service.ts'
import { listSites, type Site } from './os/site/sites.ts'

/**
 * Makes the work of each round: it ends temporary users whose time is over, and statements beyond the limit of
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
    const problem = await look(host, runner, report).then(
      () => '',
      (error: unknown) => String(error),
    )
    if (problem !== '' && problem !== reported) report(new Error(`Watching MariaDB: ${problem}`))
    reported = problem
  }
}

async function look(
  host: Host,
  runner: Pick<Runner, 'isBusy'>,
  report: (error: unknown) => void,
): Promise<void> {
  const sites = await listSites(host)
  if (sites.length === 0 || !(await isRunning(host, MARIADB))) return
  const ended = endExpired(host).catch((error: unknown) => ({ error }))
  await keepConnections(host)
  const busy = ({ domain }: Site) => runner.isBusy(apexOf(domain))
  for (const { domain } of await endLongStatements(host, sites, busy)) {
    report(new Error(`A statement of ${domain} ran beyond the limit of its tier and was ended`))
  }
  const problem = await ended
  if (problem) throw problem.error
}

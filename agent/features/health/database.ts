import type { Host } from '#agent/kernel/host/ports.ts'
import type { DatabaseAnswer } from '#agent/kernel/host/scanner-port.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { degraded, down, UP, type Verdict } from '#shared/health/page-verdict.ts'

export const DATABASE_DOWN = down('database_away', 'MariaDB does not answer on this server')

type State = Exclude<DatabaseAnswer['state'], 'none'>

const STATES: Record<State, (error: string) => Verdict> = {
  answers: () => UP,
  away: () => DATABASE_DOWN,
  refused: (error) =>
    down('database_refused', `MariaDB refuses the account in wp-config.php${error}`),
  missing: (error) =>
    down(
      'database_missing',
      `The database of the site, or a table of WordPress, is missing${error}`,
    ),
  broken: (error) => down('database_broken', `Tables of the database do not answer${error}`),
  busy: (error) => degraded('database_busy', `The database has no free connection${error}`),
  slow: () => degraded('database_slow', 'The database does not answer in time'),
}

export interface DatabaseCheck {
  /** The value is undefined without a WordPress that has a database on this server. */
  verdict?: Verdict
  /** Another one after a change of the files, options or plugins of the site. */
  version?: string | undefined
}

/** With the site's own account. */
export async function checkDatabase(host: Host, site: Site): Promise<DatabaseCheck> {
  const { user, php, domain } = site
  const tenant = { docroot: docrootOf(user), user, php, domain }
  const { state, error, version } = await host.scanner.database(tenant)
  if (state === 'none') return {}
  return { verdict: STATES[state](error === undefined ? '' : ` (error ${error})`), version }
}

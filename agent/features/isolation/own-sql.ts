import { clientOf, runAsOwner } from '#agent/kernel/database/as-owner.ts'
import { applyAccount } from '#agent/kernel/database/mariadb.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

const LIMIT_MS = 30_000
/** The delimiter between statements, whose own text contains semicolons. */
const DELIMITER = '$$'

/** Runs statements as a site's account. Returns the rows, with tabs between columns. */
export async function runOwnSql(
  host: Host,
  { user }: Site,
  statements: readonly string[],
): Promise<string[]> {
  const argv = ['mariadb', ...clientOf(user), '--batch', '--skip-column-names', '--', user]
  const input = [`DELIMITER ${DELIMITER}`, ...statements.map((text) => `${text}${DELIMITER}`), '']
  const options = { input: input.join('\n'), timeout_ms: LIMIT_MS }
  const { stdout } = await runAsOwner(host, user, argv, options)
  return stdout.split('\n').filter(Boolean)
}

/** Runs the work while the account of the site may create views and routines, as some sites may. */
export async function withRoutines<T>(host: Host, site: Site, work: () => Promise<T>): Promise<T> {
  await applyAccount(host, { ...site, database_routines: true }).apply()
  try {
    return await work()
  } finally {
    await applyAccount(host, { ...site, database_routines: false }).apply()
  }
}

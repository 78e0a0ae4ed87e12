import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE, readGenerated, replaceGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MARIADB } from '#agent/kernel/services/debian-services.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { databaseLimits, machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

const FOLDER = '/etc/mysql/mariadb.conf.d'
/** The file before Debian's 50-server.cnf, so that an administrator's setting has priority. */
const PATH = `${FOLDER}/10-hosting.cnf`
/** The number of connections for the agent, isolation checks, and other users of MariaDB. */
const RESERVE = 60
/** The maximum: each connection takes memory and a file descriptor; Debian's unit has 32,768. */
const MAX_CONNECTIONS = 4000

/** Returns the connection limits of all sites and the reserve; `added` is an old or a new site. */
export async function neededConnections(host: Host, added?: Site): Promise<number> {
  const machine = await machineOf(host)
  const others = (await listSites(host)).filter(({ user }) => user !== added?.user)
  const counts = [...others, ...(added ? [added] : [])].map(
    ({ tier }) => databaseLimits(tierLimitsOn(tier, machine)).connections,
  )
  return Math.min(
    MAX_CONNECTIONS,
    counts.reduce((sum, count) => sum + count, RESERVE),
  )
}

/**
 * Returns the step that raises `max_connections` for a new or larger site, so that all sites
 * together cannot use every connection; none if it is high enough. Nothing ever lowers it.
 */
export async function connectionSteps(host: Host, added: Site): Promise<Step[]> {
  if (!(await isRunning(host, MARIADB))) return []
  const needed = await neededConnections(host, added)
  if ((await allowedConnections(host)) >= needed) return []
  const text = render(needed)
  const keeps = (await host.files.stat(FOLDER)) !== undefined
  const before = await host.files.read(PATH)
  return [
    {
      name: 'database connections',
      title: `Raising the connections of MariaDB to ${needed}`,
      effects: [
        ...(keeps ? effects.writeOf(PATH, before, text) : []),
        effects.change('setting', 'max_connections of MariaDB'),
      ],
      async apply() {
        if (keeps) await replaceGenerated(host, PATH, text)
        await raiseConnections(host, needed)
      },
    },
  ]
}

/**
 * Raises the limit for existing sites, without an operation: sites that were created at the same
 * time do not count each other, and a restart of MariaDB may lower the limit. Creates no missing
 * file.
 */
export async function restoreConnectionLimit(host: Host): Promise<void> {
  const needed = await neededConnections(host)
  await raiseConnections(host, needed)
  const kept = /^max_connections = (\d+)$/m.exec((await readGenerated(host, PATH)) ?? '')?.[1]
  if (kept !== undefined && Number(kept) < needed)
    await replaceGenerated(host, PATH, render(needed))
}

const render = (needed: number) => `# ${MARK_LINE}\n[mariadbd]\nmax_connections = ${needed}\n`

/** Raises the limit without a restart. A higher value stays. */
async function raiseConnections(host: Host, needed: number): Promise<void> {
  if ((await allowedConnections(host)) >= needed) return
  await host.database.admin('set_connections', [needed])
}

async function allowedConnections({ database }: Host): Promise<number> {
  const [row] = await database.admin('read_connections')
  return Number(row?.count ?? Number.POSITIVE_INFINITY)
}

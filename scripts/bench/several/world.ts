import { eq } from 'drizzle-orm'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { servers } from '#dashboard/db/schema.ts'
import { fillFleet } from '#scripts/bench/fleet-pages/fleet.ts'
import { Client } from '#tests/support/client.ts'
import { type Member, SharedRecords, until } from '#tests/support/leases/fleet.ts'
import { ADMIN, dashboardFolder, type Running, startDashboard } from '#tests/support/processes.ts'

/** In seconds: no sync changes a list while it is read. */
const DAY = 86_400
/** Nothing listens there. */
const NOWHERE = { hostname: '127.0.0.1', port: 1 }

export interface Loaded {
  dashboard: Running
  client: Client
}

/** A dashboard with a local file, and the records of 10,000 sites. */
export async function startSingle(): Promise<Loaded> {
  const folder = await dashboardFolder()
  const db = await openDatabase(`file:${folder}/dashboard.db`)
  await fill(db)
  db.close()
  const dashboard = await startDashboard(folder)
  const client = new Client(dashboard.url)
  await client.login(ADMIN)
  await client.put('/api/settings/sync_interval', { value: DAY })
  return { dashboard, client }
}

/** Dashboards on one libSQL server, with the same records. */
export async function startMembers(
  count: number,
): Promise<{ records: SharedRecords; members: Member[] }> {
  const records = await SharedRecords.start()
  const members: Member[] = []
  while (members.length < count) members.push(await records.add())
  await until('shares for all', async () => (await records.shares()).length === count)
  await members[0]?.client.put('/api/settings/sync_interval', { value: DAY })
  const token = (await Bun.file(records.sqld.token_file).text()).trim()
  const db = await openDatabase(records.sqld.url, token)
  await fill(db)
  // The dashboards contact each new server once.
  await until('contacts with all servers', async () => {
    const untried = await db.read.$count(servers, eq(servers.failures, 0))
    return untried === 0
  })
  db.close()
  return { records, members }
}

async function fill(db: Database): Promise<void> {
  await fillFleet(db)
  await db.write((queries) => queries.update(servers).set(NOWHERE))
}

import { desc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { servers, settings } from '#dashboard/kernel/db/schema.ts'
import { KeeperReport } from '#shared/backups/keeper-report.ts'

const KEY = 'keeper_reports'

const KeeperState = z.object({
  /** The public key of the keeper; the state of an earlier keeper is worth nothing. */
  key: z.string(),
  asked_at: z.string(),
  report: KeeperReport.nullable(),
})
export type KeeperState = z.infer<typeof KeeperState>

const KeeperStates = z.record(z.string(), KeeperState)

export async function readStates(db: Database): Promise<z.infer<typeof KeeperStates>> {
  const [row] = await db.read.select().from(settings).where(eq(settings.key, KEY))
  return KeeperStates.safeParse(row?.value).data ?? {}
}

/** Stores the state of one of many targets: two dashboards may write at the same time. */
export async function setState(db: Database, target_id: number, state: KeeperState): Promise<void> {
  const value = sql`json_set(${settings.value}, ${`$."${target_id}"`}, json(${JSON.stringify(state)}))`
  await db.write((queries) =>
    queries
      .insert(settings)
      .values({ key: KEY, value: { [target_id]: state } })
      .onConflictDoUpdate({ target: settings.key, set: { value } }),
  )
}

export function listReaders(db: Database, target_id: number, limit: number) {
  const uses = sql`exists (select 1 from backups where backups.server_id = ${servers.id}
    and backups.target_id = ${target_id})`
  return db.read
    .select()
    .from(servers)
    .where(eq(servers.status, 'online'))
    .orderBy(desc(uses), servers.id)
    .limit(limit)
}

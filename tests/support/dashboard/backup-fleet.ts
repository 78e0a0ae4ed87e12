import { eq } from 'drizzle-orm'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { backupAgent, checkedTarget, confirmKit } from './backups.ts'
import { type Dashboard, ending, makeDashboard } from './dashboard.ts'
import { DAY_MS, movable } from './trash.ts'

export const HOUR_MS = 3600_000

/** A dashboard at noon (UTC) with a confirmed kit and a checked target. */
export async function fleet({
  ready = true,
  ...options
}: { ready?: boolean } & Parameters<typeof makeDashboard>[0] = {}) {
  const { clock, forward } = movable()
  const noon = 12 * HOUR_MS
  forward((DAY_MS + noon - (clock.now().getTime() % DAY_MS)) % DAY_MS)
  const { agent } = backupAgent({ now: () => clock.now() })
  const dashboard = await makeDashboard({ ...options, clock })
  const server_id = await home(dashboard, agent)
  if (ready) {
    await confirmKit(dashboard)
    await checkedTarget(dashboard, server_id)
  }
  return { dashboard, agent, forward, server_id, ...ending(dashboard, agent) }
}

export async function home(dashboard: Dashboard, agent: { port: number }): Promise<number> {
  const id = await dashboard.addServer(agent)
  await change(dashboard, id, 'online')
  return id
}

export const change = (dashboard: Dashboard, id: number, status: 'online' | 'offline') =>
  dashboard.db.write((queries) => queries.update(servers).set({ status }).where(eq(servers.id, id)))

let count = 0
export async function addSite({ db }: Dashboard, server_id: number, more: Partial<NewSite> = {}) {
  const domain = `s${++count}.example`
  const kind = { php: '8.4', tier: 'small', tls: 'none', managed: true, status: 'active' } as const
  const known = { server_id, domain, apex: domain, user: `s${count}`, ...kind }
  const created_at = '2026-01-01T00:00:00.000Z'
  const [row] = await db.write((queries) =>
    queries
      .insert(sites)
      .values({ ...known, created_at, ...more })
      .returning({ id: sites.id }),
  )
  return row?.id ?? 0
}

import { eq } from 'drizzle-orm'
import type { Mailer } from '#dashboard/features/alerts/mailer.ts'
import { site_days } from '#dashboard/kernel/db/numbers-schema.ts'
import { site_states, site_versions, version_changes } from '#dashboard/kernel/db/reports-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { NUMBERS, type Numbers } from '#shared/metrics/site-numbers.ts'
import type { SiteState } from '#shared/reports/api/report.ts'
import { addServer, addSite } from './backup-attention.ts'
import { HeldClock } from './clock.ts'
import { type Dashboard, makeDashboard } from './dashboard.ts'

const DAY_MS = 24 * 3600_000

/** At a time, with a site that was created in December 2025; its server has the id 1. */
export async function dashboardWithSite(
  time: string,
  { mailer, folder }: { mailer?: Mailer; folder?: string } = {},
) {
  const clock = new HeldClock()
  const options = { clock, ...(mailer && { mailer }), ...(folder && { folder }) }
  const dashboard = await makeDashboard(options)
  await addServer(dashboard, 'web-1')
  const id = await addSite(dashboard, 1, { domain: 'shop.example' })
  const change = (values: Partial<typeof sites.$inferInsert>) =>
    dashboard.db.write((queries) => queries.update(sites).set(values).where(eq(sites.id, id)))
  const moveTo = (to: string) => clock.move(Date.parse(to) - clock.now().getTime())
  moveTo(time)
  // The session of the tests began at the first moment of the year.
  await dashboard.signIn()
  return { dashboard, clock, id, change, moveTo, path: `/api/servers/1/sites/${id}/report` }
}

export const addStates = ({ db }: Dashboard, site_id: number, rows: [at: string, SiteState][]) =>
  db.write((queries) =>
    queries.insert(site_states).values(rows.map(([at, state]) => ({ site_id, at, state }))),
  )

/** Adds the same numbers for each day from the first up to before the last. */
export async function addDays(
  { db }: Dashboard,
  site_id: number,
  { from, to, ...given }: { from: string; to: string; refused?: number } & Partial<Numbers>,
): Promise<void> {
  const { refused = null, ...numbers } = given
  const none = Object.fromEntries(NUMBERS.map((name) => [name, 0])) as Numbers
  const rows: (typeof site_days.$inferInsert)[] = []
  for (let at = Date.parse(from); at < Date.parse(to); at += DAY_MS)
    rows.push({ site_id, at: at / 1000, ...none, ...numbers, refused })
  await db.write((queries) => queries.insert(site_days).values(rows))
}

/** Adds updates that were found by scans since a time. */
export async function addUpdates(
  { db }: Dashboard,
  site_id: number,
  known: { since: string; scanned_at: string },
  found: [at: string, name: string, from: string, to: string][],
): Promise<void> {
  await db.write((queries) =>
    queries
      .insert(site_versions)
      .values({ site_id, ...known, core: '7.0', plugins: {}, themes: {} }),
  )
  await db.write((queries) =>
    queries.insert(version_changes).values(
      found.map(([at, name, from, to]) => ({
        site_id,
        at,
        kind: name === 'WordPress' ? ('core' as const) : ('plugin' as const),
        name,
        from,
        to,
      })),
    ),
  )
}

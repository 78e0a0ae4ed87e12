import { and, eq } from 'drizzle-orm'
import { REPORT_DAYS } from '#dashboard/features/reports/follow-states.ts'
import { type Database, writeAll } from '#dashboard/kernel/db/client.ts'
import {
  branding,
  site_states,
  site_versions,
  version_changes,
} from '#dashboard/kernel/db/reports-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'

/** Enough to look at, as in fill-numbers.ts. */
const MAX_SITES = 40
const DAY_MS = 24 * 3600_000
/** The days between two outages, and between two updates. */
const OUTAGE_DAYS = 23
const UPDATE_DAYS = 9
const UPDATED = ['WooCommerce', 'Yoast SEO', 'Contact Form 7'] as const

/** Stores what reports for clients show beside the numbers: outages, updates, and a branding. */
export async function fillReports(db: Database, now: number): Promise<void> {
  const rows = await db.read
    .select({ id: sites.id, core: sites.wp_version })
    .from(sites)
    .where(and(eq(sites.found, false), eq(sites.status, 'active')))
    .orderBy(sites.id)
    .limit(MAX_SITES)
  const at = (days: number, minutes = 0) =>
    new Date(now - days * DAY_MS + minutes * 60_000).toISOString()
  const states = rows.flatMap(({ id: site_id }) => [
    { site_id, at: at(REPORT_DAYS - 1), state: 'up' as const },
    ...timesBefore(OUTAGE_DAYS + (site_id % 7)).flatMap((days) => [
      { site_id, at: at(days), state: 'down' as const },
      { site_id, at: at(days, 4 + (site_id % 30)), state: 'up' as const },
    ]),
  ])
  const versions = rows.map(({ id: site_id, core }) => ({
    site_id,
    since: at(REPORT_DAYS - 1),
    scanned_at: at(0),
    core,
    plugins: {},
    themes: {},
  }))
  const changes = versions.flatMap(({ site_id }) =>
    timesBefore(UPDATE_DAYS).map((days, count) => ({
      site_id,
      at: at(days),
      kind: 'plugin' as const,
      name: UPDATED[count % UPDATED.length] ?? '',
      from: `9.${100 - count}.0`,
      to: `9.${101 - count}.0`,
    })),
  )
  await writeAll(db, (queries) => [
    queries.insert(branding).values({
      id: 1,
      name: 'Example Agency',
      color: '#0f766e',
      reply_to: 'hello@agency.example',
      closing: 'Thank you for your trust.',
    }),
    queries.insert(site_states).values(states),
    queries.insert(site_versions).values(versions),
    queries.insert(version_changes).values(changes),
  ])
}

/** Lists days before now, at an interval, for as long as reports go back. */
const timesBefore = (every: number): number[] =>
  Array.from({ length: Math.floor(REPORT_DAYS / every) - 1 }, (_, count) => (count + 1) * every)
    // In order of time.
    .reverse()

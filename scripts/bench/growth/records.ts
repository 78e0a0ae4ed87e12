import { type Database, openDatabase } from '#dashboard/db/client.ts'
import type { NewSite } from '#dashboard/db/rows.ts'
import { servers, sites } from '#dashboard/db/schema.ts'
import { piecesOf } from '#dashboard/runtime/breathe.ts'
import { addBackups } from './backups.ts'

const SERVERS = 100
/** The sites of the first server. The others have the rest, so that its list is no longer with more. */
export const FIRST = 100
const ROWS = 500
const AT = '2026-01-01T00:00:00.000Z'
const SOON = '2027-01-01T00:00:00.000Z'

const plugins = Array.from({ length: 20 }, (_, number) => ({
  ...{ slug: `plugin-${number}`, name: `Plugin number ${number}`, version: '1.2.3' },
  ...{ active: true, update: number % 7 === 0 ? '1.2.4' : null },
}))
const inventory = {
  ...{ wp_version: '6.8', plugins, themes: [], core_update: null },
  updates: { plugins: 3, themes: 0, core: false },
}

/** The records of a fleet with so many sites on 100 servers. */
export async function recordsOf(folder: string, count: number): Promise<Database> {
  const db = await openDatabase(`file:${folder}/fleet.db`)
  const homes = Array.from({ length: SERVERS }, (_, number) => ({
    ...{ name: `server-${number}`, hostname: `server-${number}.example`, port: 8443 },
    ...{ user: 'root', tags: ['eu', 'production'], status: 'online' as const, created_at: AT },
  }))
  await db.write((queries) => queries.insert(servers).values(homes))
  const numbers = Array.from({ length: count }, (_, number) => number)
  for (const some of piecesOf(numbers, ROWS))
    await db.write((queries) => queries.insert(sites).values(some.map(site)))
  await addBackups(db)
  return db
}

function site(number: number): NewSite {
  // Domains are in another order than ids.
  const domain = `site-${(number * 7919) % 1_000_003}.example`
  return {
    ...{ domain, apex: domain, user: `u${number}`, docroot: `/srv/www/u${number}/public` },
    server_id: number < FIRST ? 1 : 2 + (number % (SERVERS - 1)),
    php: ['8.2', '8.3', '8.4'][number % 3] ?? '',
    tier: (['small', 'medium', 'large'] as const)[number % 3] ?? 'small',
    ...{ tls: 'letsencrypt', framework: 'wordpress', wp_version: `6.${number % 9}` },
    ...{ db_name: `u${number}`, email: 'owner@example.com', managed: true, inventory },
    status: number % 50 === 0 ? 'failed' : 'active',
    ...{ updates_plugins: number % 5, updates_themes: number % 2, updates_core: false },
    ...{ last_scan: AT, certificate_expires_at: SOON, created_at: AT },
  }
}

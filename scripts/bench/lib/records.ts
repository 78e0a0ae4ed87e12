import type { Database } from '#dashboard/kernel/db/client.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { chunksOf } from '#dashboard/kernel/runtime/yield-to-event-loop.ts'

export const SERVERS = 100
const SITES = 10_000
const AT = Date.parse('2026-01-01T00:00:00.000Z')
const ROWS = 500

const extension = (number: number) => ({
  slug: `plugin-${number}`,
  name: `Plugin number ${number}`,
  version: '1.2.3',
  active: true,
  update: number % 7 === 0 ? '1.2.4' : null,
})
const updates = { plugins: 3, themes: 0, core: false }
const plugins = Array.from({ length: 20 }, (_, number) => extension(number))
const inventory = { wp_version: '6.8', plugins, themes: [], core_update: null, updates }

function site(number: number): NewSite {
  const domain = `site-${(number * 7919) % SITES}.example`
  const after = (seconds: number) => new Date(AT + seconds * 1000).toISOString()
  return {
    ...{ domain, apex: domain, user: `u${number}`, docroot: `/srv/www/u${number}/public` },
    server_id: 1 + (number % SERVERS),
    php: ['7.4', '8.1', '8.2', '8.3'][number % 4] ?? '',
    tier: (['small', 'medium', 'large'] as const)[number % 3] ?? 'small',
    ...{ tls: 'letsencrypt', framework: 'wordpress', wp_version: `6.${number % 9}` },
    ...{ db_name: `u${number}`, email: 'owner@example.com', managed: true, inventory },
    status: number % 50 === 0 ? 'failed' : 'active',
    ...{ updates_plugins: number % 5, updates_themes: number % 2, updates_core: false },
    last_scan: after(0),
    certificate_expires_at: after((number % 90) * 86_400),
    created_at: after(number),
  }
}

/**
 * Fills the records with a hundred servers and WordPress sites of twenty plugins each. `adapted`
 * returns the values of a site that a benchmark needs to be others, by its number from 1.
 */
export async function fillFleet(
  db: Database,
  count = SITES,
  adapted: (number: number) => Partial<NewSite> = () => ({}),
): Promise<void> {
  const homes = Array.from({ length: SERVERS }, (_, at) => ({
    ...{ name: `server-${at + 1}`, hostname: `server-${at + 1}.example`, port: 8443 },
    ...{ user: 'root', tags: at % 3 === 2 ? ['us'] : ['eu', 'production'] },
    ...({ status: 'online', created_at: new Date(AT).toISOString() } as const),
  }))
  await db.write((queries) => queries.insert(servers).values(homes))
  const numbers = Array.from({ length: count }, (_, at) => at + 1)
  for (const some of chunksOf(numbers, ROWS)) {
    const rows = some.map((number) => ({ ...site(number), ...adapted(number) }))
    await db.write((queries) => queries.insert(sites).values(rows))
  }
}

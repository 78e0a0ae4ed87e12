import { expect, test } from 'bun:test'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { Fleet } from '#scripts/demo/fleet/fleet.ts'
import { makeFleet } from '#scripts/demo/fleet/make-fleet.ts'
import { Turns } from '#scripts/demo/machine/host.ts'
import { siteRows } from '#scripts/demo/seed/sites.ts'
import type { FoundSite } from '#shared/kernel/found-site.ts'

const NOW = Date.UTC(2026, 0, 1)

test('the records of each site match its agent', async () => {
  const fleet = await Fleet.open(makeFleet('demo', { servers: 7, sites: 56 }), {
    turns: new Turns(),
    pace: 0,
    time: { now: () => NOW, elapsed: () => 0, loadTime: () => NOW },
    report: (error) => expect(error).toBeUndefined(),
  })
  const answers = await Promise.all(fleet.members.map(({ agent }) => agent.ask('GET /sites', {})))
  const found = answers
    .flatMap(({ sites }) => sites)
    .map(({ names: _, closed: __, unknown: ___, ...kept }) => kept)
  const records = new Map((await siteRows(fleet, NOW)).map((row) => [row.domain, row]))
  const recorded = found.map(({ domain }) => foundIn(records.get(domain)))

  expect(found).toHaveLength(53)
  expect(recorded).toEqual(found)
})

/** The agent's report that leads to this record. */
function foundIn(row: NewSite | undefined): Omit<FoundSite, 'names' | 'closed' | 'unknown'> {
  if (!row) throw new Error('The site has no record')
  const { domain, user, docroot = '', php, tier, tls, framework = 'unknown' } = row
  const { wp_version = '', db_name = '', updates_plugins, updates_themes, updates_core } = row
  return {
    ...{ domain, user, docroot, php, tier, tls, framework, wp_version, db_name },
    updates: {
      plugins: updates_plugins ?? null,
      themes: updates_themes ?? null,
      core: updates_core ?? null,
    },
  }
}

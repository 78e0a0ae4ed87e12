import { expect, test } from 'bun:test'
import { backup_proofs } from '#dashboard/db/backup-schema.ts'
import {
  addServer,
  addSite,
  ago,
  itemsOf,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const FINDING = { code: 'page_fails' as const, message: '/ is answered with 500' }

/** A proof of the only backup of a site, some days ago. */
async function prove(
  { db }: Dashboard,
  { site_id, days, proven }: { site_id: number; days: number; proven: boolean },
): Promise<void> {
  const counts = { rows: 1, tables: 1, files: 1, bytes: 1, seconds: 1 }
  await db.write((queries) =>
    queries.insert(backup_proofs).values({
      ...{ backup_id: site_id, site_id, proven, findings: proven ? [] : [FINDING], pages: [] },
      ...{ at: ago(days), recorded_at: ago(days), ...counts },
    }),
  )
}

test('a backup whose proof had findings is critical, and one without a proof for long a warning', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await setUp(dashboard)
  const server = await addServer(dashboard, 'one')
  const site = (domain: string) => addSite(dashboard, server, { domain, last: 0.5 })
  await site('new.example')
  for (const [domain, days, proven] of [
    ['proven.example', 6, true],
    ['broken.example', 6, false],
    ['old.example', 15, true],
  ] as const) {
    const site_id = await site(domain)
    await prove(dashboard, { site_id, days, proven })
  }

  expect(await itemsOf(dashboard)).toEqual([
    [
      ...['backup_proof_failed', 1],
      [
        [
          ...['critical', 'broken.example'],
          'The backup of 2025-12-31 is not proven: / is answered with 500: back the site up again, then prove the new backup on its page',
          1,
        ],
      ],
    ],
    [
      ...['backup_unproven', 1],
      [
        [
          ...['warning', 'old.example'],
          'The last proven backup of the site is from the proof of 2025-12-17: prove one on its page to see why',
          1,
        ],
      ],
    ],
  ])

  await dashboard.call('PUT', '/api/settings/proof_every', { value: 'off' })
  expect((await itemsOf(dashboard)).map(([kind]) => kind)).toEqual(['backup_proof_failed'])
})

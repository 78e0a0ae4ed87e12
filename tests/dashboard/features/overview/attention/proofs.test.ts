import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import {
  addBackup,
  addServer,
  addSite,
  ago,
  itemsOf,
  setUp,
} from '#tests/support/dashboard/backup-attention.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const FINDING = { code: 'page_fails' as const, message: '/ is answered with 500' }

interface Proof {
  site_id: number
  backup_id: number
  days: number
  proven: boolean
}

/** A proof of a backup, some days ago. */
async function prove(
  { db }: Dashboard,
  { site_id, backup_id, days, proven }: Proof,
): Promise<void> {
  const counts = { rows: 1, tables: 1, files: 1, bytes: 1, seconds: 1 }
  await db.write((queries) =>
    queries.insert(backup_proofs).values({
      ...{ backup_id, site_id, proven, findings: proven ? [] : [FINDING], pages: [] },
      ...{ at: ago(days), recorded_at: ago(days), ...counts },
    }),
  )
}

test('a backup whose proof had findings is critical, and one without a proof for long a warning', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await setUp(dashboard)
  const server = await addServer(dashboard, 'one')
  const site = async (domain: string, ...days: number[]) => {
    const site_id = await addSite(dashboard, server, { domain })
    const ids: number[] = []
    for (const last of days)
      ids.push(await addBackup(dashboard, { server_id: server, site_id, domain, last }))
    return { site_id, backup_id: ids[0] ?? 0 }
  }
  await site('new.example', 0.5)
  for (const [domain, days, proven] of [
    ['proven.example', 6, true],
    ['broken.example', 0.5, false],
    ['old.example', 15, true],
  ] as const) {
    await prove(dashboard, { ...(await site(domain, days, 0.5)), days, proven })
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

test('a proof of an earlier backup, or of a backup that is gone, shows nothing of the newest one', async () => {
  await using dashboard = await makeDashboard({ clock: new HeldClock() })
  await setUp(dashboard)
  const server_id = await addServer(dashboard, 'one')
  const made = async (domain: string) => {
    const site_id = await addSite(dashboard, server_id, { domain })
    const of = { server_id, site_id, domain }
    const old = await addBackup(dashboard, { ...of, last: 20 })
    return { site_id, old, newest: await addBackup(dashboard, { ...of, last: 0.5 }) }
  }
  const broken = await made('broken.example')
  await prove(dashboard, { ...broken, backup_id: broken.newest, days: 0.4, proven: false })
  await prove(dashboard, { ...broken, backup_id: broken.old, days: 0.1, proven: true })
  const stale = await made('stale.example')
  await prove(dashboard, { ...stale, backup_id: stale.old, days: 0.1, proven: true })
  const lost = await made('lost.example')
  await prove(dashboard, { ...lost, backup_id: lost.newest, days: 0.1, proven: true })
  await dashboard.db.write((queries) =>
    queries
      .update(backups)
      .set({ gone_at: ago(0) })
      .where(eq(backups.id, lost.newest)),
  )
  await addBackup(dashboard, {
    server_id,
    site_id: lost.site_id,
    domain: 'lost.example',
    last: 0.2,
  })

  const items = (await itemsOf(dashboard)) as [string, number, [string, string][]][]

  expect(items.map(([kind, , found]) => [kind, found.map(([, name]) => name)])).toEqual([
    ['backup_proof_failed', ['broken.example']],
    ['backup_unproven', ['stale.example', 'lost.example']],
  ])
})

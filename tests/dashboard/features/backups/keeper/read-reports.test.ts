import { expect } from 'bun:test'
import { reportOf, signedReport } from '#agent/programs/keeper/report.ts'
import type { ReportLine } from '#agent/programs/keeper/run.ts'
import { readReports } from '#dashboard/features/backups/keeper/read-reports.ts'
import { backups } from '#dashboard/kernel/db/backup-schema.ts'
import { servers } from '#dashboard/kernel/db/schema.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { keeper } from '#tests/support/agent/backup.ts'
import { addSite, ago } from '#tests/support/dashboard/backup-attention.ts'
import { place, SECRET } from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { testWith } from '#tests/support/fixture.ts'

const HOUR = 3600_000
const damage = { code: 'damaged' as const, message: 'Damaged data in 1 packs: 1a' }

/** A target with a backup and a keeper, and an agent that reads what the keeper wrote. */
async function kept() {
  const clock = new HeldClock()
  const dashboard = await makeDashboard({ clock })
  const agent = new FakeAgent()
  const texts: string[] = []
  const asked: unknown[] = []
  agent.answers.set('/backups/keeper', async (request) => {
    asked.push(await request.json())
    return Response.json({ texts })
  })
  const server_id = await dashboard.addServer(agent)
  await dashboard.db.write((queries) => queries.update(servers).set({ status: 'online' }))
  await dashboard.call('POST', '/api/backup-targets', {
    ...{ name: 'Storage', place, secret: SECRET, keeper_key: keeper.publicKey },
  })
  await addSite(dashboard, server_id, { domain: 'shop.example', last: 1 })
  const write = (days: number, problems: ReportLine['problems'] = []) => {
    const at = ago(days)
    const line = { at, store: '/srv', repository: 'shop', status: 'ok' as const, seconds: 1 }
    const report = reportOf(at, [{ ...line, backups: 3, forgotten: ['a'], problems }])
    texts.push(signedReport(new Secret(keeper.privateKey), report))
  }
  const target = async () =>
    (await dashboard.call('GET', '/api/backup-targets')).body.targets[0].keeper
  const items = async () => {
    const { attention } = (await dashboard.call('GET', '/api/fleet')).body
    const group = attention.find(({ kind }: { kind: string }) => kind === 'backup_keeper')
    return (group?.items ?? []).map(({ severity, reason }: Record<string, string>) => [
      severity,
      reason,
    ])
  }
  return {
    ...ending(dashboard, agent),
    ...{ agent, dashboard, clock, asked, write, target, items },
    read: () => readReports(dashboard.deps),
  }
}

const test = testWith(kept)

test('the report of a keeper is read a few times a day by a server, and shown', async ({
  clock,
  asked,
  write,
  read,
  target,
}) => {
  write(1)
  write(0.5)

  await read()
  await read()

  expect(asked).toEqual([{ target: { place, secret: SECRET } }])
  const shown = {
    ...{ at: ago(0.5), is_late: false, repositories: 1, backups: 3, postponed: 0, troubled: 0 },
    ...{ forgotten: 1, problems: [] },
  }
  expect(await target()).toEqual(shown)
  clock.move(7 * HOUR)
  await read()
  expect([asked.length, await target()]).toEqual([2, shown])
})

test('a report that was asked for by a clock that was wrong is asked for again', async ({
  clock,
  asked,
  read,
}) => {
  clock.set(60 * 24 * HOUR)
  await read()
  clock.set(-60 * 24 * HOUR)

  await read()

  expect(asked.length).toBe(2)
})

test('a keeper without a report needs attention once its target has backups', async ({
  dashboard,
  clock,
  items,
}) => {
  // Its id is not that of the target.
  await dashboard.db.write((queries) => queries.update(backups).set({ id: 9 }))
  clock.move(96 * HOUR)
  const reason =
    'No report of the keeper was found: look at its log beside the storage, or remove its key from the target'
  expect(await items()).toEqual([['info', reason]])

  await dashboard.db.write((queries) => queries.update(backups).set({ gone_at: ago(0) }))

  expect(await items()).toEqual([])
})

test('a keeper that does not run, and damaged data, need attention', async ({
  clock,
  write,
  read,
  items,
}) => {
  await read()
  expect(await items()).toEqual([])
  clock.move(73 * HOUR)
  expect(await items()).toEqual([
    [
      'info',
      'No report of the keeper was found: look at its log beside the storage, or remove its key from the target',
    ],
  ])

  write(0)
  await read()
  expect(await items()).toEqual([
    [
      'warning',
      `The keeper has not run since ${ago(0).slice(0, 10)}, and old backups stay: look at its log beside the storage`,
    ],
  ])
  write(-3, [{ code: 'no_key', message: 'No key for this keeper' }])
  clock.move(7 * HOUR)
  await read()
  expect(await items()).toEqual([
    [
      'warning',
      'The keeper has problems with 1 site (shop: No key for this keeper): look at its log beside the storage',
    ],
  ])
  write(-3.2, [damage])
  clock.move(7 * HOUR)
  await read()
  expect(await items()).toEqual([
    [
      'critical',
      'Damaged data in the backups of shop (Damaged data in 1 packs: 1a): replace the disk of the storage, then repair the repository',
    ],
  ])
})

test('another key of the keeper forgets the report of the earlier one', async ({
  dashboard,
  write,
  read,
  target,
}) => {
  write(1)
  await read()
  expect(await target()).not.toBeNull()

  await dashboard.call('PATCH', '/api/backup-targets/1', { keeper_key: null })

  expect(await target()).toBeNull()
})

test('a report of the future needs attention, and does not hide the next one', async ({
  clock,
  write,
  read,
  target,
  items,
}) => {
  write(-365)
  await read()
  expect(await items()).toEqual([
    [
      'warning',
      `The last report of the keeper is of ${ago(-365).slice(0, 10)}, which is in the future: correct the clock of its machine, then start it again`,
    ],
  ])

  write(0)
  clock.move(7 * HOUR)
  await read()

  expect([(await target()).at, await items()]).toEqual([ago(0), []])
})

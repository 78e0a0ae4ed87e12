// tier: gate
import { expect, test } from 'bun:test'
import { backupFirstOfSite } from '#dashboard/features/backups/backup-first/backup-needed.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const MINUTE_MS = 60_000

async function prepared() {
  const { agent } = backupAgent({ now: () => new Date() })
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const backups = await addSite(dashboard, server_id)
  const id = Number(/(\d+)\/backups$/.exec(backups)?.[1])
  const clock = new HeldClock()
  clock.set(Date.now() - clock.now().getTime())
  const needed = (without_backup?: boolean) =>
    backupFirstOfSite({ db: dashboard.db, clock }, { id }, { without_backup })
  const ready = async () => {
    await confirmKit(dashboard)
    return checkedTarget(dashboard, server_id)
  }
  const made = { dashboard, server_id, backups, id, clock, needed, ready }
  return { ...made, ...ending(dashboard, agent) }
}

test('a site that can be backed up needs a backup of the last hour', async () => {
  await using all = await prepared()

  const impossible = await all.needed()
  await all.ready()
  const never = await all.needed()
  await streamed(all.dashboard, all.backups)
  const recent = await all.needed()
  all.clock.move(61 * MINUTE_MS)
  const earlier = await all.needed()
  const unwanted = await all.needed(true)

  const answers = [impossible, never, recent, earlier, unwanted]
  expect(answers).toEqual([null, 'waits', 'done', 'waits', null])
})

test('a backup that is not in its repository any more does not count', async () => {
  await using all = await prepared()
  await all.ready()
  await streamed(all.dashboard, all.backups)

  await all.dashboard.db.write((queries) => queries.run("update backups set gone_at = 'now'"))

  expect(await all.needed()).toBe('waits')
})

test('a site has its own choice, else that of a tag, else that of all', async () => {
  await using all = await prepared()
  await all.ready()
  const { dashboard, server_id, backups } = all
  const set = (backup_first: boolean | null) =>
    dashboard.call('PUT', `${backups}/settings`, {
      ...{ every: 'default', target_id: null, backup_first },
    })
  const shown = async () => {
    const { backup_first, in_effect } = (await dashboard.call('GET', backups)).body
    return [
      backup_first,
      in_effect.backup_first,
      in_effect.backup_first_from.kind,
      await all.needed(),
    ]
  }

  await dashboard.call('PUT', '/api/settings/backup_first', { value: false })
  const fleet = await shown()
  await dashboard.call('PATCH', `/api/servers/${server_id}`, { tags: ['shops'] })
  const { version } = (await dashboard.call('GET', '/api/backup-rules')).body
  await dashboard.call('PUT', '/api/backup-rules', {
    version,
    rules: [{ tag: 'shops', every: 'default', target_id: null, backup_first: true }],
  })
  const tag = await shown()
  await set(false)
  const own = await shown()
  await set(null)
  const again = await shown()

  expect([fleet, tag, own, again]).toEqual([
    [null, false, 'fleet', null],
    [null, true, 'tag', 'waits'],
    [false, false, 'site', null],
    [null, true, 'tag', 'waits'],
  ])
})

test('a staging site has none before changes unless it has a choice of its own', async () => {
  await using all = await prepared()
  await all.ready()
  const { dashboard, backups } = all

  await dashboard.db.write((queries) => queries.run('update sites set staging = 1'))
  const usual = await all.needed()
  await dashboard.call('PUT', `${backups}/settings`, {
    ...{ every: 'default', target_id: null, backup_first: true },
  })

  expect([usual, await all.needed()]).toEqual([null, 'waits'])
})

test.each(['provisioning', 'failed', 'missing', 'trashed'])(
  'a site that is %s has none',
  async (status) => {
    await using all = await prepared()
    await all.ready()

    await all.dashboard.db.write((queries) => queries.run(`update sites set status = '${status}'`))

    expect(await all.needed()).toBeNull()
  },
)

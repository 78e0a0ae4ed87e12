import { expect, test } from 'bun:test'
import { backup_proofs } from '#dashboard/kernel/db/backup-schema.ts'
import {
  addSite,
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  PROOF,
  place,
  SECRET,
  streamed,
} from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

async function withBackups(count: number) {
  const { agent, given } = backupAgent()
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = await addSite(dashboard, server_id)
  await confirmKit(dashboard)
  await checkedTarget(dashboard, server_id)
  const fleet = await dashboard.call('GET', '/api/fleet/sites')
  const { user } = fleet.body.sites[0]
  for (let made = 0; made < count; made++) await streamed(dashboard, at)
  given.length = 0
  const { backups } = (await dashboard.call('GET', at)).body
  return { ...ending(dashboard, agent), agent, dashboard, given, at, backups, user, server_id }
}

test('the newest backup is proven, and the proof is recorded with its findings', async () => {
  await using world = await withBackups(2)
  const { dashboard, given, at, backups, user, server_id } = world

  const { text } = await streamed(dashboard, `${at}/prove`)

  expect(text).toContain('event: complete')
  const target = { place, secret: SECRET }
  expect(given).toEqual([
    {
      'backup.prove': {
        ...{
          domain: 'shop.example',
          target,
          password_id: passwordIdOf(PASSWORD),
          repository: user,
        },
        backup: '2'.repeat(64),
      },
    },
  ])
  const { core: _core, ...recorded } = PROOF
  expect(await dashboard.db.read.select().from(backup_proofs)).toEqual([
    {
      ...recorded,
      ...{ id: 1, backup_id: backups[0].id, site_id: expect.any(Number), server_id },
      ...{ recorded_at: expect.any(String), seconds: 12 },
    },
  ])
})

test('an older backup can be named, and none is refused', async () => {
  await using world = await withBackups(2)
  const { dashboard, given, at, backups } = world

  await streamed(dashboard, `${at}/prove`, { backup_id: backups[1].id })

  expect(given.map((call) => call['backup.prove']?.backup)).toEqual(['1'.repeat(64)])
})

test('a site without a backup has nothing to prove', async () => {
  await using world = await withBackups(0)
  const { dashboard, at } = world

  const { status, text } = await streamed(dashboard, `${at}/prove`)

  expect([status, JSON.parse(text).message]).toEqual([
    409,
    'The site has no backup: back it up first',
  ])
})

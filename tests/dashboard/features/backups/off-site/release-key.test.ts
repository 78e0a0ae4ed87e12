import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { makeKeyPair } from '#dashboard/features/backups/key-pair.ts'
import {
  lacksKey,
  recordSealed,
  savedKey,
} from '#dashboard/features/backups/off-site/release-key.ts'
import {
  findOffSite,
  findSealed,
  setOffSite,
} from '#dashboard/features/backups/off-site/state.queries.ts'
import { putRecovery, sealFiles } from '#dashboard/features/backups/recovery-file.ts'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import { confirmKit, kit } from '#tests/support/dashboard/backups.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const NOW = '2026-01-01T00:00:00.000Z'
const AT = '/api/fleet/dashboard-backup'
const ALL = { 'release-key': 'x', 'dashboard.env': 'y' }

/** A dashboard with a kit and a target, and what root does beside it. */
async function started() {
  const dashboard = await makeDashboard({ clock: new HeldClock() })
  const { db, folder } = dashboard
  await confirmKit(dashboard)
  await dashboard.call('PUT', `${AT}/target`, { place: { kind: 'local', path: '/mnt/none' } })
  return {
    dashboard,
    db,
    async seal(files: Record<string, string>, key: string | undefined) {
      await putRecovery(folder, sealFiles(files, key, new Date(NOW)))
      await recordSealed(db, folder)
    },
    async unseal() {
      await rm(`${folder}/recovery.json`)
      await recordSealed(db, folder)
    },
    /** A backup with the present file was saved. */
    async save() {
      const before = await findOffSite(db)
      const header = { saved_at: NOW, ...((await findSealed(db)) ?? { kit: null, holds: [] }) }
      const release_key = savedKey(header, before, NOW)
      await setOffSite(db, { tried_at: NOW, saved_at: NOW, error: null, release_key })
    },
    state: async () => (await dashboard.call('GET', AT)).body.backup.release_key,
    reasons: async () => {
      const { attention } = (await dashboard.call('GET', '/api/fleet')).body
      const items = attention.flatMap((group: { items: { reason: string }[] }) => group.items)
      return items.map(({ reason }: { reason: string }) => reason)
    },
    [Symbol.asyncDispose]: () => dashboard[Symbol.asyncDispose](),
  }
}

test('the release key is saved once a backup holds it, sealed to the kit in use', async () => {
  await using world = await started()
  const { db } = world
  expect(await world.state()).toBeNull()

  await world.seal(ALL, undefined)
  const unsaved = [await world.state(), await world.reasons()]
  await world.seal(ALL, kit.publicKey)
  const next = [await world.state(), lacksKey(await findSealed(db), await findOffSite(db))]
  await world.save()
  const saved = [await world.state(), lacksKey(await findSealed(db), await findOffSite(db))]

  expect(unsaved).toEqual([
    { state: 'not_saved', since: null },
    [
      'The backups of this dashboard do not hold the key that signs agents, or not for the recovery kit in use: run hosting-control save-release-key <fingerprint> as root on its machine, with the fingerprint in the file of your recovery kit',
    ],
  ])
  expect(next).toEqual([{ state: 'next', since: null }, true])
  expect(saved).toEqual([{ state: 'saved', since: NOW }, false])
  expect(await world.reasons()).toEqual([])
  await world.unseal()
  expect(await world.state()).toBeNull()
})

test('another kit needs another sealing, and a key that is elsewhere is said', async () => {
  await using world = await started()
  await world.seal(ALL, kit.publicKey)
  await world.save()
  const other = await makeKeyPair()

  await confirmKit(world.dashboard, other)
  const changed = await world.state()
  await world.seal(ALL, other.publicKey)
  await world.save()
  const again = await findOffSite(world.db)
  await world.seal({ 'dashboard.env': 'y' }, other.publicKey)

  expect(changed).toEqual({ state: 'not_saved', since: null })
  expect(again?.release_key).toEqual({ kit: fingerprintOf(other.publicKey), since: NOW })
  expect(await world.state()).toEqual({ state: 'not_here', since: null })
})

import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { startDueBackups } from '#dashboard/features/backups/start-due-backups.ts'
import { startDueProofs } from '#dashboard/features/backups/start-due-proofs.ts'
import { backup_proofs, backups } from '#dashboard/kernel/db/backup-schema.ts'
import { operations } from '#dashboard/kernel/db/schema.ts'
import { addSite, fleet, HOUR_MS, home } from '#tests/support/dashboard/backup-fleet.ts'
import { PROOF } from '#tests/support/dashboard/backups.ts'
import type { Dashboard } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'

const begun = async ({ db }: Dashboard) => {
  const rows = await db.read.select().from(operations).where(eq(operations.type, 'backup.prove'))
  return rows.map(({ id, site_id }) => ({ id, site_id }))
}
const sites = async (dashboard: Dashboard) => (await begun(dashboard)).map(({ site_id }) => site_id)

/** Sites with a backup, each on its own server. */
async function backedUp(count: number, { servers = count } = {}) {
  const all = await fleet()
  const { dashboard, agent, server_id } = all
  const places = [server_id]
  while (places.length < servers) places.push(await home(dashboard, agent))
  const ids: number[] = []
  for (let at = 0; at < count; at++) {
    const place = places[at % servers] ?? 0
    const id = await addSite(dashboard, place)
    await (await dashboard.send('POST', `/api/servers/${place}/sites/${id}/backups`, {})).text()
    ids.push(id)
  }
  /** At 01:30, when its window is open, with a signed-in user. */
  const toNight = async () => {
    all.forward(13.5 * HOUR_MS)
    await dashboard.signIn()
  }
  return { ...all, ids, toNight, [Symbol.asyncDispose]: all[Symbol.asyncDispose] }
}

describe('automatic proofs', () => {
  test('are made in the window, of the newest backup, and are shown with their findings', async () => {
    await using all = await backedUp(1)
    const { dashboard, ids, server_id, toNight } = all
    await startDueProofs(dashboard.deps)
    expect(await sites(dashboard)).toEqual([])

    await toNight()
    await dashboard.db.write((queries) =>
      queries.update(backups).set({ recorded_at: dashboard.deps.clock.now().toISOString() }),
    )
    await startDueProofs(dashboard.deps)

    expect(await sites(dashboard)).toEqual(ids)
    for (const { id } of await begun(dashboard)) await ended(dashboard, id)
    const { body } = await dashboard.call(
      'GET',
      `/api/servers/${server_id}/sites/${ids[0]}/backups`,
    )
    const { bytes: _, core: __, pages, ...shown } = PROOF
    expect(body.backups[0].proof).toEqual({ ...shown, pages: pages.length, seconds: 12 })
    expect(body.next_proof_at).toEqual(expect.any(String))
    const coverage = (await dashboard.call('GET', '/api/fleet/backups')).body
    expect(coverage.counts).toMatchObject({ failed: 1, ok: 0 })
    expect(coverage.sites[0]).toMatchObject({ state: 'failed', proven_at: null })
    await startDueProofs(dashboard.deps)
    expect(await sites(dashboard)).toEqual(ids)
  })

  test('run one at once on a server, and in the fleet as set, the oldest proof first', async () => {
    await using all = await backedUp(4, { servers: 3 })
    const { dashboard, agent, ids, toNight } = all
    const hold = Promise.withResolvers<void>()
    agent.works.set('backup.prove', async function* () {
      yield 'Restoring the files'
      await hold.promise
      throw new Error('released')
    })
    const old = new Date(dashboard.deps.clock.now().getTime() - 40 * 24 * HOUR_MS).toISOString()
    const { at: _, core: __, ...proof } = PROOF
    await dashboard.db.write((queries) =>
      queries.insert(backup_proofs).values({
        ...{ ...proof, seconds: 1, proven: true, findings: [], at: old, recorded_at: old },
        ...{ backup_id: 1, site_id: ids[0] ?? 0, server_id: null },
      }),
    )
    await toNight()
    await dashboard.db.write((queries) =>
      queries.update(backups).set({ recorded_at: dashboard.deps.clock.now().toISOString() }),
    )

    await startDueProofs(dashboard.deps)
    await startDueProofs(dashboard.deps)

    expect(await sites(dashboard)).toEqual([ids[1] ?? 0, ids[2] ?? 0])

    await dashboard.call('PUT', '/api/settings/proofs_at_once', { value: 9 })
    await startDueProofs(dashboard.deps)
    expect(await sites(dashboard)).toEqual([ids[1] ?? 0, ids[2] ?? 0, ids[3] ?? 0])
    hold.resolve()
  })

  test('wait for the backups of their server, and do not start while they are off', async () => {
    await using all = await backedUp(2, { servers: 1 })
    const { dashboard, agent, toNight } = all
    const hold = Promise.withResolvers<void>()
    agent.works.set('backup.create', async function* () {
      yield 'Saving the files'
      await hold.promise
      throw new Error('released')
    })
    await toNight()
    all.forward(HOUR_MS * 3)
    await startDueBackups(dashboard.deps)
    await startDueProofs(dashboard.deps)
    expect(await sites(dashboard)).toEqual([])
    hold.resolve()

    await dashboard.call('PUT', '/api/settings/proof_every', { value: 'off' })
    await dashboard.db.write((queries) =>
      queries.update(backups).set({ recorded_at: dashboard.deps.clock.now().toISOString() }),
    )
    await startDueProofs(dashboard.deps)
    expect(await sites(dashboard)).toEqual([])
  })
})

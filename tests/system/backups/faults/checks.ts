import { expect } from 'bun:test'
import type { Fault } from '#tests/support/system/backup-faults/faults.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import type { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'
import type { Ended } from '#tests/support/system/backup-host.ts'

/** A backup is complete without this restic. */
const LAST = 'snapshots --json'
/** All restics of a backup and of a restore, in their order, by their arguments. */
export const SAVES = ['key list', '--tag database', '--tag files', '--tag manifest', LAST]
export const FETCHES = ['/manifest.json', '/database.sql', '--target']

/** An operation runs these restics, and no others. */
export async function expectRestics(world: FaultyWorld): Promise<void> {
  const named = (all: readonly string[], { restics }: Ended) =>
    restics.map((line, at) => (line.includes(all[at] ?? '-') ? all[at] : line))
  expect(named(SAVES, await world.create())).toEqual(SAVES)
  expect(named(FETCHES, await world.restore())).toEqual(FETCHES)
  await world.undo()
}

/** A backup during which something happens is complete or absent, and the site is as it was. */
export async function expectBackup(world: FaultyWorld, words: string, fault: Fault): Promise<void> {
  world.renewed()
  const [before, had] = [await world.everything(), await world.manifests()]
  const event = await endDuring(world, words, world.create(), fault)
  expect([words, await world.changes(before)]).toEqual([words, []])
  const added = (await world.manifests()).slice(had.length)
  // A restic that has read all survives its agent: nobody waits for it, and the backup is complete.
  const mayBe = event === 'killed' && words === '--tag manifest' ? added.length : 0
  const count = event === 'complete' || words === LAST ? 1 : mayBe
  expect([words, added.length]).toEqual([words, count])
  if (mayBe > 0) await expectRestorable(world, added.at(-1) ?? '')
}

async function expectRestorable(world: FaultyWorld, id: string): Promise<void> {
  const before = await world.everything()
  expect(await world.restore({ id })).toMatchObject({ event: 'complete' })
  await world.undo()
  expect(['undone', await world.changes(before)]).toEqual(['undone', []])
}

/** A restore during which something happens has restored the site, or changed nothing. */
export async function expectRestore(
  world: FaultyWorld,
  words: string,
  fault: Fault,
): Promise<void> {
  const before = await world.everything()
  const event = await endDuring(world, words, world.restore(), fault)
  if (event === 'complete') await world.undo()
  expect([words, await world.changes(before)]).toEqual([words, []])
}

/** Its last event, which is one of those that the fault allows. */
export async function endDuring(
  world: FaultyWorld,
  words: string,
  work: Promise<Ended>,
  { ends, happen }: Fault,
): Promise<string> {
  const { event, data } = await during(world.server.host, words, work, (pid) => happen(world, pid))
  await world.healed()
  const allowed = ends(world.storage.kind)
  const all = words === LAST ? allowed.map((end) => (end === 'error' ? 'complete' : end)) : allowed
  expect([words, data, all]).toEqual([words, data, expect.arrayContaining([event])])
  return event
}

/** The network between server and storage is cut at each of these restics, until the operation ends. */
export async function expectEndOfCut(
  world: FaultyWorld,
  work: 'create' | 'restore',
  all: readonly string[],
): Promise<void> {
  const { server, storage } = world
  world.renewed()
  const [before, had] = [await world.everything(), await world.manifests()]
  for (const words of all) {
    const { event, data } = await during(server.host, words, world.impatient[work](), () =>
      storage.host.partition(true),
    )
    await storage.host.partition(false)
    const end = [words, event, data.code, data.message]
    if (words === LAST) expect(end).toEqual([words, 'complete', undefined, undefined])
    else
      expect(end).toEqual([
        ...[words, 'error', 'target_unreachable'],
        expect.stringContaining('The target did not answer: check the network'),
      ])
    expect([words, await world.changes(before)]).toEqual([words, []])
  }
  const added = all.includes(LAST) ? 1 : 0
  expect(await world.manifests()).toHaveLength(had.length + added)
  await expectWorks(world)
}

/** A backup and a restore have no obstacle. */
async function expectWorks(world: FaultyWorld): Promise<void> {
  const before = await world.everything()
  expect(await world.create()).toMatchObject({ event: 'complete' })
  expect(await world.restore()).toMatchObject({ event: 'complete' })
  await world.undo()
  expect(['undone', await world.changes(before)]).toEqual(['undone', []])
}

/** A backup that its storage has no space for. */
export async function expectFull(world: FaultyWorld): Promise<void> {
  const { server, storage } = world
  world.renewed()
  const [before, had] = [await world.everything(), await world.manifests()]

  const work = world.impatient.create()
  const { event, data } = await during(server.host, '--tag files', work, storage.fill)

  expect([event, data.code, data.message]).toEqual([
    ...['error', undefined],
    expect.stringMatching(storage.full),
  ])
  expect(['full', await world.changes(before)]).toEqual(['full', []])
  expect(await world.manifests()).toEqual(had)
  await storage.empty()
  expect(await world.create()).toMatchObject({ event: 'complete' })
}

/** What restics that were killed left is removed first; all data of all backups is read. */
export async function expectSound(world: FaultyWorld): Promise<void> {
  await world.keeper('unlock', '--remove-all')
  const checked = await world.keeper('check', '--read-data')
  expect([checked.code, checked.stderr]).toEqual([0, ''])
}

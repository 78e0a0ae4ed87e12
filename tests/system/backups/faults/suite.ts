import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { S3_PORT } from '#tests/support/storage/ceph.ts'
import { MovedClock } from '#tests/support/storage/moved-clock.ts'
import { listening } from '#tests/support/storage/service.ts'
import { AGENT_KILLED, FAULTS, type Fault } from '#tests/support/system/backup-faults/faults.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import type { StorageKind } from '#tests/support/system/backup-faults/storages.ts'
import { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'
import {
  expectBackup,
  expectEndOfCut,
  expectFull,
  expectRestics,
  expectRestore,
  expectSound,
  FETCHES,
  SAVES,
} from './checks.ts'
import { expectEachCreated } from './first.ts'

const HOUR = 3600
const WORDS =
  /^The (clock of this server and the storage do not agree on the time: |storage refused this server: .*clock of this server)/

/**
 * While one of these restics runs, the clock of the storage becomes one hour ahead of the server's.
 * S3 then refuses all requests; nothing has changed, and everything works with the same time again.
 */
async function expectSkewed(
  world: FaultyWorld,
  saves: readonly string[],
  fetches: readonly string[],
): Promise<void> {
  const { server, storage, impatient } = world
  const clock = await MovedClock.on(storage.host)
  await clock.ofService(storage.service)
  await listening(storage.host, storage.service, S3_PORT)
  world.renewed()
  const [before, had] = [await world.everything(), await world.manifests()]
  const works = [
    ...saves.map((words) => ({ words, work: impatient.create })),
    ...fetches.map((words) => ({ words, work: impatient.restore })),
  ]
  for (const { words, work } of works) {
    const { event, data } = await during(server.host, words, work(), () => clock.move(HOUR))
    await clock.move(0)
    expect([words, event, data.message]).toEqual([words, 'error', expect.stringMatching(WORDS)])
    expect([words, await world.changes(before)]).toEqual([words, []])
  }
  expect(await world.manifests()).toEqual(had)
  expect(await world.create()).toMatchObject({ event: 'complete' })
}

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)

/** Every other one: the two storages have all of them together. In the long mode all. */
const half = (kind: StorageKind, all: readonly string[]): readonly string[] =>
  all.filter((_, at) => long || at % 2 === (kind === 'sftp' ? 0 : 1))

/**
 * The restics at which a fault happens. A killed server of SFTP ends a step; restic asks the others
 * again in the same way, also after some seconds without a network.
 */
function chosen(kind: StorageKind, all: readonly string[], { name }: Fault): readonly string[] {
  if (long || name.endsWith('killed')) return all
  return kind === 'sftp' && name.startsWith('the storage') ? all.slice(1, 3) : all.slice(1, 2)
}

/** What an operation on such a storage does when something fails. The REST server has tests of its own. */
export function describeFaults(kind: Exclude<StorageKind, 'rest'>, title: string): void {
  unless(lab.available()).describe(title, () => {
    let world: FaultyWorld

    beforeAll(async () => {
      world = await FaultyWorld.start(kind)
    }, 15 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    test('is used by restics of which each is interrupted here', () => expectRestics(world))

    test.each([...FAULTS, AGENT_KILLED].map((fault) => [fault.name, fault] as const))(
      'has a complete backup or none, and a restored site or the same one, when %s',
      async (_, fault) => {
        for (const words of chosen(kind, SAVES, fault)) await expectBackup(world, words, fault)
        for (const words of chosen(kind, FETCHES, fault)) await expectRestore(world, words, fault)
        await expectSound(world)
      },
    )

    test('ends a backup and a restore when the network is cut, and works when it is back', async () => {
      await expectEndOfCut(world, 'create', half(kind, SAVES))
      await expectEndOfCut(world, 'restore', half(kind, FETCHES))
    })

    if (kind === 's3') {
      test('is not written and not read while its clock is not that of the server', () =>
        expectSkewed(world, long ? SAVES.slice(0, -1) : ['--tag files'], ['--target']))
    }

    test('has a first backup after one that was interrupted', async () => {
      await expectEachCreated(world)
    })

    test('has no backup that it has no space for, and the earlier ones', async () => {
      await expectFull(world)
      await expectSound(world)
    })

    test('is neither read nor written with another password', async () => {
      const [before, had] = [await world.everything(), await world.manifests()]
      const password = 'x'.repeat(48)
      for (const work of [world.restore, world.create]) {
        const { event, data } = await work({ password })
        expect([event, data.message]).toEqual([
          'error',
          expect.stringMatching(/^The repository of this site has another password: find its/),
        ])
      }
      expect(['wrong password', await world.changes(before)]).toEqual(['wrong password', []])
      expect(await world.manifests()).toEqual(had)
    })
  })
}

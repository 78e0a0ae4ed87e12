import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import {
  expectBackup,
  expectEndOfCut,
  expectFull,
  expectRestore,
  expectSound,
  FETCHES,
  SAVES,
} from './checks.ts'
import { FAULTS } from './faults.ts'
import type { StorageKind } from './storages.ts'
import { FaultyWorld } from './world.ts'

const MINUTES = 60_000

/** What an operation on such a storage does when something fails. The REST server has tests of its own. */
export function describeFaults(kind: Exclude<StorageKind, 'rest'>, title: string): void {
  unless(lab.available()).describe(title, () => {
    let world: FaultyWorld

    beforeAll(async () => {
      world = await FaultyWorld.start(kind)
    }, 15 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
      'has a complete backup or none, and a restored site or the same one, when %s',
      async (name, fault) => {
        // A killed server of SFTP ends a step; restic asks the others again in the same way.
        const steps = kind === 'sftp' && name.startsWith('the storage') ? [1, 2] : [1]
        for (const step of steps) {
          await expectBackup(world, SAVES[step] ?? '', fault)
          await expectRestore(world, FETCHES[step] ?? '', fault)
        }
        await expectSound(world)
      },
      10 * MINUTES,
    )

    test(
      'ends a backup and a restore when the network is cut, and works when it is back',
      async () => {
        await expectEndOfCut(world, 'create', ['--tag database', '--tag manifest'])
        await expectEndOfCut(world, 'restore', ['--target'])
      },
      10 * MINUTES,
    )

    test(
      'has no backup that it has no space for, and the earlier ones',
      async () => {
        await expectFull(world)
        await expectSound(world)
      },
      10 * MINUTES,
    )

    test(
      'is neither read nor written with another password',
      async () => {
        const [before, had] = [await world.everything(), await world.manifests()]
        const password = 'x'.repeat(48)
        for (const work of [world.restore, world.create]) {
          const { event, data } = await work({ password })
          expect([event, data.message]).toEqual([
            'error',
            expect.stringMatching(/^The repository of this site has another password: find its/),
          ])
        }
        await world.expectSame('wrong password', before)
        expect(await world.manifests()).toEqual(had)
      },
      10 * MINUTES,
    )
  })
}

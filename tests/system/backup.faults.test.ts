import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { FAULTS } from '#tests/support/system/backup-faults/faults.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'

const MINUTES = 60_000
const STEPS = ['target', 'repository', 'jobs', 'database', 'files', 'release', 'manifest', 'close']

unless(lab.available()).describe('a backup that fails', () => {
  let world: FaultyWorld

  beforeAll(async () => {
    world = await FaultyWorld.start()
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    'at any step leaves the site as it is, and only complete backups',
    async () => {
      const [before, had] = [await world.everything(), await world.manifests()]
      for (const step of STEPS) {
        const { data } = await world.server.run('backup.create', world.server.saving, `${step}:1`)
        expect([step, data.message]).toEqual([step, 'injected fault'])
        await world.expectSame(step, before)
      }
      const have = await world.manifests()
      // The step after the manifest had a whole backup.
      expect(have.slice(0, -1)).toEqual(had)
      expect((await world.restore({ id: have.at(-1) ?? '' })).event).toBe('complete')
      await world.undo()
      await world.expectSame('undone', before)
    },
    15 * MINUTES,
  )

  test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    'is complete or absent when %s while it is saved',
    async (_, { fails, happen }) => {
      for (const words of ['--tag database', '--tag files', '--tag manifest']) {
        await world.renewed()
        const [before, had] = [await world.everything(), await world.manifests()]
        const fault = (pid: string) => happen(world, pid)
        const { event, data } = await during(world.server.host, words, world.create(), fault)
        expect([words, event, data]).toEqual([words, fails ? 'error' : 'complete', data])
        await world.expectSame(words, before)
        expect([words, (await world.manifests()).length - had.length]).toEqual([
          words,
          fails ? 0 : 1,
        ])
      }
      const checked = await world.keeper('check', '--read-data')
      expect([checked.code, checked.stderr]).toEqual([0, ''])
    },
    20 * MINUTES,
  )

  test.each(FAULTS.map((fault) => [fault.name, fault] as const))(
    'is restored or changes nothing when %s while it is fetched',
    async (_, { fails, happen }) => {
      for (const words of ['/manifest.json', '/database.sql', '--target']) {
        const before = await world.everything()
        const fault = (pid: string) => happen(world, pid)
        const { event, data } = await during(world.server.host, words, world.restore(), fault)
        expect([words, event, data]).toEqual([words, fails ? 'error' : 'complete', data])
        if (!fails) await world.undo()
        await world.expectSame(words, before)
      }
    },
    20 * MINUTES,
  )
})

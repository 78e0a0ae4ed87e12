// tier: full
import { expect, test } from 'bun:test'
import { besideRest, describeKeeper, STORE } from '#tests/support/storage/keeper-world.ts'
import { AgentClock } from '#tests/support/system/set-clock.ts'

const MINUTES = 60_000
const DAY = 24 * 60 * MINUTES
const CLOCKED = { source: 'tests/support/system/clocked-keeper.ts' }

describeKeeper('a keeper whose clock jumps by a year', besideRest, CLOCKED, (world) => {
  test('deletes no backup and no lock until its clock is right again, and then continues', async () => {
    const { outcomeOf, place, report, started } = world()
    const { machine } = place
    const clock = new AgentClock(machine)
    const history = await started('shop')
    const [old] = [await history.save(40), await history.save(8.5), await history.save(1)]
    await place.own()
    const fine = { code: 0, status: 'ok', backups: 3, forgotten: [] as string[], problems: [] }
    expect(await outcomeOf('shop')).toEqual(fine)
    // Of a backup that is running.
    const lock = `${STORE}/shop/locks/${'0'.repeat(64)}`
    const snapshots = await history.snapshots()

    for (const [days, problem] of [
      [365, 'The clock is 365 days after the last run: nothing is deleted until it is corrected'],
      [366, 'The clock is 366 days after the last run: nothing is deleted until it is corrected'],
      [-365, 'The clock is behind that of the last run: nothing is deleted until it is corrected'],
    ] as const) {
      await machine.put(lock, '')
      await clock.change(days * DAY)
      const garbage = `locks/${'0'.repeat(64)} is garbage, or is being written: a run removes it when it is a day old`
      expect(await outcomeOf('shop')).toEqual({
        ...fine,
        ...{ code: 1, status: 'problem' },
        problems: [...(days < 0 ? [garbage] : []), expect.stringContaining(problem)],
      })
      expect(await history.snapshots()).toEqual(snapshots)
      expect(await machine.must(['ls', lock])).toBe(`${lock}\n`)
      await machine.must(['rm', lock])
    }

    await clock.change(0)
    expect(await outcomeOf('shop')).toEqual(fine)
    expect(await report()).toMatchObject({ troubled: 0, backups: 3 })
    await clock.change(30 * DAY)
    expect(await outcomeOf('shop')).toEqual({
      ...fine,
      backups: 2,
      forgotten: [old.id, old.files].sort(),
    })
    await history.run('check', '--read-data', '--quiet', '--no-lock')
  })
})

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newestOf } from '#dashboard/site-backups/keeper/verified.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { buildKeeper, historyIn, installKeeper } from '#tests/support/storage/history.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { keysOf, startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'
import { AgentClock } from '#tests/support/system/set-clock.ts'

const MINUTES = 60_000
const DAY = 24 * 60 * MINUTES
const STORE = '/srv/rest/agency'

unless(lab.available()).describe('a keeper whose clock jumps by a year', () => {
  let folder: string
  let client: lab.Host
  let rest: Awaited<ReturnType<typeof startRestServer>>
  let keeper: Awaited<ReturnType<typeof installKeeper>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keeper-'))
    const program = join(folder, 'hosting-agent')
    await buildKeeper(program, 'tests/support/system/clocked-keeper.ts')
    client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
    await installRestic(client)
    rest = await startRestServer({ users: ['agency'] })
    await putRestic(rest.host, '/var/lib/hosting-keeper')
    keeper = await installKeeper(rest.host, program, {
      ...{ stores: [{ kind: 'folder', path: STORE }], keep: { all_days: 7, daily_days: 60 } },
    })
  }, 10 * MINUTES)
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await lab.switchDown()
  }, MINUTES)

  test(
    'deletes no backup and no lock until its clock is right again, and then continues',
    async () => {
      const clock = new AgentClock(rest.host)
      const target = rest.target('agency')
      const history = historyIn(client, target, 'shop')
      await history.start(keeper.key)
      await quickenKeys(`${rest.host.root}${STORE}/shop`, 'password')
      for (const days of [40, 8.5, 1]) await history.save(days)
      const outcome = async () => {
        const { report } = await keeper.run()
        const { status, backups, forgotten, problems } = report[0]
        return { status, backups, forgotten: forgotten.length, problems }
      }
      const fine = { status: 'ok', backups: 3, forgotten: 0, problems: [] }
      expect(await outcome()).toEqual(fine)
      // Of a backup that is running.
      const lock = `${STORE}/shop/locks/${'0'.repeat(64)}`
      const snapshots = await history.snapshots()

      for (const [days, problem] of [
        [365, 'The clock is 365 days after the last run: nothing is deleted until it is corrected'],
        [366, 'The clock is 366 days after the last run: nothing is deleted until it is corrected'],
        [
          -365,
          'The clock is behind that of the last run: nothing is deleted until it is corrected',
        ],
      ] as const) {
        await rest.host.put(lock, '')
        await clock.change(days * DAY)
        const garbage = `locks/${'0'.repeat(64)} is garbage, or is being written: a run removes it when it is a day old`
        expect(await outcome()).toEqual({
          ...fine,
          status: 'problem',
          problems: [...(days < 0 ? [garbage] : []), expect.stringContaining(problem)],
        })
        expect(await history.snapshots()).toEqual(snapshots)
        expect(await rest.host.must(['ls', lock])).toBe(`${lock}\n`)
        await rest.host.must(['rm', lock])
      }

      await clock.change(0)
      expect(await outcome()).toEqual(fine)
      const texts = await keysOf(client, target, 'hosting-keeper')
      expect(newestOf(keeper.key, texts, new Date())).toMatchObject({ troubled: 0, backups: 3 })
      await clock.change(30 * DAY)
      expect(await outcome()).toEqual({ ...fine, backups: 3, forgotten: 2 })
      await history.run('check', '--read-data', '--quiet', '--no-lock')
    },
    5 * MINUTES,
  )
})

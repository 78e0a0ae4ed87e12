// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { Asking } from '#tests/support/system/asking.ts'
import { EverydaySweeps, SHOP } from '#tests/support/system/sweep/everyday.ts'
import { startDatabaseLate } from '#tests/support/system/sweep/late-database.ts'
import { killed } from '#tests/support/system/sweep/points.ts'
import { stateOf } from '#tests/support/system/sweep/state.ts'
import { perform, type Scenario, type Work } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(60 * MINUTES)
const { domain } = SHOP
const DUMP = `CREATE TABLE imported (a INT) ENGINE=InnoDB;
INSERT INTO imported VALUES (1), (2);
DROP TABLE later;
-- Dump completed on 2026-01-01
`
const LATER = 'CREATE TABLE IF NOT EXISTS later (a INT); INSERT INTO later VALUES (7)'
const USERS = "SELECT User FROM mysql.global_priv WHERE User LIKE 'hosting\\\\_tmp\\\\_%'"
const UNDO: Work = ['backup.undo', { domain }]

const [former, renamed] = ['former.example.test', 'renamed.example.test']
const OTHER = {
  ...{ domain: former, php: '8.2', tier: 'small', tls: 'self-signed', email: 'o@example.test' },
  user: 'name1a2b3c',
}
const RENAME: Scenario = {
  work: ['site.rename', { domain: former, primary: renamed, former: 'redirect' }],
  back: [['site.rename', { domain: renamed, primary: former, former: 'none' }]],
}
/** Each point costs two changes: tests/agent/commands has all others on a simulated machine. */
const EVERY = 8

unless(lab.available()).describe('a command on a database that is cut off', () => {
  let sweeps: EverydaySweeps
  beforeAll(async () => {
    sweeps = await EverydaySweeps.start('sweep-database')
  }, 10 * MINUTES)
  afterAll(() => sweeps?.end(), 10 * MINUTES)

  const mariadb = async (input: string) => {
    const argv = ['mariadb', '--batch', '--skip-column-names', SHOP.user]
    return (await sweeps.agent.host.must(argv, { input })).split('\n').filter(Boolean)
  }
  let count = 0
  const next = (length: number) => String(count++).padStart(length, '0')
  /** An agent that starts removes the folder of uploads. */
  const stateNow = async () => {
    const { files, ...state } = await stateOf(sweeps.agent.host)
    return { ...state, files: files.filter((path) => path !== '/var/lib/hosting-agent/uploads') }
  }

  const making = (command: string): Work => [
    command,
    {
      ...{ domain, rights: 'read', minutes: 30, account_hash: `*${'AB'.repeat(20)}` },
      token: next(10),
    },
  ]
  const ending = (user = ''): Work => ['database.user-end', { domain, user }]
  const end = async () => {
    for (const user of await mariadb(USERS)) await perform(sweeps.agent, ending(user))
  }

  test('has changed the primary domain, and is complete under one of both names', async () => {
    await startDatabaseLate(sweeps.agent.host)
    // A certificate of its own, and records like those after a change and back.
    await sweeps.warm(['site.create', OTHER], RENAME.work, ...RENAME.back)
    expect(await sweeps.all(RENAME, EVERY)).toEqual([])
  })

  test.each(['database.user', 'database.tool'])('%s: has made a user, or none', async (command) => {
    await perform(sweeps.agent, making(command))
    await end()
    const before = await stateNow()
    const ended = await perform(sweeps.agent, making(command))
    await end()

    for (const point of killed(ended, 1)) {
      const { events } = await sweeps.agent.run(...making(command), point)

      const users = await mariadb(USERS)
      expect([point, users.length]).toEqual([point, events.at(-1)?.event === 'complete' ? 1 : 0])
      await end()
      expect([point, await stateNow()]).toEqual([point, before])
    }
  })

  test('has ended the user, or ends it when it is repeated', async () => {
    const before = await stateNow()
    await perform(sweeps.agent, making('database.user'))
    const ended = await perform(sweeps.agent, ending((await mariadb(USERS))[0]))

    for (const point of killed(ended, 1)) {
      await perform(sweeps.agent, making('database.user'))
      const [user] = await mariadb(USERS)
      const { events } = await sweeps.agent.run(...ending(user), point)

      const isDone = events.at(-1)?.event === 'complete'
      expect([point, isDone && (await mariadb(USERS))]).toEqual([point, isDone && []])
      await end()
      expect([point, await stateNow()]).toEqual([point, before])
    }
  })

  test('has imported the dump, or has the former database', async () => {
    const asking = Asking.plainly(sweeps.agent.host)
    const uploaded = async (): Promise<Work> => {
      const upload = next(16)
      const part = { domain, upload, part: 0, data: btoa(DUMP) }
      expect(await asking.call('/sites/database-upload', part)).toBe('{"part":0}')
      return ['database.import', { domain, upload, part_count: 1 }]
    }
    await mariadb(LATER)
    await sweeps.warm(await uploaded(), UNDO)
    const before = await stateNow()
    const ended = await perform(sweeps.agent, await uploaded())
    const after = await stateNow()
    await perform(sweeps.agent, UNDO)

    for (const point of killed(ended, 5)) {
      const { events } = await sweeps.agent.run(...(await uploaded()), point)

      const isDone = events.at(-1)?.event === 'complete'
      expect([point, await stateNow()]).toEqual([point, isDone ? after : before])
      if (isDone) await perform(sweeps.agent, UNDO)
    }
    await sweeps.warm(await uploaded(), UNDO)
  })
})

// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { BackupHost, type Parts, type Saved, SITE } from '#tests/support/system/backup-host.ts'
import { History } from '#tests/support/system/histories/history.ts'

const MINUTES = 60_000
/** `SEED=7 bun test …` runs one history again. */
const given = process.env.SEED
const FIRST = Number(given ?? Math.floor(Math.random() * 1e6))
const HISTORIES = given ? 1 : long ? 200 : 6
const HOSTS = long && !given ? 2 : 1

unless(lab.available()).describe('a site with a random history', () => {
  const servers: BackupHost[] = []

  const backupsOn = (server: BackupHost) => ({
    save: () => server.save(),
    restore: (saved: Saved, parts: Parts) =>
      server.completed('backup.restore', server.restoring(saved, parts)),
    undo: () => server.completed('backup.undo', { domain: SITE.domain }),
  })

  async function live(server: BackupHost, seed: number): Promise<void> {
    await server.empty()
    const history = new History(seed, server.host, server.site(), backupsOn(server))
    await history.run().catch((error: unknown) => {
      throw new Error(`SEED=${seed} repeats this failure`, { cause: error })
    })
    expect(history.steps.length).toBeGreaterThan(3)
    if (long) console.log(`${seed}: ${history.steps.join(', ')}`)
  }

  beforeAll(async () => {
    for (let at = 0; at < HOSTS; at += 1) {
      const server = await BackupHost.start(`histories-${at}`)
      await server.quicken()
      servers.push(server)
    }
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test(
    `is restored with every byte and row, as each backup had them (first seed ${FIRST})`,
    async () => {
      const seeds = Array.from({ length: HISTORIES }, (_, at) => FIRST + at)
      const lane = async (server: BackupHost) => {
        for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
          await live(server, seed)
        }
      }
      await Promise.all(servers.map(lane))
    },
    (long ? 240 : 15) * MINUTES,
  )
})

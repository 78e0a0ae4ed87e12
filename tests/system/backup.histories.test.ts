// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { seed } from '#tests/support/random.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { BackupHost, type Parts, type Saved, SITE } from '#tests/support/system/backup-host.ts'
import { History } from '#tests/support/system/histories/history.ts'

const MINUTES = 60_000
const HISTORIES = long ? 200 : 6
const HOSTS = long ? 2 : 1

unless(lab.available()).describe('a site with a random history', () => {
  const servers: BackupHost[] = []

  const backupsOn = (server: BackupHost) => ({
    save: () => server.save(),
    restore: (saved: Saved, parts: Parts) =>
      server.completed('backup.restore', server.restoring(saved, parts)),
    undo: () => server.completed('backup.undo', { domain: SITE.domain }),
  })

  async function live(server: BackupHost, from: number): Promise<void> {
    await server.empty()
    const history = new History(from, server.host, server.site(), backupsOn(server))
    await history.run().catch((error: unknown) => {
      throw new Error(`HOSTING_SEED=${from} begins with this failure`, { cause: error })
    })
    expect(history.steps.length).toBeGreaterThan(3)
    if (long) console.log(`${from}: ${history.steps.join(', ')}`)
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
    'is restored with every byte and row, as each backup had them',
    async () => {
      const first = seed()
      const seeds = Array.from({ length: HISTORIES }, (_, at) => first + at)
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

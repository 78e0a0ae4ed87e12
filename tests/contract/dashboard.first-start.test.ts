// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { Client } from '#tests/support/client.ts'
import { Process } from '#tests/support/dashboard/process.ts'
import { sweep, temporaryFolder } from '#tests/support/processes.ts'
import { ADMIN } from '#tests/support/records.ts'
import { times } from '#tests/support/runs.ts'

let program = ''
beforeAll(async () => {
  program = (await buildDashboard(join(import.meta.dir, '../..'))).file
}, 60_000)
afterAll(sweep)

/** A port that nothing listens on, for a program that starts after this. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

/** The first answer that a program gives there, asked again for as long as nothing listens. */
async function firstAnswer<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = Date.now() + 60_000; Date.now() < end; await Bun.sleep(1)) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) return answer
  }
  throw new Error('Nothing listened within a minute')
}

const starts = Array.from({ length: times(20) }, (_, turn) => turn)

test.each(starts)(
  'the first connection to a fresh dashboard logs in, start %d',
  async () => {
    const PORT = String(await freePort())
    const data = await temporaryFolder('first')
    const admin = { ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password }
    await using dashboard = new Process({ DATA_DIR: data, PORT, ...admin }, [program])
    const client = new Client(`http://127.0.0.1:${PORT}`)

    const [login, health] = await Promise.all([
      firstAnswer(() => client.login(ADMIN)),
      firstAnswer(() => client.get('/health')),
    ])

    expect([login.status, login.body]).toEqual([
      200,
      { user: { id: 1, email: ADMIN.email, name: 'Administrator' } },
    ])
    expect([health.status, health.body]).toEqual([200, { status: 'ok' }])
    expect(await dashboard.url()).toBe(`http://127.0.0.1:${PORT}`)
  },
  60_000,
)

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { openSession } from '#dashboard/auth/sessions.ts'
import { VERSION } from '#dashboard/db/counting.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { isAnswered, keptIn, openAsServer } from '#tests/support/dashboard/kept.ts'

const KEPT = ROUTES.filter(({ kept_ms }) => kept_ms !== undefined)
const PATHS = KEPT.map(({ at }) => at.replace('GET ', '').replace(':server_id', '1'))

/** The statements and batches of the second dashboard. */
let seen: string[]
let one: Dashboard
let two: Dashboard

beforeEach(async () => {
  seen = []
  one = await makeDashboard({ open: openAsServer })
  await one.call('POST', '/api/servers', { hostname: '127.0.0.1', port: 1, name: 'one' })
  two = await makeDashboard({ folder: one.folder, open: (file) => openAsServer(file, seen) })
  for (const path of PATHS) await two.send('GET', path)
})
afterEach(async () => {
  await two.stop()
  await one[Symbol.asyncDispose]()
})

const asking = (path: string) =>
  new Request(`http://localhost${path}`, { headers: { cookie: `session=${two.token}` } })

test('a kept answer takes one statement, for all that ask at the same time', async () => {
  for (const path of PATHS) {
    seen.length = 0
    const answers = await Promise.all([1, 2, 3].map(() => two.answer(asking(path))))

    expect([path, answers.map(({ status }) => status)]).toEqual([path, [200, 200, 200]])
    expect([path, seen]).toEqual([path, [JSON.stringify(VERSION)]])
  }
})

test('a read at another dashboard sees each write before it', async () => {
  for (let turn = 0; turn < 20; turn++) {
    const name = `renamed-${turn}`
    await one.send('PATCH', '/api/servers/1', { name })

    const { body } = await two.call('GET', '/api/servers')
    expect([body.servers[0].name, await isAnswered(two.kept, asking('/api/servers'))]).toEqual([
      ...[name, true],
    ])
  }
})

test('a logout at one dashboard is effective at another at once', async () => {
  const kept = await Promise.all(PATHS.map((path) => isAnswered(two.kept, asking(path))))
  one.token = two.token

  await one.send('POST', '/api/auth/logout')

  const answers = await Promise.all(PATHS.map((path) => two.answer(asking(path))))
  expect(new Set(kept)).toEqual(new Set([true]))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]))
  // Another login at the first dashboard has not changed that.
  await openSession(one.deps, { id: 1, email: '', name: '' })
  expect((await two.answer(asking('/api/servers'))).status).toBe(401)
})

test('nothing kept is sent while the version cannot be read', async () => {
  const { askVersion } = two.db
  two.db.askVersion = async () => undefined
  const away = await Promise.all(PATHS.map((path) => keptIn(two.kept, asking(path))))
  two.db.askVersion = askVersion

  expect(away).toEqual(PATHS.map(() => undefined))
  expect(await isAnswered(two.kept, asking('/api/servers'))).toBe(true)
})

test('other requests do not ask for the version', async () => {
  seen.length = 0
  await two.send('GET', '/health')
  await two.send('GET', '/api/settings')
  await two.send('POST', '/api/auth/logout')

  expect(seen.filter((statement) => statement.includes(VERSION))).toEqual([])
})

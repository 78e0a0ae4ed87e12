import { describe, expect, test } from 'bun:test'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '#dashboard/db/client.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { Dashboard, DisposableAgent, PASSWORD, until } from '#tests/support/dashboard/dashboard.ts'
import { createSite, ended, transcript } from '#tests/support/dashboard/operations.ts'

const DAY_MS = 24 * 3600_000

/** A dashboard whose disk is full while `full` is true; each write checks it. */
async function onDisk() {
  const folder = await mkdtemp(join(tmpdir(), 'disk-'))
  const db = await openDatabase(`file:${folder}/test.db`)
  const disk = { full: () => false }
  const write: Database['write'] = (work) => {
    const error = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    return disk.full() ? Promise.reject(error) : db.write(work)
  }
  const clock = new HeldClock()
  const dashboard = new Dashboard(folder, { ...db, write }, { clock })
  await dashboard.signIn()
  return { dashboard, disk, clock }
}

describe('while the disk is full', () => {
  test('an ending operation is neither lost nor repeated, however long the disk is full', async () => {
    await using agent = new DisposableAgent()
    const { dashboard: made, disk, clock } = await onDisk()
    await using dashboard = made
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Before'
      await held.promise
      yield 'After'
      return { status: 'ok', domain }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await until(async () => (await dashboard.db.read.query.operation_events.findMany())[0])

    disk.full = () => true
    held.resolve()
    const broken = (times: number) =>
      until(
        () =>
          dashboard.log.filter((line) => line.includes('operation failed unexpectedly')).length >=
          times,
      )
    await broken(1)
    clock.move(DAY_MS)
    await broken(3)
    disk.full = () => false

    expect((await ended(dashboard, id)).status).toBe('success')
    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"Before"}',
      '2 log {"message":"After"}',
      '3 complete {"status":"ok","domain":"shop.example"}',
    ])
    expect(agent.started.get(id)).toBe(1)
  })

  test('no deadline ends an operation that could not be stored', async () => {
    await using agent = new DisposableAgent()
    const { dashboard: made, disk, clock } = await onDisk()
    await using dashboard = made
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Before'
      await held.promise
      yield 'After'
      return { status: 'ok', domain }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await until(async () => (await dashboard.db.read.query.operation_events.findMany())[0])
    let writes = 0
    disk.full = () => {
      writes += 1
      if (writes === 2) clock.move(DAY_MS)
      return writes === 1 || writes === 3
    }

    held.resolve()

    expect((await ended(dashboard, id)).status).toBe('success')
    expect(writes).toBeGreaterThan(3)
  })

  test('a change is refused with the reason, and reading continues', async () => {
    const { dashboard: made, disk, clock } = await onDisk()
    await using dashboard = made
    const token = await dashboard.call('POST', '/api/auth/tokens', {
      name: 'script',
      password: PASSWORD,
    })
    clock.move(4 * DAY_MS)
    disk.full = () => true

    const refused = await dashboard.call('POST', '/api/servers', { hostname: 'a.example.com' })
    const renewable = await dashboard.send('GET', '/api/servers')
    const authorization = `Bearer ${token.body.plaintext}`
    const scripted = await dashboard.call('GET', '/api/servers', undefined, {
      cookie: '',
      authorization,
    })

    expect(refused).toEqual({
      status: 500,
      body: {
        error: 'Internal error',
        message: expect.stringMatching(
          /^The disk of the dashboard is full; the log has more under request id \S+$/,
        ),
      },
    })
    expect([renewable.status, renewable.headers.getSetCookie()]).toEqual([200, []])
    expect(scripted).toEqual({ status: 200, body: { servers: [] } })
  })
})

// tier: gate
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { storeReadings } from '#dashboard/features/metrics/queries.ts'
import { openSession } from '#dashboard/kernel/auth/sessions.ts'
import { READ_VERSION } from '#dashboard/kernel/db/database-version.ts'
import { allowCaching } from '#dashboard/kernel/http/answer-cache.ts'
import { admissionOf, admit } from '#dashboard/kernel/http/caller.ts'
import { UNTIL_CHANGED } from '#dashboard/kernel/http/route.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { isAnswered, keptIn, openAsServer, RECORDS } from '#tests/support/dashboard/kept.ts'
import { METRICS } from '#tests/support/fake-agent.ts'

const WEEK_MS = 7 * 24 * 3600_000
const KEPT = ROUTES.filter(({ cached_ms }) => cached_ms !== undefined)
const pathOf = (at: string) => at.replace('GET ', '').replace(':server_id', '1')

describe.each(RECORDS)('with the records %s,', (_, open) => {
  let clock: HeldClock
  let dashboard: Dashboard
  beforeEach(async () => {
    clock = new HeldClock()
    dashboard = await makeDashboard({ clock, open })
    await dashboard.call('POST', '/api/servers', { hostname: '127.0.0.1', port: 1, name: 'one' })
  })
  afterEach(() => dashboard[Symbol.asyncDispose]())

  function asking(path: string, headers: Record<string, string> = {}): Request {
    const cookie = `session=${dashboard.token}`
    return new Request(`http://localhost${path}`, { headers: { cookie, ...headers } })
  }

  /** Whether the answer is there without the app. */
  const isKept = (path: string, headers = {}) => isAnswered(dashboard.kept, asking(path, headers))

  const missing = async (paths: readonly string[]) => {
    const kept = await Promise.all(paths.map((path) => isKept(path)))
    return paths.filter((__, place) => !kept[place])
  }

  describe('an answer is kept', () => {
    test.each(KEPT.map(({ at }) => [at]))('%s, the same bytes and headers', async (at) => {
      const path = pathOf(at)
      const first = await dashboard.answer(asking(path))
      const second = await keptIn(dashboard.kept, asking(path))

      const headersOf = (answer: Response | undefined) => {
        const { 'x-request-id': id, ...others } = Object.fromEntries(answer?.headers ?? [])
        return { others, length: id?.length }
      }
      expect(first.status).toBe(200)
      expect(headersOf(second)).toEqual(headersOf(first))
      expect(first.headers.get('x-request-id')).not.toBe(second?.headers.get('x-request-id') ?? '')
      expect(await second?.text()).toBe(await first.text())
    })

    test('until anything in the records changes', async () => {
      await dashboard.send('GET', '/api/servers')
      expect(await isKept('/api/servers')).toBe(true)

      await dashboard.send('PATCH', '/api/servers/1', { name: 'two' })

      expect(await isKept('/api/servers')).toBe(false)
      const { body } = await dashboard.call('GET', '/api/servers')
      expect(body.servers[0].name).toBe('two')
    })

    test('for a second where it has ages or readings', async () => {
      const paths = ['/api/fleet', '/api/servers', '/api/activity']
      for (const path of paths) await dashboard.send('GET', path)
      clock.move(999)
      expect(await missing(paths)).toEqual([])

      clock.move(1)

      expect(await missing(paths)).toEqual(['/api/fleet', '/api/servers'])
    })

    test('while readings are stored', async () => {
      const paths = ['/api/fleet', '/api/servers', '/api/activity']
      for (const path of paths) await dashboard.send('GET', path)
      const reading = { at: clock.now().getTime() / 1000, metrics: METRICS }

      await storeReadings(dashboard.db, [{ server_id: 1, ...reading }])

      expect(await missing(paths)).toEqual([])
    })

    test('by address, with its query', async () => {
      await dashboard.send('GET', '/api/activity?limit=1')

      const paths = ['/api/activity?limit=1', '/api/activity?limit=2', '/api/activity']
      expect(await missing(paths)).toEqual(paths.slice(1))
    })
  })

  describe('an answer is not kept', () => {
    test('that was being made while the records changed', async () => {
      const { kept, app } = dashboard
      const request = asking('/api/servers')
      await kept.answer(request, async () => {
        const answer = await app.handle(request)
        await dashboard.send('PATCH', '/api/servers/1', { name: 'two' })
        return answer
      })

      expect(await isKept('/api/servers')).toBe(false)
    })

    test('of another status, of another method and of another route', async () => {
      await dashboard.send('GET', '/api/servers/9/sites')
      await dashboard.send('GET', '/api/settings')
      await dashboard.send('GET', '/api/servers')
      const posted = new Request(asking('/api/servers'), { method: 'POST' })

      expect([await isKept('/api/servers/9/sites'), await isKept('/api/settings')]).toEqual([
        false,
        false,
      ])
      expect(await keptIn(dashboard.kept, posted)).toBeUndefined()
    })

    test('forever: 5,000 answers at most, and none of an address over 4,096 characters', async () => {
      const { kept } = dashboard
      const request = asking('/api/servers')
      const answer = await dashboard.answer(request)
      const store = async (path: string) => {
        const one = asking(path)
        allowCaching(one, UNTIL_CHANGED)
        const admission = admissionOf(request)
        if (admission) admit(one, admission)
        await kept.answer(one, () => answer.clone())
      }
      await store(`/api/servers?${'x'.repeat(4_096)}`)
      expect(await isKept(`/api/servers?${'x'.repeat(4_096)}`)).toBe(false)

      for (let number = 1; number < 5_000; number += 1) await store(`/api/servers?${number}`)
      expect([await isKept('/api/servers'), await isKept('/api/servers?4999')]).toEqual([
        true,
        true,
      ])
      await store('/api/servers?more')

      expect([await isKept('/api/servers'), await isKept('/api/servers?more')]).toEqual([
        false,
        true,
      ])
    })

    test('while the state of the records is unknown', async () => {
      dashboard.db.version = () => undefined
      await dashboard.send('GET', '/api/servers')

      expect(await isKept('/api/servers')).toBe(false)
    })
  })

  describe('with every answer kept', () => {
    const warm = async () => {
      for (const { at } of KEPT) await dashboard.send('GET', pathOf(at))
    }

    test('nobody else gets one', async () => {
      await warm()
      const others: Record<string, string>[] = [
        { cookie: '' },
        { cookie: 'session=' },
        { cookie: `session=${dashboard.token}x` },
        { cookie: `session=${dashboard.token.slice(0, -1)}` },
        { cookie: '', authorization: `Bearer ${dashboard.token}x` },
        { authorization: 'Bearer x' },
        { authorization: 'Basic x' },
      ]
      for (const headers of others)
        for (const { at } of KEPT)
          expect([at, headers, await isKept(pathOf(at), headers)]).toEqual([at, headers, false])
      const answers = await Promise.all(
        KEPT.map(
          async ({ at }) =>
            (await dashboard.answer(asking(pathOf(at), { authorization: 'Bearer x' }))).status,
        ),
      )
      expect(new Set(answers)).toEqual(new Set([401]))
    })

    test('a logout is effective at once', async () => {
      await warm()
      const other = await openSession(dashboard.deps, { id: 1, email: '', name: '' })
      const mine = dashboard.token
      dashboard.token = other
      await warm()
      const before = await isKept('/api/servers')
      await dashboard.send('POST', '/api/auth/logout')
      dashboard.token = mine
      await warm()

      const cookie = `session=${other}`
      const statuses = KEPT.map(
        async ({ at }) => (await dashboard.answer(asking(pathOf(at), { cookie }))).status,
      )
      expect([before, new Set(await Promise.all(statuses))]).toEqual([true, new Set([401])])
    })

    test('an API token gets its own, until it is deleted', async () => {
      const created = await dashboard.call('POST', '/api/auth/tokens', {
        name: 'deploy',
        scope: 'read',
        password: PASSWORD,
        expires_in_days: 1,
      })
      const headers = { cookie: '', authorization: `Bearer ${created.body.plaintext}` }
      const ask = async () => (await dashboard.answer(asking('/api/servers', headers))).status
      await warm()

      expect([await isKept('/api/servers', headers), await ask(), await ask()]).toEqual([
        false,
        200,
        200,
      ])
      expect(await isKept('/api/servers', headers)).toBe(true)
      await dashboard.send('DELETE', `/api/auth/tokens/${created.body.token.id}`)
      expect([await isKept('/api/servers', headers), await ask()]).toEqual([false, 401])
    })

    test('a session ends with its time, and is renewed after half of it', async () => {
      await warm()
      expect(await isKept('/api/servers')).toBe(true)

      clock.move(WEEK_MS / 2)
      expect(await isKept('/api/servers')).toBe(false)
      const renewed = await dashboard.send('GET', '/api/servers')
      expect([renewed.status, renewed.headers.has('set-cookie')]).toEqual([200, true])
      expect(await isKept('/api/servers')).toBe(false)
    })
  })
})

describe('two dashboards with one database', () => {
  const KEPT = ROUTES.filter(({ cached_ms }) => cached_ms !== undefined)
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
      expect([path, seen]).toEqual([path, [JSON.stringify(READ_VERSION)]])
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
    const { version } = two.db
    two.db.version = async () => undefined
    const away = await Promise.all(PATHS.map((path) => keptIn(two.kept, asking(path))))
    two.db.version = version

    expect(away).toEqual(PATHS.map(() => undefined))
    expect(await isAnswered(two.kept, asking('/api/servers'))).toBe(true)
  })
  test('other requests do not ask for the version', async () => {
    seen.length = 0
    await two.send('GET', '/health')
    await two.send('GET', '/api/settings')
    await two.send('POST', '/api/auth/logout')

    expect(seen.filter((statement) => statement.includes(READ_VERSION))).toEqual([])
  })
})

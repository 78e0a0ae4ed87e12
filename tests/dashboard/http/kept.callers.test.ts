import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { openSession } from '#dashboard/auth/sessions.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { isAnswered, RECORDS } from '#tests/support/dashboard/kept.ts'

const WEEK_MS = 7 * 24 * 3600_000
const KEPT = ROUTES.filter(({ kept_ms }) => kept_ms !== undefined)
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

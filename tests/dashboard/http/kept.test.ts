import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { admissionOf, admit } from '#dashboard/http/caller.ts'
import { keep } from '#dashboard/http/kept.ts'
import { UNTIL_CHANGED } from '#dashboard/http/route.ts'
import { storeReadings } from '#dashboard/metrics/queries.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { isAnswered, keptIn, RECORDS } from '#tests/support/dashboard/kept.ts'

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
  const isKept = (path: string) => isAnswered(dashboard.kept, asking(path))

  const missing = async (paths: readonly string[]) => {
    const kept = await Promise.all(paths.map(isKept))
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

    test('also while only readings change, if it has none of them', async () => {
      const paths = KEPT.map(({ at }) => pathOf(at))
      for (const path of paths) await dashboard.send('GET', path)
      expect(await missing(paths)).toEqual([])
      const metrics = {
        ...{ cpu: 1, load: [0, 0, 0] as [number, number, number], uptime: 1 },
        ...{
          ram: { used: 1, total: 2, unit: 'MB' as const },
          disk: { used: 1, total: 2, unit: 'MB' as const },
        },
        ...{ os: 'debian-13', version: '0.1.0' },
      }

      await storeReadings(dashboard.db, [{ server_id: 1, at: 60, metrics }])

      expect(await missing(paths)).toEqual(['/api/fleet', '/api/servers'])
      const { body } = await dashboard.call('GET', '/api/fleet')
      expect(body.servers[0].metrics).toEqual(metrics)
    })

    test('for a second where it has ages', async () => {
      await dashboard.send('GET', '/api/fleet')
      await dashboard.send('GET', '/api/servers')

      clock.move(999)
      expect([await isKept('/api/fleet'), await isKept('/api/servers')]).toEqual([true, true])

      clock.move(1)
      expect([await isKept('/api/fleet'), await isKept('/api/servers')]).toEqual([false, true])
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

    test('forever: 5,000 addresses at most, and none over 2,048 characters', async () => {
      const { kept } = dashboard
      const request = asking('/api/servers')
      const answer = await dashboard.answer(request)
      const store = async (path: string) => {
        const one = asking(path)
        keep(one, { kept_ms: UNTIL_CHANGED, without_readings: true })
        const admission = admissionOf(request)
        if (admission) admit(one, admission)
        await kept.answer(one, () => answer.clone())
      }
      await store(`/api/servers?${'x'.repeat(2_048)}`)
      expect(await isKept(`/api/servers?${'x'.repeat(2_048)}`)).toBe(false)

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
      dashboard.db.askVersion = () => undefined
      await dashboard.send('GET', '/api/servers')

      expect(await isKept('/api/servers')).toBe(false)
    })
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { admissionOf, admit } from '#dashboard/http/caller.ts'
import { keep } from '#dashboard/http/kept.ts'
import { UNTIL_CHANGED } from '#dashboard/http/route.ts'
import { storeReadings } from '#dashboard/metrics/queries.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { type Dashboard, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

const KEPT = ROUTES.filter(({ kept_ms }) => kept_ms !== undefined)
const pathOf = (at: string) => at.replace('GET ', '').replace(':server_id', '1')

let clock: HeldClock
let dashboard: Dashboard
beforeEach(async () => {
  clock = new HeldClock()
  dashboard = await makeDashboard({ clock })
  await dashboard.call('POST', '/api/servers', { hostname: '127.0.0.1', port: 1, name: 'one' })
})
afterEach(() => dashboard[Symbol.asyncDispose]())

function asking(path: string, headers: Record<string, string> = {}): Request {
  const cookie = `session=${dashboard.token}`
  return new Request(`http://localhost${path}`, { headers: { cookie, ...headers } })
}

/** Whether the answer is there without the app. */
const isKept = (path: string, headers = {}) =>
  dashboard.kept.find(asking(path, headers)) !== undefined

describe('an answer is kept', () => {
  test.each(KEPT.map(({ at }) => [at]))('%s, the same bytes and headers', async (at) => {
    const path = pathOf(at)
    const first = await dashboard.answer(asking(path))
    const second = dashboard.kept.find(asking(path))

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
    expect(isKept('/api/servers')).toBe(true)

    await dashboard.send('PATCH', '/api/servers/1', { name: 'two' })

    expect(isKept('/api/servers')).toBe(false)
    const { body } = await dashboard.call('GET', '/api/servers')
    expect(body.servers[0].name).toBe('two')
  })

  test('also while only readings change, if it has none of them', async () => {
    const paths = KEPT.map(({ at }) => pathOf(at))
    for (const path of paths) await dashboard.send('GET', path)
    expect(paths.filter((path) => !isKept(path))).toEqual([])
    const metrics = {
      ...{ cpu: 1, load: [0, 0, 0] as [number, number, number], uptime: 1 },
      ...{
        ram: { used: 1, total: 2, unit: 'MB' as const },
        disk: { used: 1, total: 2, unit: 'MB' as const },
      },
      ...{ os: 'debian-13', version: '0.1.0' },
    }

    await storeReadings(dashboard.db, [{ server_id: 1, at: 60, metrics }])

    expect(paths.filter((path) => !isKept(path))).toEqual(['/api/fleet', '/api/servers'])
    const { body } = await dashboard.call('GET', '/api/fleet')
    expect(body.servers[0].metrics).toEqual(metrics)
  })

  test('for a second where it has ages', async () => {
    await dashboard.send('GET', '/api/fleet')
    await dashboard.send('GET', '/api/servers')

    clock.move(999)
    expect([isKept('/api/fleet'), isKept('/api/servers')]).toEqual([true, true])

    clock.move(1)
    expect([isKept('/api/fleet'), isKept('/api/servers')]).toEqual([false, true])
  })

  test('by address, with its query', async () => {
    await dashboard.send('GET', '/api/activity?limit=1')

    expect(
      ['/api/activity?limit=1', '/api/activity?limit=2', '/api/activity'].map((path) =>
        isKept(path),
      ),
    ).toEqual([true, false, false])
  })
})

describe('an answer is not kept', () => {
  test('that was being made while the records changed', async () => {
    const { kept, app } = dashboard
    const request = asking('/api/servers')
    await kept.follow(request, async () => {
      const answer = await app.handle(request)
      await dashboard.send('PATCH', '/api/servers/1', { name: 'two' })
      return answer
    })

    expect(isKept('/api/servers')).toBe(false)
  })

  test('of another status, of another method and of another route', async () => {
    await dashboard.send('GET', '/api/servers/9/sites')
    await dashboard.send('GET', '/api/settings')
    await dashboard.send('GET', '/api/servers')
    const posted = new Request(asking('/api/servers'), { method: 'POST' })

    expect([isKept('/api/servers/9/sites'), isKept('/api/settings')]).toEqual([false, false])
    expect(dashboard.kept.find(posted)).toBeUndefined()
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
      await kept.follow(one, () => answer.clone())
    }
    await store(`/api/servers?${'x'.repeat(2_048)}`)
    expect(isKept(`/api/servers?${'x'.repeat(2_048)}`)).toBe(false)

    for (let number = 1; number < 5_000; number += 1) await store(`/api/servers?${number}`)
    expect([isKept('/api/servers'), isKept('/api/servers?4999')]).toEqual([true, true])
    await store('/api/servers?more')

    expect([isKept('/api/servers'), isKept('/api/servers?more')]).toEqual([false, true])
  })

  test('while the state of the records is unknown', async () => {
    dashboard.db.substance = () => undefined
    await dashboard.send('GET', '/api/servers')

    expect(isKept('/api/servers')).toBe(false)
  })
})

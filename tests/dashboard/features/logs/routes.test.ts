// tier: gate
import { expect } from 'bun:test'
import { encodeEvent, PING, readEvents } from '#shared/kernel/sse.ts'
import { siteTest as test } from '#tests/support/dashboard/dashboard.ts'

const PATH = '/api/servers/1/sites/1/logs'
const AT = '2026-03-01T09:30:00.000Z'
const LOOKED = { bytes: 7, files: 1, unread: 0, oldest_at: AT }
const LINE = { at: AT, level: 'error', status: 500, text: 'a', cut: false }
const PAGE = { lines: [LINE], next: 'aaaaaaaaaaaaaaaa.7', looked: LOOKED }

test('passes a search on to the server, and its page to the caller', async ({
  agent,
  dashboard,
}) => {
  const bodies: unknown[] = []
  agent.answers.set('/sites/logs/search', async (request) => {
    bodies.push(await request.json())
    return Response.json({ ...PAGE, more: 'of a newer agent' })
  })

  const query = 'source=access&level=error&text=a+b&since=2026-03-01T00%3A00%3A00Z&limit=5'
  const { status, body } = await dashboard.call('GET', `${PATH}/lines?${query}`)

  expect({ status, body }).toEqual({ status: 200, body: PAGE })
  expect(bodies).toEqual([
    {
      ...{ source: 'access', level: 'error', text: 'a b', since: '2026-03-01T00:00:00Z' },
      ...{ limit: 5, domain: 'shop.example' },
    },
  ])
})

test.each([
  ['source=secrets', 'source'],
  ['', 'source'],
  ['source=access&level=worst', 'level'],
  [`source=access&text=${'x'.repeat(201)}`, 'text'],
  ['source=access&text=a%00b', 'text'],
  ['source=access&since=yesterday', 'since'],
  ['source=access&limit=501', 'limit'],
  ['source=access&before=../../etc/passwd', 'before'],
])('refuses a search for %s with 422', async ({ dashboard }, query, field) => {
  const { status, body } = await dashboard.call('GET', `${PATH}/lines?${query}`)

  expect([status, Object.keys(body.fields ?? {})]).toEqual([422, [field]])
})

test.each([
  ['too many lines', { ...PAGE, lines: Array(501).fill(LINE) }],
  ['a level that there is not', { ...PAGE, lines: [{ ...LINE, level: 'worst' }] }],
  ['a text that is too long', { ...PAGE, lines: [{ ...LINE, text: 'x'.repeat(50_000) }] }],
])('refuses %s of an agent', async ({ agent, dashboard }, _name, answer) => {
  agent.answers.set('/sites/logs/search', () => Response.json(answer))

  expect((await dashboard.call('GET', `${PATH}/lines?source=access`)).status).toBe(503)
})

test('lists logs, and fatal errors by plugin', async ({ agent, dashboard }) => {
  const log = { source: 'access', files: 2, bytes: 7, changed_at: AT }
  const group = { kind: 'plugin', slug: 'slider', count: 7, first_at: AT, last_at: AT, text: 'a' }
  const fatals = { groups: [group], is_complete: true, looked: LOOKED }
  const bodies: { since?: string }[] = []
  agent.answers.set('/sites/logs/list', () => Response.json({ logs: [log], debug_until: null }))
  agent.answers.set('/sites/logs/fatals', async (request) => {
    bodies.push(Object(await request.json()))
    return Response.json(fatals)
  })

  expect((await dashboard.call('GET', PATH)).body).toEqual({
    logs: [log],
    debug_until: null,
  })
  expect((await dashboard.call('GET', `${PATH}/fatals?days=3`)).body).toEqual(fatals)
  const age = Date.now() - Date.parse(bodies[0]?.since ?? '')
  expect(Math.round(age / 86_400_000)).toBe(3)
})

test('records each download, and who made it', async ({ agent, dashboard }) => {
  agent.answers.set('/sites/logs/download', () => new Response('a\nb\n'))

  const response = await dashboard.send('GET', `${PATH}/download?source=php`)
  const text = await response.text()
  agent.answers.set('/sites/logs/download', () => Response.json({}, { status: 500 }))
  await dashboard.call('GET', `${PATH}/download?source=php`)

  expect([response.status, text]).toEqual([200, 'a\nb\n'])
  const activity = await dashboard.call('GET', '/api/fleet/activity?type=site.log_download')
  expect(activity.body.activities).toMatchObject([
    { domain: 'shop.example', status: 'failed' },
    { domain: 'shop.example', status: 'success', actor: expect.stringContaining('@') },
  ])
})

test('relays a live view, and ends it at the agent when the browser leaves', async ({
  agent,
  dashboard,
}) => {
  const left = Promise.withResolvers<void>()
  const event = (id: number, data: Record<string, unknown>) =>
    encodeEvent({ id, event: 'log', data })
  agent.answers.set('/sites/logs/tail', () => {
    const body = new ReadableStream({
      start(controller) {
        const flood = Array.from({ length: 1000 }, (_, at) =>
          event(at + 4, { kind: 'line', line: LINE }),
        )
        const first = event(1, { kind: 'line', line: LINE })
        const text = `${PING}${first}${event(2, { kind: 'left_out', lines: 7 })}${event(3, { kind: 'x' })}`
        controller.enqueue(new TextEncoder().encode(text + flood.join('')))
      },
      cancel: () => left.resolve(),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })

  const response = await dashboard.send('GET', `${PATH}/events?source=access`)
  const events: unknown[] = []
  for await (const { id, data } of readEvents(response.body ?? new ReadableStream())) {
    events.push([id, data])
    if (events.length === 300) break
  }

  expect(events.slice(0, 2)).toEqual([
    [1, { kind: 'line', message: '', line: LINE }],
    [2, { kind: 'left_out', message: '', lines: 7 }],
  ])
  await left.promise
})

const DEBUG_PATH = '/api/servers/1/sites/1/debug-log'

test.each([
  [{}, 24],
  [{ hours: 1 }, 1],
  [{ hours: null }, null],
])(
  'switches the debug log with %j by the clock of the dashboard, and records it',
  async ({ agent, dashboard }, body, hours) => {
    const sent: { until?: string | null }[] = []
    agent.works.set('wp.debug', async function* ({ domain, until }) {
      sent.push({ until: until === null ? null : `${until}` })
      yield 'Applying the PHP pool'
      return { domain, until }
    })

    const answer = await dashboard.send('POST', DEBUG_PATH, body)
    const text = await answer.text()

    const until = sent[0]?.until ?? null
    const ahead = until === null ? null : (Date.parse(until) - Date.now()) / 3_600_000
    expect(ahead === null ? null : Math.round(ahead)).toBe(hours)
    expect(text).toContain(`event: complete\ndata: {"status":"ok","domain":"shop.example"`)
    const activity = await dashboard.call('GET', '/api/fleet/activity?type=wp.debug')
    expect(activity.body.activities).toMatchObject([{ domain: 'shop.example', status: 'success' }])
  },
)

test.each([2, '1', 0, true, 24.5])(
  'refuses a debug log for %j hours',
  async ({ dashboard }, hours) => {
    const { status, body } = await dashboard.call('POST', DEBUG_PATH, { hours })

    expect({ status, fields: body.fields }).toEqual({
      status: 422,
      fields: { hours: ['Must be 1, 8 or 24, or null'] },
    })
  },
)

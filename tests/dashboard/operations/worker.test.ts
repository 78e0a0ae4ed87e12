import { describe, expect, test } from 'bun:test'
import { type Dashboard, Machine, makeDashboard, until } from '../support/dashboard.ts'

async function createSite(dashboard: Dashboard, server: number): Promise<string> {
  const path = `/api/servers/${server}/sites`
  const response = await dashboard.send('POST', path, { domain: 'shop.example' })
  return response.headers.get('operation-id') ?? ''
}

const ended = (dashboard: Dashboard, id: string) =>
  until(async () => {
    const { body } = await dashboard.call('GET', `/api/operations/${id}`)
    return body.operation.finished_at !== null && body.operation
  })

async function transcript(dashboard: Dashboard, id: string, after = 0): Promise<string[]> {
  const headers = { 'last-event-id': String(after) }
  const response = await dashboard.send('GET', `/api/operations/${id}/events`, undefined, headers)
  const blocks = (await response.text()).split('\n\n').filter((block) => block.startsWith('id:'))
  return blocks.map((block) => block.replace(/^id: (\d+)\nevent: (\w+)\ndata: /, '$1 $2 '))
}

const tenLines = async function* ({ domain }: Record<string, unknown>) {
  for (let line = 1; line <= 10; line++) yield `Line ${line}`
  return { status: 'ok', domain }
}

// biome-ignore lint/correctness/useYield: a work that says nothing
const noLines = async function* ({ domain }: Record<string, unknown>) {
  return { status: 'ok', domain }
}

const whole = [
  ...Array.from({ length: 10 }, (_, at) => `${at + 1} log {"message":"Line ${at + 1}"}`),
  '11 complete {"status":"ok","domain":"shop.example"}',
]

describe('an operation', () => {
  test('waits for an agent that is away and is carried out once when it comes back', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    const server = await dashboard.addServer(agent)
    await agent.stop()
    const id = await createSite(dashboard, server)
    const waiting = await until(async () => {
      const { body } = await dashboard.call('GET', `/api/operations/${id}`)
      return body.operation.attempts > 1 && body.operation
    })
    agent.listen()

    const operation = await ended(dashboard, id)

    expect(waiting).toMatchObject({ status: 'queued', error: { error: 'Agent offline' } })
    expect(operation).toMatchObject({ status: 'success', error: null, next_at: null })
    expect(agent.begun.get(id)).toBe(1)
  })

  test('fails with a readable reason when its deadline has passed', async () => {
    await using dashboard = await makeDashboard({ limits: { deadline_ms: 30 } })
    const server = await dashboard.addServer({ port: 1 })

    const operation = await ended(dashboard, await createSite(dashboard, server))

    const { body } = await dashboard.call('GET', '/api/fleet/sites/1')
    const message = 'The agent on 127.0.0.1:1 refused the connection'
    expect(operation).toMatchObject({
      status: 'failed',
      error: { error: 'Agent offline', message },
    })
    expect(body.site).toMatchObject({ status: 'failed', status_reason: message })
  })

  test('goes on where it stopped when the connection breaks after every second event', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', tenLines)
    agent.cut_after = 2
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    await ended(dashboard, id)

    expect(await transcript(dashboard, id)).toEqual(whole)
    expect(agent.begun.get(id)).toBe(1)
  })

  test('stores no event twice when the agent tells them all again', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', tenLines)
    agent.cuts = [3, 0]
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    await ended(dashboard, id)

    expect(await transcript(dashboard, id)).toEqual(whole)
    expect(agent.asked).toHaveLength(3)
  })

  test.each([
    ['more than before', tenLines, whole.slice(2)],
    ['less than before', noLines, ['3 complete {"status":"ok","domain":"shop.example"}']],
  ])('ends without a gap when the agent forgot it and says %s', async (_, second, rest) => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', async function* () {
      yield 'First'
      yield 'Second'
      await new Promise(() => undefined)
      return {}
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await until(async () => (await dashboard.db.read.query.operation_events.findMany())[1])
    agent.works.set('site.create', second)
    agent.forget()
    await agent.stop()
    agent.listen()

    await ended(dashboard, id)

    expect(await transcript(dashboard, id)).toEqual([
      '1 log {"message":"First"}',
      '2 log {"message":"Second"}',
      ...rest,
    ])
  })

  test('fails at once with what the agent says of the request', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.delete('site.create')
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    const operation = await ended(dashboard, id)

    expect(operation.error).toEqual({
      error: 'Bad request',
      message: 'Unknown command site.create',
    })
    expect(agent.asked).toEqual(['POST /exec'])
  })

  test('fails when the result is not what the command promises', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', async function* () {
      yield 'Creating'
      return { status: 'ok', domain: 7 }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    expect((await ended(dashboard, id)).error.message).toBe(
      'The agent sent a result that is not what the command promises',
    )
  })

  test('is taken up by the next process, from the event it had come to', async () => {
    await using agent = new Machine()
    await using first = await makeDashboard()
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Before'
      await held.promise
      yield 'After'
      return { status: 'ok', domain }
    })
    const id = await createSite(first, await first.addServer(agent))
    await until(async () => (await first.db.read.query.operation_events.findMany()).length > 0)
    await first.stop()
    await using second = await makeDashboard({ folder: first.folder })

    await second.deps.worker.resume()
    held.resolve()
    const operation = await ended(second, id)

    expect(operation.status).toBe('success')
    expect(await transcript(second, id)).toEqual([
      '1 log {"message":"Before"}',
      '2 log {"message":"After"}',
      '3 complete {"status":"ok","domain":"shop.example"}',
    ])
    expect(agent.begun.get(id)).toBe(1)
  })

  test('lets a view begin after the events it has seen', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    agent.works.set('site.create', tenLines)
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await ended(dashboard, id)

    expect(await transcript(dashboard, id, 9)).toEqual(whole.slice(9))
    expect(await transcript(dashboard, id, 11)).toEqual([])
  })

  test('shows its events to a view while it goes on', async () => {
    await using agent = new Machine()
    await using dashboard = await makeDashboard()
    const held = Promise.withResolvers<void>()
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Before'
      await held.promise
      return { status: 'ok', domain }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    const response = await dashboard.send('GET', `/api/operations/${id}/events`)
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += new TextDecoder().decode(chunk)
      if (text.includes('Before')) held.resolve()
    }

    expect(text).toEndWith(
      'id: 2\nevent: complete\ndata: {"status":"ok","domain":"shop.example"}\n\n',
    )
  })

  test.each(['/api/operations/none', '/api/operations/none/events'])('%s is 404', async (path) => {
    await using dashboard = await makeDashboard()

    expect((await dashboard.call('GET', path)).status).toBe(404)
  })
})

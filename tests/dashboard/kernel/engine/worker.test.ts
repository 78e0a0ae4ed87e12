import { describe, expect } from 'bun:test'
import { makeDashboard, agentTest as test, until } from '#tests/support/dashboard/dashboard.ts'
import {
  createSite,
  ended,
  noLines,
  tenLines,
  transcript,
  whole,
} from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

describe('an operation', () => {
  test('waits for an offline agent and runs once when it is back', async ({ agent, dashboard }) => {
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
    expect(agent.started.get(id)).toBe(1)
  })

  test('reports in its stream that it waits, until when, and then the events of the agent', async () => {
    await using agent = new FakeAgent()
    agent.works.set('site.create', tenLines)
    await using dashboard = await makeDashboard({ limits: { notice_ms: 0 } })
    const server = await dashboard.addServer(agent)
    await agent.stop()
    const id = await createSite(dashboard, server)
    const { deadline_at } = await until(async () => {
      const { body } = await dashboard.call('GET', `/api/operations/${id}`)
      return body.operation.attempts > 2 && body.operation
    })
    // Its lines with their own numbers are found again after each of two lines.
    agent.cut_after = 2
    agent.listen()

    await ended(dashboard, id)

    const minute = deadline_at.slice(0, 16).replace('T', ' ')
    const refused = `The agent on 127.0.0.1:${agent.port} refused the connection`
    const words = `Waiting for the server until ${minute} UTC, then the operation fails. ${refused}`
    const later = whole.map((line) => line.replace(/^\d+/, (at) => `${Number(at) + 1}`))
    expect(await transcript(dashboard, id)).toEqual([
      `1 log ${JSON.stringify({ message: words })}`,
      ...later,
    ])
    expect(agent.started.get(id)).toBe(1)
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

  test('waits as long as a busy agent requests', async ({ agent, dashboard }) => {
    const headers = { 'retry-after': '40' }
    agent.answers.set('/exec', () => Response.json({ error: 'x' }, { status: 429, headers }))
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    const { created_at, next_at } = await until(async () => {
      const { body } = await dashboard.call('GET', `/api/operations/${id}`)
      return body.operation.next_at !== null && body.operation
    })

    expect(Date.parse(next_at) - Date.parse(created_at)).toBeGreaterThanOrEqual(40_000)
    expect(agent.asked).toEqual(['POST /exec'])
  })

  test('fails with the message of a busy agent that requests more than the remaining time', async ({
    agent,
    dashboard,
  }) => {
    const headers = { 'retry-after': '61' }
    const busy = { error: 'Too many requests', message: 'Ten deletions an hour are enough' }
    agent.answers.set('/exec', () => Response.json(busy, { status: 429, headers }))

    const operation = await ended(
      dashboard,
      await createSite(dashboard, await dashboard.addServer(agent)),
    )

    expect(operation).toMatchObject({
      status: 'failed',
      error: { message: 'The agent answered: Ten deletions an hour are enough' },
    })
    expect(agent.asked).toEqual(['POST /exec'])
  })

  test('has a deadline also for an agent that accepts it repeatedly without an event', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ limits: { deadline_ms: 150 } })
    agent.cut_after = 0
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    const operation = await ended(dashboard, id)

    expect(operation).toMatchObject({
      status: 'failed',
      error: {
        ...{ error: 'Agent offline', code: 'result_unknown' },
        message: expect.stringMatching(/^The connection to the agent was lost. The result is unk/),
      },
    })
  })

  test('continues where it stopped when the connection breaks after every second event', async ({
    agent,
    dashboard,
  }) => {
    agent.works.set('site.create', tenLines)
    agent.cut_after = 2
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    await ended(dashboard, id)

    expect(await transcript(dashboard, id)).toEqual(whole)
    expect(agent.started.get(id)).toBe(1)
  })

  test('stores no event twice when the agent sends all again', async ({ agent, dashboard }) => {
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
  ])(
    'ends without a gap when the agent forgot it and answers %s',
    async ({ agent, dashboard }, _, second, rest) => {
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
    },
  )

  test('fails immediately when the agent refuses the request', async ({ agent, dashboard }) => {
    agent.works.delete('site.create')
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    const operation = await ended(dashboard, id)

    expect(operation.error).toEqual({
      error: 'Bad request',
      message: 'Unknown command site.create',
    })
    expect(agent.asked).toEqual(['POST /exec'])
  })

  test('fails when the result breaks the contract of the command', async ({ agent, dashboard }) => {
    agent.works.set('site.create', async function* () {
      yield 'Creating'
      return { status: 'ok', domain: 7 }
    })
    const id = await createSite(dashboard, await dashboard.addServer(agent))

    expect((await ended(dashboard, id)).error.message).toBe(
      'The agent sent a result that is not what the command promises',
    )
  })

  test('continues in the next process from its last event', async ({ agent, dashboard: first }) => {
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
    expect(agent.started.get(id)).toBe(1)
  })
})

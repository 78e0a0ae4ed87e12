// tier: gate
import { afterEach, describe, expect, test } from 'bun:test'
import { CuttingProxy } from '#tests/support/cutting-proxy.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'
import { ended } from '#tests/support/dashboard/operations.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

/** The answer bytes that arrive: none of a request that is lost, none of one that is taken. */
const LOST = -1
const TAKEN = 0
let cut: number | undefined
let proxy: CuttingProxy | undefined

afterEach(async () => {
  cut = undefined
  await proxy?.stop()
})

/** A site whose agent is reached through a network that can break. */
async function site(dashboard: Dashboard, agent: FakeAgent): Promise<string> {
  agent.works.set('cache.purge', async function* ({ domain }) {
    yield 'Purging'
    return { status: 'ok', domain }
  })
  const cutAfter = (request: string) => (request.startsWith('POST /exec') ? cut : undefined)
  proxy = new CuttingProxy({ port: agent.port, cutAfter })
  const id = await dashboard.addServer({ port: await proxy.listen() })
  await dashboard.addSite(id)
  return `/api/servers/${id}/sites/1`
}

const purgeOf = async (dashboard: Dashboard) => {
  const { body } = await dashboard.call('GET', '/api/operations?type=cache.purge')
  return body.operations[0]
}

describe('a call that was sent and not answered', () => {
  test.each([
    ['taken', TAKEN],
    ['lost', LOST],
  ])('is sent again with the same id when it was %s, and its result recorded', async (_, how) => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const path = await site(dashboard, agent)
    cut = how

    const answer = await dashboard.call('POST', `${path}/cache-purge`)
    const waiting = await purgeOf(dashboard)
    cut = undefined
    const operation = await ended(dashboard, waiting.id)

    expect(answer.status).toBe(503)
    expect(answer.body.message).toMatch(
      new RegExp(
        `broke the connection. Operation ${waiting.id} may be running: the agent is asked`,
      ),
    )
    expect(waiting).toMatchObject({ status: 'queued', error: { error: 'Agent offline' } })
    expect(operation).toMatchObject({ status: 'success', error: null })
    expect(agent.started.get(waiting.id)).toBe(1)
  })

  test.each([500, 502, 503, 504])(
    'is sent again with the same id after the answer %i, which does not say whether it was taken',
    async (status) => {
      await using agent = new FakeAgent()
      await using dashboard = await makeDashboard()
      const path = await site(dashboard, agent)
      agent.answers.set('/exec', async (request) => {
        agent.answers.delete('/exec')
        await (await fetch(request)).text()
        return Response.json({ error: 'Internal error' }, { status })
      })

      const answer = await dashboard.call('POST', `${path}/cache-purge`)
      const operation = await ended(dashboard, (await purgeOf(dashboard)).id)

      // A caller that does not wait for an agent is informed that the call may be running.
      if (answer.status !== 200) expect(answer.body.message).toContain('may be running')
      expect(operation).toMatchObject({ status: 'success', error: null })
      expect(agent.started.get(operation.id)).toBe(1)
    },
  )

  test('fails at once after an answer that says when to come again', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const path = await site(dashboard, agent)
    const headers = { 'retry-after': '1' }
    const starting = { error: 'Agent offline', message: 'The agent is starting' }
    agent.answers.set('/exec', () => Response.json(starting, { status: 503, headers }))

    const answer = await dashboard.call('POST', `${path}/cache-purge`)

    expect(answer.status).toBe(503)
    const operation = await purgeOf(dashboard)
    expect(operation).toMatchObject({ status: 'failed', attempts: 1 })
    expect(operation.error).not.toHaveProperty('code')
  })

  test('is not taken for another one when the records cannot be read before it is repeated', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard()
    const path = await site(dashboard, agent)
    const { db, log } = dashboard
    const { read } = db
    const unreadable = new Proxy(read, {
      get: () => {
        throw new Error('disk I/O error')
      },
    })
    cut = TAKEN
    log.push = (line) => {
      if (line.includes('operation waits')) db.read = unreadable
      if (line.includes('operation could not be read')) db.read = read
      if (line.includes('operation could not be read')) cut = undefined
      return Array.prototype.push.call(log, line)
    }

    await dashboard.call('POST', `${path}/cache-purge`).catch(() => undefined)
    await until(() => log.some((line) => line.includes('operation could not be read')))
    const operation = await ended(dashboard, (await purgeOf(dashboard)).id)

    expect(operation).toMatchObject({ status: 'success', error: null })
    expect(agent.started.get(operation.id)).toBe(1)
  })

  test('has an unknown result when its agent does not answer before the deadline', async () => {
    await using agent = new FakeAgent()
    await using dashboard = await makeDashboard({ limits: { deadline_ms: 300 } })
    const path = await site(dashboard, agent)
    cut = TAKEN

    await dashboard.call('POST', `${path}/cache-purge`)
    const operation = await ended(dashboard, (await purgeOf(dashboard)).id)

    const where = `The agent on 127.0.0.1:${(await dashboard.db.read.query.servers.findFirst())?.port}`
    const why = 'its agent may have done the work, and did not answer before the deadline'
    expect(operation).toMatchObject({
      status: 'failed',
      error: {
        error: 'Agent offline',
        message: `${where} broke the connection. The result is unknown: ${why}`,
        code: 'result_unknown',
      },
    })
    expect(agent.started.get(operation.id)).toBe(1)
  })

  test('is asked for again by the next process of the dashboard', async () => {
    await using agent = new FakeAgent()
    await using first = await makeDashboard()
    const path = await site(first, agent)
    cut = TAKEN
    await first.call('POST', `${path}/cache-purge`)
    const { id } = await purgeOf(first)
    await first.stop()
    cut = undefined

    await using second = await makeDashboard({ folder: first.folder })
    await second.deps.worker.resume()

    expect(await ended(second, id)).toMatchObject({ status: 'success' })
    expect(agent.started.get(id)).toBe(1)
  })
})

test('a call that no agent can have taken fails at once', async () => {
  await using agent = new FakeAgent()
  await using dashboard = await makeDashboard()
  const path = await site(dashboard, agent)
  await proxy?.stop()

  const answer = await dashboard.call('POST', `${path}/cache-purge`)
  const operation = await purgeOf(dashboard)

  expect(answer.status).toBe(503)
  expect(operation).toMatchObject({ status: 'failed', attempts: 1 })
  expect(operation.error).not.toHaveProperty('code')
})

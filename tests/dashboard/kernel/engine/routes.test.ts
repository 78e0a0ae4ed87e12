import { describe, expect } from 'bun:test'
import {
  type Dashboard,
  PASSWORD,
  agentTest as test,
  until,
} from '#tests/support/dashboard/dashboard.ts'
import {
  createSite,
  ended,
  tenLines,
  transcript,
  whole,
} from '#tests/support/dashboard/operations.ts'
import type { FakeAgent } from '#tests/support/fake-agent.ts'

describe('a view of an operation', () => {
  test('starts a view after the events that it has seen', async ({ agent, dashboard }) => {
    agent.works.set('site.create', tenLines)
    const id = await createSite(dashboard, await dashboard.addServer(agent))
    await ended(dashboard, id)

    expect(await transcript(dashboard, id, 9)).toEqual(whole.slice(9))
    expect(await transcript(dashboard, id, 11)).toEqual([])
  })

  test('shows its events to a view while it runs', async ({ agent, dashboard }) => {
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

  test.each(['/api/operations/none', '/api/operations/none/events'])(
    '%s is 404',
    async ({ dashboard }, path) => {
      expect((await dashboard.call('GET', path)).status).toBe(404)
    },
  )
})

describe('a stream ends with its credential', () => {
  const cases: [string, (dashboard: Dashboard) => Promise<unknown>][] = [
    ['a logout', (dashboard) => dashboard.call('POST', '/api/auth/logout')],
    ['a logout everywhere', (dashboard) => dashboard.call('POST', '/api/auth/logout-everywhere')],
  ]
  test.each(cases)('%s', async ({ agent, dashboard }, _, signOut) => {
    const stream = await opened(dashboard, agent)

    await signOut(dashboard)

    expect(await stream.text()).toEndWith('data: {"message":"Before"}\n\n')
    expect((await dashboard.call('GET', '/api/operations')).status).toBe(401)
  })

  test('a token that is deleted', async ({ agent, dashboard }) => {
    const { body } = await dashboard.call('POST', '/api/auth/tokens', {
      name: 'script',
      password: PASSWORD,
    })
    const authorization = `Bearer ${body.plaintext}`
    const stream = await opened(dashboard, agent, { authorization })

    await dashboard.call('DELETE', `/api/auth/tokens/${body.token.id}`)

    expect(await stream.text()).toEndWith('data: {"message":"Before"}\n\n')
  })

  test('and not with another credential', async ({ agent, dashboard }) => {
    const stream = await opened(dashboard, agent)
    const mine = dashboard.token
    await dashboard.signIn()
    await dashboard.call('POST', '/api/auth/logout')
    dashboard.token = mine
    agent.works.set('released', tenLines)

    expect(await stream.text()).toContain('event: complete')
  })
})

/** The stream of a creation that runs until `released` is there. */
async function opened(dashboard: Dashboard, agent: FakeAgent, headers?: Record<string, string>) {
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Before'
    await until(() => agent.works.has('released'))
    return { status: 'ok', domain }
  })
  const id = await createSite(dashboard, await dashboard.addServer(agent))
  await until(async () => (await dashboard.db.read.query.operation_events.findMany()).length > 0)
  return dashboard.send('GET', `/api/operations/${id}/events`, undefined, headers)
}

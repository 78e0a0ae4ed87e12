// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { OperationView } from '#shared/operations/api/operations.ts'
import { type Client, eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { failed, notFound, row } from '#tests/support/rows.ts'
import { useDashboard } from '#tests/support/running.ts'

const cancelled = { error: 'Conflict', message: 'The operation was cancelled' }

/** A creation that prints a line and waits; its operation. */
async function begin(client: Client, agent: FakeAgent, domain: string): Promise<string> {
  agent.works.set('site.create', async function* () {
    yield 'Creating the user'
    await new Promise(() => undefined)
    return {}
  })
  const created = await client.post('/api/servers/1/sites', { domain, php: '8.2', tls: 'none' })
  return created.headers.get('operation-id') ?? ''
}

const stream = async (client: Client, id: string) =>
  eventsOf((await client.get(`/api/operations/${id}/events`)).text)

describe('an operation', () => {
  const agent = new FakeAgent()
  const { client } = useDashboard()
  beforeAll(async () => {
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
  })

  test('that is cancelled says so in every answer', async () => {
    const id = await begin(client(), agent, 'shop.example')

    const answer = await client().post(`/api/operations/${id}/cancel`)

    const events = await stream(client(), id)
    const { body } = await client().get(`/api/operations/${id}`)
    const view = {
      id,
      type: 'site.create',
      server_id: 1,
      site_id: 1,
      domain: 'shop.example',
      cancel: 'graceful',
      retry_of: null,
      next_at: null,
    }
    expect(answer.status).toBe(202)
    const { operation } = answer.body as { operation: unknown }
    expect(OperationView.parse(operation)).toMatchObject(view)
    expect(events.at(-1)).toMatchObject({ event: 'error', data: cancelled })
    expect(events.map((event) => event.id)).toEqual(events.map((_, at) => at + 1))
    expect(OperationView.parse((body as { operation: unknown }).operation)).toMatchObject({
      ...view,
      status: 'cancelled',
      error: cancelled,
    })
  })

  test('that has failed is retried under another id', async () => {
    agent.works.set('site.create', async function* () {
      yield 'Creating the user'
      throw new Refused({ error: 'Internal error', message: 'The disk is full' })
    })
    const created = await client().post('/api/servers/1/sites', { domain: 'b.example' })
    const first = created.headers.get('operation-id') ?? ''
    await stream(client(), first)
    agent.works.set('site.create', async function* ({ domain }) {
      yield 'Creating the user'
      return { domain }
    })

    const answer = await client().post(`/api/operations/${first}/retry`)

    const id = answer.headers.get('operation-id') ?? ''
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ operation: { id, type: 'site.create', retry_of: first } })
    expect((await stream(client(), id)).at(-1)).toMatchObject({ id: 2, event: 'complete' })
    expect(await client().post(`/api/operations/${first}/retry`)).toAnswer({
      status: 409,
      answer: { error: 'Conflict', message: 'The site is there already' },
    })
    expect(await client().post(`/api/operations/${id}/cancel`, {})).toAnswer({
      status: 409,
      answer: { error: 'Conflict', message: 'The operation has ended already' },
    })
  })

  for (const force of ['true', 1, null, [], {}, 'forced']) {
    test(`cannot be cancelled with force ${JSON.stringify(force)}: 422`, async () => {
      const { body } = await client().get('/api/operations?limit=1')
      const [{ id = '' } = {}] = (body as { operations: { id: string }[] }).operations

      expect(await client().post(`/api/operations/${id}/cancel`, { force })).toAnswer({
        status: 422,
        answer: failed({ force: ['Must be true or false'] }),
      })
    })
  }

  test.each(
    ['x', '__proto__', '1%20or%201', '..%2f1', '%00', 'a'.repeat(300)].flatMap((id) =>
      ['cancel', 'retry'].map((call) =>
        row(`${call} of an operation that is not there is 404: ${id}`)
          .post(`/api/operations/${id}/${call}`)
          .answers(404, notFound('Operation')),
      ),
    ),
  )('$sentence', async (row) => {
    expect(await client().send(row)).toAnswer(row)
  })
})

// tier: core
import { afterAll, describe, expect, test } from 'bun:test'
import { eventsOf } from '#tests/support/client.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { useDashboard } from '#tests/support/running.ts'

describe('a silent stream', () => {
  const agent = new FakeAgent()
  afterAll(() => agent.stop())
  const { client } = useDashboard()

  test('has a ping every ten seconds, stays open and has a terminal event', async () => {
    const { promise: hold, resolve: release } = Promise.withResolvers<void>()
    agent.says('site.create', { lines: ['one'], complete: { domain: 'quiet.example' }, hold })
    await client().post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    const created = await client().post('/api/servers/1/sites', { domain: 'quiet.example' })
    const path = `/api/operations/${created.headers.get('operation-id')}/events`
    const stream = await client().open({ path })
    if (!stream.body) throw new Error('There is no stream')
    let text = ''
    for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
      text += chunk
      if (text.slice(text.indexOf('id: 1')).includes(': ping\n\n')) release()
    }

    expect(eventsOf(text)).toEqual([
      { id: 1, event: 'log', data: { message: 'one' } },
      { id: 2, event: 'complete', data: { status: 'ok', domain: 'quiet.example' } },
    ])
  }, 20_000)
})

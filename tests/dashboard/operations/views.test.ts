import { describe, expect, test } from 'bun:test'
import { Machine, makeDashboard } from '../support/dashboard.ts'
import { createSite, ended, tenLines, transcript, whole } from '../support/operations.ts'

describe('a view of an operation', () => {
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

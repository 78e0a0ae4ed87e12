// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Demo, eventsOfOperation, START_MS, startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)

let demo: Demo
beforeAll(async () => {
  demo = await startDemo()
}, START_MS)
afterAll(sweep)

test('a site of the demo is cloned, with its plugins', async () => {
  const { body } = await demo.client.get('/api/fleet/sites?status=active&managed=true&per_page=20')
  const site = Object(body).sites.find(({ server_id }: { server_id: number }) => server_id === 1)
  const from = { kind: 'site', site_id: site.id }
  const path = `/api/servers/${site.server_id}/sites/clone`
  const answer = await demo.client.post(path, { domain: 'copy.example.com', from, tls: 'none' })
  const id = answer.headers.get('operation-id') ?? ''
  const events = await eventsOfOperation(demo.client, id)

  expect(answer.status).toBe(201)
  expect(events.at(-1)?.data).toMatchObject({ status: 'ok', domain: 'copy.example.com' })
  const scan = async (site_id: number) => {
    const { text } = await demo.client.post('/api/servers/1/wp-scan', { site_id })
    return /"plugins":\d+/.exec(text)?.[0]
  }
  const copy = Object(answer.body).site.id
  expect(await scan(copy)).toBe(await scan(site.id))
})

// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type Demo, START_MS, startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'

setDefaultTimeout(180_000)

let demo: Demo
let server = ''
beforeAll(async () => {
  demo = await startDemo()
  const { body } = await demo.client.get('/api/fleet/sites/1')
  server = `/api/servers/${Object(body).site.server_id}`
}, START_MS)
afterAll(sweep)

test('the demo has events of WordPress, and runs cron jobs', async () => {
  const { client } = demo
  const job = { name: 'import', schedule: '@daily', command: 'wp shop import' }

  const { body: events } = await client.get(`${server}/sites/1/wordpress-cron`)
  await client.put(`${server}/sites/1/jobs`, { jobs: [job] })
  const run = await client.post(`${server}/sites/1/job-run`, { name: 'import' })
  const { body: listed } = await client.get(`${server}/sites/1/jobs`)

  expect(events).toMatchObject({ cron: { total: 3, overdue: 0, stopped: null } })
  expect(run.text).toContain('Success: The job has run.')
  expect(listed).toMatchObject({ jobs: [{ ...job, last_run: { result: 'success' } }] })
})

test('the demo gives a client an account, and isolates its sites', async () => {
  const { client } = demo
  const account = { label: 'Print shop', expires_at: null }

  const made = await client.post(`${server}/sites/1/access/clients`, account)
  const isolation = await client.post(`${server}/isolation-check`, {})
  const { body: listed } = await client.get(`${server}/sites/1/access`)

  expect(made).toMatchObject({ status: 200, body: { ...account, ports: [22] } })
  // Adminer is not installed on its servers.
  expect(isolation.text).toContain('"succeeded":0,"not_applicable":1,"error":0')
  expect(listed).toMatchObject({ access: { clients: [account] } })
})

import { afterAll, expect, test } from 'bun:test'
import { startDemo } from '#tests/support/demo.ts'
import { sweep } from '#tests/support/processes.ts'

afterAll(sweep)

test('the demo has events of WordPress, runs cron jobs, and isolates them', async () => {
  const { client } = await startDemo()
  const { site } = (await client.get('/api/fleet/sites/1')).body as { site: { server_id: number } }
  const server = `/api/servers/${site.server_id}`
  const job = { name: 'import', schedule: '@daily', command: 'wp shop import' }

  const { body: events } = await client.get(`${server}/sites/1/wordpress-cron`)
  await client.put(`${server}/sites/1/jobs`, { jobs: [job] })
  const run = await client.post(`${server}/sites/1/job-run`, { name: 'import' })
  const { body: listed } = await client.get(`${server}/sites/1/jobs`)
  const isolation = await client.post(`${server}/isolation-check`, {})

  expect(events).toMatchObject({ cron: { total: 3, overdue: 0, stopped: null } })
  expect(run.text).toContain('Success: The job has run.')
  expect(listed).toMatchObject({ jobs: [{ ...job, last_run: { result: 'success' } }] })
  expect(isolation.text).toContain('"succeeded":0,"not_applicable":0,"error":0')
}, 90_000)

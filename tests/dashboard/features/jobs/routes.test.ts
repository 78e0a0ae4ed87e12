import { expect } from 'bun:test'
import { conflict } from '#shared/kernel/errors.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(withShop)

const domain = 'shop.example'
const nightly = { name: 'nightly', schedule: '0 3 * * *', command: 'wp cache flush' }
const stored = { ...nightly, max_minutes: 60, enabled: true }
const last_run = {
  ...{ started_at: '2026-03-01T03:00:00.000Z', seconds: 2, result: 'failed', exit_status: 3 },
}

async function withShop() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const given: unknown[] = []
  all.agent.works.set('site.jobs', async function* (params) {
    given.push(params)
    yield 'Applying the cron jobs of shop.example'
    return params
  })
  const at = `/api/servers/${all.server_id}/sites/${site_id}`
  const get = (path: string) => all.dashboard.call('GET', `${at}${path}`)
  const put = (jobs: unknown) => all.dashboard.send('PUT', `${at}/jobs`, { jobs })
  return { ...all, at, given, get, put }
}

test('sets the complete list of jobs at the agent', async (all) => {
  const text = await (await all.put([nightly])).text()

  expect(text).toContain('event: complete')
  expect(all.given).toEqual([{ domain, jobs: [stored] }])
  const { body } = await all.dashboard.call('GET', '/api/activity')
  expect(body.activities[0]).toMatchObject({ type: 'site.jobs', domain })
})

test('refuses a job by its field, and asks no agent', async (all) => {
  const response = await all.put([nightly, { ...nightly, name: 'late', schedule: '61 * * * *' }])

  expect([response.status, (await response.json()).fields]).toEqual([
    422,
    {
      jobs: [
        'Entry 2, schedule: The minute must be between 0 and 59, as a value, list, range or step: not 61',
      ],
    },
  ])
  expect(all.given).toEqual([])
})

test('lists jobs with their runs, and reads the output of the last one as plain text', async (all) => {
  const job = { ...stored, next_run_at: '2026-03-02T03:00:00.000Z', last_run, failures: 1 }
  const answer = { stopped: null, jobs: [job] }
  all.agent.answers.set('/sites/jobs', () => Response.json(answer))
  all.agent.answers.set('/sites/job-output', () =>
    Response.json({ run: last_run, output: '\u001b[31mno room\u001b[0m' }),
  )

  const { body } = await all.get('/jobs')
  const output = await all.get('/jobs/nightly/output')

  expect(body).toEqual(answer)
  expect(output.body).toEqual({ run: last_run, output: 'no room' })
  expect((await all.get('/jobs/..%2f/output')).status).toBe(404)
})

test('lists the events of WordPress as plain text', async (all) => {
  const event = { hook: 'a\u001b[2J\nb', due_at: last_run.started_at, schedule: null, interval: 60 }
  const rest = { total: 1, overdue: 1, next_run_at: null, stopped: 'suspended' }
  all.agent.answers.set('/sites/wordpress-cron', () => Response.json({ events: [event], ...rest }))

  const { body } = await all.get('/wordpress-cron')

  expect(body).toEqual({ cron: { events: [{ ...event, hook: 'a b' }], ...rest } })
})

test('a job that fails is a failed operation with its output', async (all) => {
  all.agent.works.set('site.job-run', async function* () {
    yield 'no room'
    throw conflict('The job nightly failed with exit status 3')
  })

  const response = await all.dashboard.send('POST', `${all.at}/job-run`, { name: 'nightly' })
  const text = await response.text()

  expect(text).toContain('no room')
  expect(text).toContain('event: error')
  const { body } = await all.dashboard.call('GET', '/api/operations')
  expect(body.operations[0]).toMatchObject({ type: 'site.job-run', status: 'failed' })
})

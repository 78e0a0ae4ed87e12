import { expect } from 'bun:test'
import { siteTest as test } from '#tests/support/dashboard/dashboard.ts'

const AT = '2026-03-01T09:30:00.000Z'
const RUN = { started_at: AT, seconds: 2.4, result: 'failed', exit_status: 1, output: 'no room' }
const PATH = '/api/servers/1/sites/1/job-runs'

test('requests the runs from the agent, and shows the output as plain text', async ({
  agent,
  dashboard,
}) => {
  const hostile = `\u001b[2J${'x'.repeat(9000)}\u202eend`
  const runs = [RUN, { ...RUN, seconds: null, result: 'running', exit_status: null }]
  agent.answers.set('/sites/job-runs', () =>
    Response.json({ runs: [...runs, { ...RUN, output: hostile, more: 'of a newer agent' }] }),
  )

  const { status, body } = await dashboard.call('GET', PATH)

  expect(status).toBe(200)
  const [first, second, third] = body.runs
  expect([first, second]).toEqual(runs)
  expect(third).toEqual({ ...RUN, output: expect.stringMatching(/^x+end$/) })
  expect(third.output.length).toBeLessThanOrEqual(4096)
})

test.each([
  ['too many runs', { runs: Array(21).fill(RUN) }],
  ['a result that there is not', { runs: [{ ...RUN, result: 'haunted' }] }],
])('an agent that answers with %s is refused', async ({ agent, dashboard }, _, answer) => {
  agent.answers.set('/sites/job-runs', () => Response.json(answer))

  expect((await dashboard.call('GET', PATH)).status).toBe(503)
})

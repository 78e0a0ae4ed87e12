import { expect, test } from 'bun:test'
import { errorOfAnswer } from '#dashboard/kernel/agents/agent-errors.ts'

test.each([
  [
    401,
    'offline',
    'The agent refused the key of this dashboard: as root on the server, run "hosting-agent trust --hub-key" with the key on the page Keys',
  ],
  [403, 'forbidden', 'denied by the policy'],
  [429, 'offline', 'The agent answered: denied by the policy'],
  [503, 'offline', 'The agent answered: denied by the policy'],
])('an answer %d of an agent counts as %s', (status, code, message) => {
  const error = errorOfAnswer(status, { error: 'x', message: 'denied by the policy' })

  expect([error.code, error.message]).toEqual([code, message] as never)
})

test.each([
  ['7', 7],
  ['999999', 3600],
  ['-1', undefined],
  ['1e3', undefined],
  ['Fri, 20 Nov 2026 14:00:00 GMT', undefined],
  [undefined, undefined],
])('a busy agent with Retry-After: %s is contacted again after %s seconds', (later, seconds) => {
  expect(errorOfAnswer(429, {}, later).retry_after).toBe(seconds)
})

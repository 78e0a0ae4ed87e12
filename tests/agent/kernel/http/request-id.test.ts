import { afterEach, expect, spyOn, test } from 'bun:test'
import { idOf, inRequest } from '#agent/kernel/http/request-id.ts'
import { Unauthenticated } from '#agent/kernel/http/unauthenticated.ts'
import { log, logError } from '#agent/kernel/log.ts'
import { createFront } from '#agent/programs/front/serve.ts'

const stderr = spyOn(console, 'error').mockImplementation(() => undefined)
afterEach(() => stderr.mockClear())

const lines = () => stderr.mock.calls.map(([line]) => JSON.parse(String(line)))
const asking = (headers: Record<string, string> = {}) =>
  new Request('https://agent/metrics', { headers })

test('a line has time, level, message, request and operation', () => {
  log('info', 'started')
  inRequest('r1', () => logError(new Error('broken'), { operation_id: 'o1' }))

  const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(lines()).toEqual([
    { at, level: 'info', message: 'started' },
    {
      at,
      level: 'error',
      message: 'unforeseen error',
      request_id: 'r1',
      operation_id: 'o1',
      error: 'Error: broken',
    },
  ])
})

test('a request keeps the id from the dashboard', () => {
  expect(idOf(asking({ 'x-request-id': 'abc_-9' }))).toBe('abc_-9')
})

test.each(['', 'a b', '{"level":"error"}', 'x'.repeat(65)])(
  'a request with the id %j gets a new one',
  (id) => expect(idOf(asking({ 'x-request-id': id }))).toMatch(/^[\w-]{12}$/),
)

test('a refusal has the id in its answer too', async () => {
  const front = createFront({
    gate: async () => {
      throw new Unauthenticated()
    },
    enrolling: async () => false,
    upstream: async () => new Response(),
    report: () => undefined,
  })

  const response = await front(asking({ 'x-request-id': 'r7' }))

  expect([response.status, response.headers.get('x-request-id')]).toEqual([401, 'r7'])
})

import { expect, test } from 'bun:test'
import { jsonLog } from '#dashboard/kernel/runtime/log.ts'
import { inRequest } from '#dashboard/kernel/runtime/request-id.ts'

const at = () => new Date('2026-01-01T00:00:00Z')

test.each([
  ['ValidationError', {}],
  ['ZodError', {}],
  ['SyntaxError', {}],
  ['Error', { query: 'select', params: ['secret'] }],
])('a log line omits the message of %s with %j', (name, more) => {
  const lines: string[] = []
  const error = Object.assign(new Error('password was secret'), { name }, more)

  jsonLog((line) => lines.push(line), at).error('request failed', error, { request_id: 'r1' })

  const [line = ''] = lines
  expect(JSON.parse(line)).toMatchObject({ level: 'error', request_id: 'r1', error: { name } })
  expect(line).not.toContain('secret')
})

test('a line has time, level, message, request and operation', () => {
  const lines: string[] = []
  const log = jsonLog((line) => lines.push(line), at)

  log.info('started')
  inRequest('r1', () => log.info('operation started', { operation_id: 'o1' }))

  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { at: '2026-01-01T00:00:00.000Z', level: 'info', message: 'started' },
    {
      at: '2026-01-01T00:00:00.000Z',
      level: 'info',
      message: 'operation started',
      request_id: 'r1',
      operation_id: 'o1',
    },
  ])
})

test('work after the answer still belongs to its request', async () => {
  const lines: string[] = []
  const log = jsonLog((line) => lines.push(line), at)
  const later = async () => {
    await Bun.sleep(1)
    log.info('later')
  }

  await Promise.all([inRequest('r1', later), inRequest('r2', later), later()])

  const ids = lines.map((line) => (JSON.parse(line) as { request_id?: string }).request_id)
  expect(ids).toEqual(['r1', 'r2', undefined])
})

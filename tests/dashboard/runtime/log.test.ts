import { expect, test } from 'bun:test'
import { jsonLog } from '#dashboard/runtime/log.ts'

const at = () => new Date('2026-01-01T00:00:00Z')

test.each([
  ['ValidationError', {}],
  ['ZodError', {}],
  ['SyntaxError', {}],
  ['Error', { query: 'select', params: ['secret'] }],
])('a log line keeps quiet about the message of %s with %j', (name, more) => {
  const lines: string[] = []
  const error = Object.assign(new Error('password was secret'), { name }, more)

  jsonLog((line) => lines.push(line), at).error('request failed', error, { request_id: 'r1' })

  const [line = ''] = lines
  expect(JSON.parse(line)).toMatchObject({ level: 'error', request_id: 'r1', error: { name } })
  expect(line).not.toContain('secret')
})

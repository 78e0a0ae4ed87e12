import { expect, test } from 'bun:test'
import { z } from 'zod'
import * as errors from '#shared/kernel/errors.ts'
import { parse } from '#shared/kernel/parse.ts'

test.each([
  [400, errors.badRequest('Why'), { error: 'Bad request', message: 'Why' }],
  [401, errors.unauthorized(), { error: 'Unauthorized' }],
  [401, errors.unauthorized('Why'), { error: 'Unauthorized', message: 'Why' }],
  [403, errors.forbidden('Why'), { error: 'Forbidden', message: 'Why' }],
  [404, errors.notFound('Site'), { error: 'Not found', message: 'Site not found' }],
  [409, errors.conflict('Why'), { error: 'Conflict', message: 'Why' }],
  [413, errors.tooLarge('Why'), { error: 'Payload too large', message: 'Why' }],
  [415, errors.unsupportedMedia('Why'), { error: 'Unsupported media type', message: 'Why' }],
  [
    422,
    errors.invalid({ tier: ['Why'] }),
    { error: 'Validation failed', fields: { tier: ['Why'] } },
  ],
  [429, errors.tooMany('Why', 7), { error: 'Too many requests', message: 'Why' }],
  [503, errors.offline('Why'), { error: 'Agent offline', message: 'Why' }],
])('answers %d as part 7 of the specification has it', (status, error, body) => {
  expect(error.status).toBe(status)
  expect(error.body).toEqual(body)
  expect(errors.bodyOf(error)).toEqual(body)
})

test.each([
  ['an error', new Error('hunter2')],
  ['a string', 'hunter2'],
  ['an object', { message: 'hunter2', fields: { password: ['hunter2'] } }],
  ['nothing', undefined],
])('reveals nothing of %s that is unforeseen', (_, thrown) => {
  const body = errors.bodyOf(thrown)

  expect(body).toEqual({ error: 'Internal error', message: 'An unexpected error occurred' })
})

test('keeps the cause for the log and out of the body', () => {
  const cause = new Error('ECONNREFUSED 10.0.0.1')
  const error = errors.offline('web1 did not answer', cause)

  expect(error.cause).toBe(cause)
  expect(error.body).toEqual({ error: 'Agent offline', message: 'web1 did not answer' })
})

test('maps each failing field to all its messages, each of them once', () => {
  const schema = z.object({
    tags: z.array(z.string().min(1, 'Empty')),
    name: z.string().min(3, 'Short').regex(/^a/, 'No a'),
  })

  const call = () => parse(schema, { tags: ['', '', 'x'], name: 'b' })

  expect(fieldsOfThrown(call)).toEqual({ tags: ['Empty'], name: ['Short', 'No a'] })
})

test.each([[undefined], [null], ['text'], [7], [[]]])('names the body when it is %p', (body) => {
  const schema = z.object({ name: z.string() })

  expect(Object.keys(fieldsOfThrown(() => parse(schema, body)))).toEqual(['body'])
})

test('ignores unknown fields, including those of the prototype', () => {
  const body: unknown = JSON.parse('{"name":"x","__proto__":{"admin":true},"constructor":1}')

  const parsed = parse(z.object({ name: z.string() }), body)

  expect(parsed).toEqual({ name: 'x' })
  expect('admin' in parsed).toBe(false)
})

test.each(['__proto__', 'constructor', 'toString'])('can name the field %s', (name) => {
  const fields = errors.fieldsOf([{ path: [name], message: 'Why' }])

  expect(Object.entries(fields)).toEqual([[name, ['Why']]])
})

function fieldsOfThrown(call: () => unknown): errors.Fields {
  try {
    call()
  } catch (error) {
    if (error instanceof errors.ServiceError && error.fields) return error.fields
  }
  throw new Error('Nothing was refused')
}

import { expect, test } from 'bun:test'
import { format, inspect } from 'node:util'
import { Login } from '#shared/api/auth.ts'
import { fieldsOf } from '#shared/errors.ts'
import { Secret } from '#shared/secret.ts'

const secret = new Secret('hunter2hunter2')

test.each([
  ['as text', `${secret}`],
  ['added to text', `password: ${String(secret)}`],
  ['in a list', [secret, secret].join()],
  ['as JSON', JSON.stringify({ secret, deep: [{ secret }] })],
  ['inspected', inspect({ secret, deep: { list: [secret] } }, { depth: 9, showHidden: true })],
  ['inspected by Bun', Bun.inspect({ secret })],
  ['formatted', format('%s %o %j', secret, secret, { secret })],
  ['copied', JSON.stringify({ ...secret, ...Object.assign({}, { secret }) })],
  ['in an error', inspect(new Error('broken', { cause: { secret } }))],
  ['listed', Object.entries(secret).join() + Reflect.ownKeys(secret).join()],
])('a secret is not visible %s', (_, shown) => {
  expect(shown).not.toContain('hunter2')
})

test('a secret prints as three stars, and returns its value on request', () => {
  expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual(['***', '"***"', '***'])
  expect(secret.reveal()).toBe('hunter2hunter2')
})

test('a password in a request is a secret after parsing', () => {
  const { password } = Login.parse({ email: 'a@b.example', password: 'hunter2' })

  expect([`${password}`, password.reveal()]).toEqual(['***', 'hunter2'])
})

test('an invalid password is not repeated in the answer', () => {
  const { error } = Login.safeParse({ email: 'a@b.example', password: 'x'.repeat(1025) })

  expect(fieldsOf(error?.issues ?? [])).toEqual({
    password: ['Must have at most 1024 characters'],
  })
})

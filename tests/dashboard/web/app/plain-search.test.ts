import { expect, test } from 'bun:test'
import { parsePlain, writePlain } from '#dashboard/web/app/plain-search.ts'

test.each([
  ['?php=8.0', { php: '8.0' }],
  ['?status=failed,missing&updates=true', { status: 'failed,missing', updates: 'true' }],
  ['?q=a%26b%3Dc', { q: 'a&b=c' }],
  ['?to=%2Fsites', { to: '/sites' }],
  ['', {}],
])('%s keeps its value', (text, search) => {
  expect(parsePlain(text)).toEqual(search)
  expect(writePlain(search)).toBe(text)
})

test('a name that is given twice has both values; what is undefined is left out', () => {
  expect(parsePlain('?php=8.0&php=8.1')).toEqual({ php: '8.0,8.1' })
  expect(writePlain({ php: undefined, server_id: 3, updates: false })).toBe(
    '?server_id=3&updates=false',
  )
})

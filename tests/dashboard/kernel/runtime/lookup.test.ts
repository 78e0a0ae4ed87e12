import { expect, test } from 'bun:test'
import { lookupHost } from '#dashboard/kernel/runtime/lookup.ts'

test.each([
  ['localhost', { address: '127.0.0.1', family: 4 }],
  ['192.0.2.7', { address: '192.0.2.7', family: 4 }],
  ['2001:db8::7', { address: '2001:db8::7', family: 6 }],
] as const)('%s has its address', async (hostname, address) => {
  expect(await lookupHost(hostname)).toContainEqual(address)
})

test('a name without an address has the code of node:dns', async () => {
  const error = await lookupHost('server.invalid').catch((reason: unknown) => reason)

  expect(error).toMatchObject({
    code: 'ENOTFOUND',
    message: 'server.invalid cannot be resolved: ENOTFOUND',
  })
})

import { expect, test } from 'bun:test'
import { present, withdrawAllTokens } from '#agent/os/certificates/probe-names.ts'
import { tlsSite } from '#tests/support/agent/tls-site.ts'

test('tokens of orders that were cut off are removed', async () => {
  const host = await tlsSite()
  const before = host.disk.all
  for (const token of ['first', 'second']) await present(host, token, token)

  await withdrawAllTokens(host)

  expect(host.disk.all).toEqual(before)
})

test('a token that stays does not fail its order', async () => {
  const host = await tlsSite()
  await present(host, 'first', 'first')
  host.disk.guard = (action) => {
    if (action.startsWith('remove')) throw new Error('EIO')
  }

  await expect(withdrawAllTokens(host)).resolves.toBeUndefined()
})

import { expect, test } from 'bun:test'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'

const { strays, left, clear, put, oneSite } = useCloudflare()

test('records are not touched if the answer has those of another name', async () => {
  await using all = await oneSite()
  await all.account()
  await all.set({})
  clear()
  put('A', '192.0.2.99')
  strays.push('b.example')

  expect((await all.set({ replace: [shown('A', '192.0.2.99')] })).body.message).toBe(
    'Cloudflare: the answer has records of another name',
  )
  expect(left()).toHaveLength(1)
})

test('records are set beside a long record of another type', async () => {
  await using all = await oneSite()
  await all.account()
  await all.set({})
  put('TXT', 'x'.repeat(2000))

  expect((await all.set({})).body.records).toMatchObject([{ action: 'keep', type: 'A' }])
})

test('records are set in a zone whose name Cloudflare has in Unicode', async () => {
  await using all = await oneSite('xn--bcher-kva.example')
  await all.account()

  expect((await all.set({})).body.zone).toBe('xn--bcher-kva.example')
  expect(left()).toEqual([['A', 'xn--bcher-kva.example', all.address, false]])
})

test('records never have a private address in production', async () => {
  await using all = await oneSite()
  await all.account()
  all.dashboard.deps.rules.production = true

  const { status, body } = await all.set({ dry_run: true })

  expect(status).toBe(409)
  expect(body.message).toEndWith(
    'has the private address 127.0.0.1, which visitors cannot reach: give it a public hostname',
  )
})

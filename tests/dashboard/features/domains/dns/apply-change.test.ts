import { expect, test } from 'bun:test'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'

const { refusals, losses, left, clear, put, oneSite } = useCloudflare()

test('records are as before if Cloudflare refuses the new ones, and its message is shown', async () => {
  await using all = await oneSite()
  await all.account()
  await all.set({})
  clear()
  put('A', '192.0.2.99')
  const before = left()
  refusals.add(all.address)

  const { status, body } = await all.set({ replace: [shown('A', '192.0.2.99')] })

  expect([status, body.message]).toEqual([409, 'Cloudflare: Content for record is invalid. (9005)'])
  expect(left()).toEqual(before)
  expect(await all.entries()).toEqual([['a.example', 'success']])
})

test.each(['DELETE', 'POST'])(
  'records are as before if the answer to %s is lost',
  async (method) => {
    await using all = await oneSite()
    await all.account()
    await all.set({})
    clear()
    put('CNAME', 'shop.elsewhere.example')
    const before = left()
    losses.add(method)

    const { status, body } = await all.set({ replace: [shown('CNAME', 'shop.elsewhere.example')] })

    expect([status, body.message]).toEqual([
      409,
      'Cloudflare answered 502 without a body. It is not certain that the former records are restored, which were CNAME shop.elsewhere.example: look at the zone',
    ])
    expect(left()).toEqual(before)
    expect(await all.entries()).toEqual([
      ['a.example', 'failed'],
      ['a.example', 'success'],
    ])
  },
)

test('records that cannot be restored either are named', async () => {
  await using all = await oneSite()
  await all.account()
  await all.set({})
  clear()
  put('A', '192.0.2.99')
  for (const content of [all.address, '192.0.2.99']) refusals.add(content)

  expect((await all.set({ replace: [shown('A', '192.0.2.99')] })).body.message).toBe(
    'Cloudflare: Content for record is invalid. (9005). The former records could not be restored, which were A 192.0.2.99: look at the zone',
  )
})

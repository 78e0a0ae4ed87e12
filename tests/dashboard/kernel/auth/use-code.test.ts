import { expect, test } from 'bun:test'
import { findUser } from '#dashboard/kernel/auth/queries.ts'
import { useCode } from '#dashboard/kernel/auth/use-code.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { turnOn } from '#tests/support/dashboard/totp.ts'

/** Uses codes of the first user, so that all read the factor before one of them changes it. */
async function usedAtOnce(codesOf: (app: Awaited<ReturnType<typeof turnOn>>) => string[]) {
  const clock = new HeldClock()
  await using dashboard = await makeDashboard({ clock })
  const app = await turnOn(dashboard)
  const user = await findUser(dashboard.deps, 1)
  if (!user) throw new Error('There is no user')
  clock.move(30_000)
  const uses = codesOf(app).map((code) => useCode(dashboard.deps, user, new Secret(code)))
  const results = await Promise.all(uses)
  const { body } = await dashboard.call('GET', '/api/auth/totp')
  const details = results.map((used) => (used === undefined ? 'refused' : used.detail))
  return { details: details.toSorted(), left: body.totp.recovery_codes_left }
}

test('of several requests with one code of the app, one succeeds', async () => {
  const now = new Date('2026-01-01T00:00:30.000Z')

  const used = await usedAtOnce((app) => Array(4).fill(app.code(now)))

  expect(used).toEqual({ details: [null, 'refused', 'refused', 'refused'], left: 10 })
})

test('of several requests with one recovery code, one succeeds', async () => {
  const used = await usedAtOnce(({ recovery_codes: [code = ''] }) => Array(4).fill(code))

  expect(used).toEqual({
    details: ['refused', 'refused', 'refused', 'with a recovery code, 9 left'],
    left: 9,
  })
})

test('several recovery codes at once all count', async () => {
  const used = await usedAtOnce(({ recovery_codes }) => recovery_codes.slice(0, 3))

  expect(used).toEqual({
    details: [7, 8, 9].map((left) => `with a recovery code, ${left} left`),
    left: 7,
  })
})

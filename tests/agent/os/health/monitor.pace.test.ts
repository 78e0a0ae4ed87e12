import { expect, test } from 'bun:test'
import { look, restAfter } from '#agent/os/health/look.ts'
import { newlyWatched } from '#agent/os/health/watched.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

test.each([
  ['at once where there are few', 1, 1, 300],
  ['after what its look took, ten times', 3000, 10, 30_000],
  ['with 100 of them', 5, 100, 30_000],
  ['never later than after a minute', 5, 5000, 60_000],
  ['nor when it takes long', 90_000, 1, 60_000],
])('checks a site again %s', (_, took, all, rest) => {
  expect(restAfter(took, all)).toBe(rest)
})

test('waits between two checks of a site', async () => {
  const host = await server(shop)
  const watched = newlyWatched(shop, host)
  const looking = { isBusy: () => false, report: (error: unknown) => expect(error).toBe(undefined) }
  await look(host, [watched], { ...looking, all: 200 })
  expect(watched.look_at - host.clock.elapsed()).toBeGreaterThanOrEqual(60_000)
})

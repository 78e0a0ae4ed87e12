import { expect, test } from 'bun:test'
import { isHealthy } from '#scripts/install/health.ts'

const NOBODY = { port: 1 }

/** systemd with these counts of restarts, one for each question; the last one stays. */
function counting(...counts: readonly number[]) {
  let asked = 0
  const next = () => counts[Math.min(asked++, counts.length - 1)]
  return {
    asked: () => asked,
    attempt: async () => ({ status: 0, stdout: `${next()}\n`, message: '' }),
  }
}

test('a dashboard that answers is healthy, however often its former release restarted', async () => {
  const answer = () => new Response('ok')
  await using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })

  expect(await isHealthy(counting(9), { port: server.port ?? 0 }, 1_000)).toBe(true)
})

test('a dashboard that restarts four times is not waited for', async () => {
  const systemd = counting(9, 0, 3, 4)

  const isWell = await isHealthy(systemd, NOBODY, 60_000)

  expect([isWell, systemd.asked()]).toEqual([false, 4])
})

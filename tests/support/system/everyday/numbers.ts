import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { LoggedSite } from '#tests/support/system/logged.ts'
import { MINUTES } from '#tests/support/system/world.ts'

type Column = (number | null)[]

export function countsNumbers(suite: Suite): void {
  unless(lab.available()).describe(`the numbers of a site on ${suite}`, () => check(suite))
}

function check(suite: Suite): void {
  const logged = new LoggedSite(suite)
  const { world } = logged

  beforeAll(() => logged.start(), 10 * MINUTES)
  afterAll(() => world.stop(), 5 * MINUTES)

  /** The sum of each column; of `active` the highest. */
  async function numbers(unit: 'minute' | 'day') {
    const at = logged.at.replace(/logs$/, `numbers?unit=${unit}`)
    const { status, body } = await world.dashboard.call('GET', at)
    expect(status).toBe(200)
    const columns = body.numbers as Record<string, Column>
    const sum = (name: string) =>
      (columns[name] ?? []).reduce<number>((all, one) => all + (one ?? 0), 0)
    return { sum, highest: (name: string) => Math.max(0, ...(columns[name] ?? []).map(Number)) }
  }

  test(
    'are those of nginx and PHP-FPM, within two minutes',
    async () => {
      // One of them is running whenever the agent counts.
      const sleeping = [0, 30, 60].map(async (seconds) => {
        await Bun.sleep(seconds * 1000)
        await logged.visit('/?sleep=40')
      })
      await logged.visit('/')
      await logged.visit('/?fail=1')
      await logged.visit('/.env')
      await logged.visit('/wp-includes/images/blank.gif')

      const isCounted = async () => (await numbers('minute')).sum('requests') >= 4
      expect(await lab.poll(isCounted, { timeout_ms: 150_000, every_ms: 2000 })).toBe(true)
      const busy = async () => (await numbers('minute')).highest('active') >= 1
      expect(await lab.poll(busy, { timeout_ms: 70_000, every_ms: 2000 })).toBe(true)
      const minutes = await numbers('minute')
      const counted = (name: string) => minutes.sum(name)
      expect(counted('client_errors')).toBe(1)
      expect(counted('server_errors')).toBe(1)
      expect(counted('php_requests')).toBeGreaterThanOrEqual(2)
      expect(counted('php_requests')).toBeLessThan(counted('requests'))
      expect(counted('php_ms')).toBeGreaterThan(0)
      expect(counted('bytes')).toBeGreaterThan(1000)

      const days = await numbers('day')
      expect(days.sum('requests')).toBeGreaterThanOrEqual(counted('requests'))
      // Sizes are measured each hour, and at the start: before it the cache may have been empty.
      await world.host.must(['systemctl', 'restart', 'hosting-agent.service'])
      const hasCache = async () => (await numbers('day')).sum('cache') > 0
      expect(await lab.poll(hasCache, { timeout_ms: 150_000, every_ms: 2000 })).toBe(true)
      await Promise.all(sleeping)
    },
    5 * MINUTES,
  )
}

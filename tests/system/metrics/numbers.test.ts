// tier: gate
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { SiteReport } from '#shared/reports/api/report.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { LoggedSite } from '#tests/support/system/logged.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

setDefaultTimeout(8 * MINUTES)

type Column = (number | null)[]

/** What the test writes in files and in the database, at least. */
const LARGE = 30e6
const TOLERANCE = 0.05

for (const suite of releases('numbers')) {
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

  /** The attacks refused, as the report of this month has them. */
  async function refused(): Promise<number> {
    const month = new Date().toISOString().slice(0, 7)
    const at = logged.at.replace(/logs$/, `report?month=${month}`)
    const { body } = await world.dashboard.call('GET', at)
    return (body.report as SiteReport).figures.refused?.requests ?? 0
  }

  test('are those of nginx and PHP-FPM, within two minutes', async () => {
    // One of them is running whenever the agent counts.
    const sleeping = [0, 30, 60].map(async (seconds) => {
      await Bun.sleep(seconds * 1000)
      await logged.visit('/?sleep=40')
    })
    await logged.visit('/')
    await logged.visit('/?fail=1')
    // The first is refused by nginx, as logins above the limit; the last one by WordPress.
    await logged.visit('/.env')
    await logged.visit('/wp-includes/images/blank.gif')
    await logged.visit('/?forbidden=1')
    const tooMany = await logged.refusedLogins(20)
    expect(tooMany).toBeGreaterThan(0)

    const isCounted = async () => (await numbers('minute')).sum('requests') >= 25
    expect(await lab.poll(isCounted, { timeout_ms: 150_000, every_ms: 2000 })).toBe(true)
    const busy = async () => (await numbers('minute')).highest('active') >= 1
    expect(await lab.poll(busy, { timeout_ms: 70_000, every_ms: 2000 })).toBe(true)
    const minutes = await numbers('minute')
    const counted = (name: string) => minutes.sum(name)
    expect(counted('client_errors')).toBe(2 + tooMany)
    expect(counted('server_errors')).toBe(1)
    expect(counted('php_requests')).toBeGreaterThanOrEqual(2)
    expect(counted('php_requests')).toBeLessThan(counted('requests'))
    expect(counted('php_ms')).toBeGreaterThan(0)
    expect(counted('bytes')).toBeGreaterThan(1000)

    const days = await numbers('day')
    expect(days.sum('requests')).toBeGreaterThanOrEqual(counted('requests'))
    expect(await refused()).toBe(1 + tooMany)
    // Sizes are measured each hour, and at the start: before it the cache may have been empty.
    await world.host.must(['systemctl', 'restart', 'hosting-agent.service'])
    const hasCache = async () => (await numbers('day')).sum('cache') > 0
    expect(await lab.poll(hasCache, { timeout_ms: 150_000, every_ms: 2000 })).toBe(true)
    await Promise.all(sleeping)
  })

  test('have the sizes that du(1) and the database report, within a twentieth', async () => {
    const { user } = logged
    const relay = { host: '127.0.0.1', port: 2525, tls: 'none' }
    // Nothing listens there: the mail stays in the queue.
    await world.dashboard.stream('PUT', world.path('/mail'), { relay })
    const sends = async () => (await logged.page('/?mail=ann@example.org')) === 'true'
    expect(await lab.poll(sends)).toBe(true)
    for (let page = 0; page < 20; page++) await logged.page(`/page-${page}/`)
    await logged.bash(`runuser -u ${user} -- dd if=/dev/urandom bs=1M count=30 \
          of=/srv/www/${user}/public/wp-content/uploads/large
        mariadb ${user} -e 'create table large (part mediumblob)'
        for part in $(seq 30); do
          mariadb ${user} -e 'insert into large values (repeat(md5(rand()), 32768))'; done
        mariadb ${user} -e 'analyze table large'`)

    // All are measured after a start, when nothing of an earlier measurement is there.
    await logged.bash(`rm --force /var/lib/hosting-agent/usage.json
        systemctl restart hosting-agent.service`)
    const isMeasured = async () => {
      const { highest } = await numbers('day')
      return highest('files') > LARGE && highest('database') > LARGE && highest('mail') > 1e5
    }
    expect(await lab.poll(isMeasured, { timeout_ms: 3 * MINUTES, every_ms: 2000 })).toBe(true)

    const du = async (path: string) =>
      Number.parseInt(await logged.bash(`du --summarize --block-size=1 ${path}`), 10)
    const tables = `select sum(data_length + index_length + data_free)
        from information_schema.tables where table_schema = '${user}'`
    const expected = {
      files: await du(`/srv/www/${user}`),
      database: Number(await logged.bash(`mariadb -N -e "${tables}"`)),
      cache: await du(`/var/cache/hosting/${user}`),
      mail: await du(`/var/lib/hosting-mail/queue/${user}`),
    }
    const { highest } = await numbers('day')
    for (const [name, bytes] of Object.entries(expected)) {
      const part = Math.abs(highest(name) / bytes - 1)
      expect({ name, bytes, shown: highest(name), is: part < TOLERANCE }).toMatchObject({
        is: true,
      })
    }
  })
}

import { expect, test } from 'bun:test'
import { fpmService } from '#agent/os/php/fpm-files.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Enrolled } from './enrolled.ts'
import { get } from './requests.ts'
import { MINUTES } from './world.ts'

interface Site {
  id: number
  domain: string
  user: string
  health: string | null
  health_code: string
  health_reason: string
  health_checks: { check: string; state: string; code: string }[]
}

const FATAL = '<?php this_function_is_not_there();'
const PHP_STOPS = 'mu-plugins/fatal.php'

/**
 * Faults made by hand are shown by domain, and as up again after the repair: PHP, the database, the
 * certificate, and a fatal error behind a cached page. `world` has two sites without TLS.
 */
export function showsHealth(world: () => Enrolled, php: string): void {
  const { timeout_ms } = { timeout_ms: 3 * MINUTES }
  const took: string[] = []

  const sites = async (): Promise<[one: Site, two: Site]> => {
    const { body } = await world().dashboard.call('GET', '/api/fleet/sites?q=example.test')
    const ids = (body.sites as Site[]).map(({ id }) => id)
    const shown = await Promise.all(
      ids.map(async (id) => {
        const answer = await world().dashboard.call('GET', `/api/fleet/sites/${id}`)
        return answer.body.site as Site
      }),
    )
    const [one, two] = shown.sort((a, b) => (a.domain < b.domain ? -1 : 1))
    if (!one || !two) throw new Error('no two sites')
    return [one, two]
  }
  const codes = async () => {
    const found = await sites()
    return found.map(({ health, health_code, health_checks }) => {
      const checks = health_checks.filter(({ state }) => state !== 'up').map(({ code }) => code)
      return [health, health_code, ...checks].join(' ')
    })
  }
  /** Waits for both states; returns the duration. */
  const become = async (what: string, expected: [one: string, two: string]) => {
    const from = Date.now()
    let seen: string[] = []
    await lab.polled(
      async () => {
        seen = await codes()
        return JSON.stringify(seen) === JSON.stringify(expected)
      },
      { every_ms: 500, timeout_ms },
    )
    took.push(`${what}: ${Math.round((Date.now() - from) / 1000)} s`)
    expect([what, ...seen]).toEqual([what, ...expected])
  }
  const must = (...argv: string[]) => world().host.must(argv)
  const sql = (statement: string) => world().host.must(['mariadb', '-e', statement])
  const folder = (domain: string) => `/etc/hosting/tls/${domain}`

  test(
    'a site that is broken by hand is shown by domain, and as up again after the repair',
    async () => {
      const { host, dashboard, path } = world()
      const [one, two] = await sites()
      // Its requests would find the same faults, and wake PHP.
      await world().dashboard.call('PUT', '/api/settings/visit_interval', { value: 0 })
      const units = fpmService({ user: one.user, php })
      const content = `/srv/www/${one.user}/public/wp-content`
      await must('rm', '-rf', `${content}/mu-plugins`)
      const issue = async (tls: string) =>
        (await dashboard.stream('POST', path(`/sites/${two.id}/tls`), { tls })).at(-1)
      await issue('self-signed')
      // It stays in the page cache: no later step empties it.
      await get(host, `http://${one.domain}/`)
      await become('at first', ['up up', 'up up'])

      await must('mkdir', '-p', `${content}/mu-plugins`)
      await host.put(`${content}/${PHP_STOPS}`, FATAL)
      await must('chown', '-R', `${one.user}:www-data`, `${content}/mu-plugins`)
      await sql(`ALTER USER '${two.user}'@localhost ACCOUNT LOCK`)
      await must('mv', `${folder(two.domain)}/fullchain.pem`, '/root/fullchain.pem')
      await become('broken', [
        'down http_fatal http_fatal',
        'down database_refused database_refused certificate_missing',
      ])
      const { body } = await dashboard.call('GET', '/api/fleet')
      const attention = body.attention as { kind: string; items: { name: string }[] }[]
      const down = attention.find(({ kind }) => kind === 'site_down')
      expect(down?.items.map(({ name }) => name)).toEqual([one.domain, two.domain])

      await must('rm', `${content}/${PHP_STOPS}`)
      await sql(`ALTER USER '${two.user}'@localhost ACCOUNT UNLOCK`)
      await must('mv', '/root/fullchain.pem', `${folder(two.domain)}/fullchain.pem`)
      await must('systemctl', 'stop', units.socket_unit, units.unit)
      await become('repaired, and PHP stopped', ['down php_stopped php_stopped', 'up up'])

      const restart = { service: `php-fpm:${one.user}` }
      expect((await dashboard.call('POST', path('/services/restart'), restart)).status).toBe(200)
      expect(await issue('letsencrypt')).toMatchObject({ event: 'complete' })
      const last = await dashboard.call('GET', `/api/operations?site_id=${two.id}&limit=1`)
      const [operation] = last.body.operations as {
        status: string
        warnings: { code: string; message: string }[]
      }[]
      const warnings = operation?.warnings.map(({ code }) => code)
      expect([operation?.status, warnings]).toEqual(['success', ['certificate_refused']])
      await become('up, and a certificate refused', [
        'up up',
        'degraded certificate_missing certificate_missing',
      ])
      const [, { health_reason }] = await sites()
      expect(health_reason).toContain(operation?.warnings[0]?.message ?? '-')

      await world().acme.resolve(two.domain, host.address)
      await world().acme.resolve(`www.${two.domain}`, host.address)
      await issue('letsencrypt')
      await become('the certificate is there', ['up up', 'up up'])
      console.log(took.join('\n'))
    },
    12 * MINUTES,
  )

  test(
    'a sleeping pool is up, and no check wakes it',
    async () => {
      const { host } = world()
      const [one] = await sites()
      const { unit } = fpmService({ user: one.user, php })
      const [from, used] = [Date.now(), await processorMs(host)]
      let stops = 0
      await lab.poll(
        async () => {
          const { code } = await host.exec(['systemctl', 'is-active', '--quiet', unit])
          // A check that started before the stop wakes PHP; it is the last one.
          if (code === 0) {
            await must('systemctl', 'stop', unit)
            stops += 1
          }
          const [{ health, health_checks }] = await sites()
          return health === 'up' && health_checks.some(({ code }) => code === 'php_asleep')
        },
        { every_ms: 500, timeout_ms },
      )
      expect(stops).toBeWithin(1, 4)
      const [seconds, ms] = [(Date.now() - from) / 1000, (await processorMs(host)) - used]
      console.log(`agent and scan: ${ms.toFixed(0)} ms of processor in ${seconds.toFixed(0)} s`)
      expect((await host.exec(['systemctl', 'is-active', unit])).stdout).toBe('inactive\n')
    },
    5 * MINUTES,
  )
}

/** CPU time of the agent and of its process that reads sites. */
async function processorMs(host: lab.Host): Promise<number> {
  const show = ['systemctl', 'show', '--property=CPUUsageNSec', '--value']
  const { stdout } = await host.exec([...show, 'hosting-agent.service', 'hosting-scan-*.service'])
  return stdout.split('\n').reduce((sum, text) => sum + (Number(text) || 0), 0) / 1e6
}

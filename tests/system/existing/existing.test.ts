// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import { OPTION_FILE, prepareSites } from '#tests/support/system/existing/sites.ts'
import { type ExistingWorld, startExisting } from '#tests/support/system/existing/world.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const UNITS = ['php8.2-fpm', 'apache2', 'nginx', 'mariadb', 'cron'].map((unit) => `${unit}.service`)
const ONE = 'one.example.test'
const TWO = 'two.example.test'

unless(lab.available() ?? lacking({ programs: ['curl'] })).describe(
  'a server that has sites already',
  () => {
    let world: ExistingWorld

    beforeAll(async () => {
      world = await startExisting('bookworm', async (host) => {
        await prepareSites(host, 'bookworm')
        return {
          asked: [
            ...['tcp', 'named', 'apache'].map(
              (name) => [`${name}.example.test`, '127.0.0.1'] as const,
            ),
            ['of-nobody.example.test', '127.0.0.1'],
            ['of-nobody.example.test', '::1'],
            ['address.example.test', host.address],
            ['of-nobody.example.test', host.address],
          ],
          units: UNITS,
        }
      })
    }, 10 * MINUTES)
    afterAll(() => world?.enrolled.stop(), 5 * MINUTES)

    /** A site by its name, which the dashboard numbers as it was created. */
    const create = (domain: string, more: object = {}) =>
      world.did('POST', world.enrolled.path('/sites'), {
        ...{ domain, user: domain.slice(0, 3), tls: 'none', ...more },
      })
    const site = (id: number) => world.enrolled.path(`/sites/${id}`)
    const shows = async (domain: string, scheme = 'http') => {
      const { host } = world
      const pages = await Promise.all(
        ['127.0.0.1', host.address].map((resolve) =>
          get(host, `${scheme}://${domain}/`, { resolve }),
        ),
      )
      return pages.map(({ body }) => body.includes(`//${domain}/`))
    }

    test('answers with all of them before any change', () => {
      const { answers } = world.before
      expect(answers).toContain('tcp.example.test at 127.0.0.1/: tcp front from MariaDB\n 200')
      expect(answers).toContain(
        'named.example.test at 127.0.0.1/page.php: named page by fpm-fcgi\n 200',
      )
      expect(answers).toContain(
        'apache.example.test at 127.0.0.1/: apache front from MariaDB\n 200',
      )
      expect(answers).toContain(
        'of-nobody.example.test at 127.0.0.1/static.txt: catch-all static\n 200',
      )
      expect(answers).toContain('of-nobody.example.test at ::1/: curl 7')
    })

    test('answers the same after enrolment', async () => {
      expect(await world.differences()).toEqual([])
    })

    test('refuses a site immediately while MariaDB accepts no connection, and says why', async () => {
      const { dashboard } = world.enrolled
      const body = { domain: ONE, tls: 'none', dry_run: true }
      const plan = await dashboard.call('POST', world.enrolled.path('/sites'), body)

      expect([plan.status, plan.body.message]).toEqual([
        409,
        expect.stringContaining('put an account with all rights into /root/.my.cnf'),
      ])
      await world.host.put('/root/.my.cnf', OPTION_FILE, 0o600)
      // The refusal is remembered for a moment.
      await Bun.sleep(4000)
    })

    test('answers the same after provisioning', async () => {
      expect(await world.provision()).toMatchObject({ event: 'complete' })

      expect(await world.differences()).toEqual([])
    })

    test('answers the same, and with a new site, at each address', async () => {
      expect((await create(ONE)).data).toEqual({ status: 'ok', domain: ONE })

      expect(await shows(ONE)).toEqual([true, true])
      expect(await world.differences()).toEqual([])
    })

    test('answers the same beside a site with HTTPS', async () => {
      expect((await create(TWO, { tls: 'self-signed' })).data).toEqual({
        status: 'ok',
        domain: TWO,
      })

      expect(await shows(TWO, 'https')).toEqual([true, true])
      expect(await world.differences()).toEqual([])
    })

    test('answers the same when sites are changed, deleted, restored and purged', async () => {
      const { body } = await world.enrolled.dashboard.call('GET', '/api/fleet/sites')
      const idOf = (domain: string) =>
        (body.sites as { id: number; domain: string }[]).find((found) => found.domain === domain)
          ?.id ?? 0
      await world.did('PATCH', site(idOf(ONE)), { tier: 'medium' })
      expect(await world.differences()).toEqual([])

      await world.did('DELETE', site(idOf(ONE)))
      expect(await world.differences()).toEqual([])

      await world.did('POST', `${site(idOf(ONE))}/restore`)
      expect(await world.differences()).toEqual([])
    })

    test('answers the same when its agent is reinstalled and uninstalled with its sites', async () => {
      const { host } = world
      await host.must(['hosting-agent', 'install'])
      expect(await world.differences()).toEqual([])

      const name = (await host.must(['cat', '/etc/hostname'])).trim()
      await host.must(['hosting-agent', 'uninstall', '--remove-sites', name], {
        timeout_ms: 3 * MINUTES,
      })
      expect(await world.differences()).toEqual([])
    })
  },
)

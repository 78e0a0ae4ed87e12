// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import {
  prepareDefaults,
  serveByApache,
  serveByNginx,
} from '#tests/support/system/existing/default-sites.ts'
import { type ExistingWorld, startExisting } from '#tests/support/system/existing/world.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const UNITS = ['php8.4-fpm', 'nginx', 'mariadb', 'cron'].map((unit) => `${unit}.service`)
const NEW = 'new.wild.test'

unless(lab.available() ?? lacking({ programs: ['curl'] })).describe(
  'a server as Debian makes it, with sites',
  () => {
    let world: ExistingWorld

    beforeAll(async () => {
      world = await startExisting('trixie', async (host) => {
        await prepareDefaults(host, 'trixie')
        return {
          asked: [
            ['of-nobody.test', '127.0.0.1'],
            ['of-nobody.test', '::1'],
            ['old.wild.test', '127.0.0.1'],
            ['re5.test', host.address],
          ],
          units: UNITS,
        }
      })
    }, 10 * MINUTES)
    afterAll(() => world?.enrolled.stop(), 5 * MINUTES)

    const call = (method: string, path: string, body?: unknown) =>
      world.enrolled.dashboard.call(method, world.enrolled.path(path), body)

    test(
      'names the program that uses the port of nginx, and installs nothing',
      async () => {
        await serveByApache(world.host)
        const before = await get(world.host, 'http://of-nobody.test/static.txt')

        const plan = await call('POST', '/provision', { dry_run: true })
        const { body } = await call('GET', '/conditions')

        expect([plan.status, plan.body.message]).toEqual([
          409,
          expect.stringMatching(
            /^Port 80 is in use by apache2, .* since they go offline when it stops$/,
          ),
        ])
        expect(body.conditions).toEqual([
          {
            code: 'port_http_taken',
            message: expect.stringContaining('apache2 listens on port 80'),
          },
        ])
        expect([before.status, before.body]).toEqual([200, 'html static\n'])
        expect(await get(world.host, 'http://of-nobody.test/static.txt')).toMatchObject({
          body: before.body,
        })
        await serveByNginx(world.host)
      },
      5 * MINUTES,
    )

    test(
      'answers the same after provisioning',
      async () => {
        const { event } = (await world.provision()) ?? {}
        expect(event).toBe('complete')

        expect(await changed()).toEqual([])
        const limits = ['systemctl', 'show', '-pRestart', '-pLimitNOFILE']
        expect(await world.host.must([...limits, 'nginx.service'])).toBe(
          'Restart=no\nLimitNOFILE=2048\n',
        )
        expect(await world.host.must([...limits, 'cron.service'])).toBe(
          'Restart=no\nLimitNOFILE=2048\n',
        )
      },
      5 * MINUTES,
    )

    /** The test restarted nginx above. */
    const changed = async () =>
      (await world.differences()).filter((line) => !line.includes('Id=nginx.service'))

    test(
      'takes a name from a wildcard only with consent',
      async () => {
        const site = { domain: NEW, tls: 'self-signed' }
        const { body } = await call('POST', '/sites', { ...site, dry_run: true })
        const { steps } = body.plan as { steps: { effects: { name: string; asks?: string }[] }[] }
        const effects = steps.flatMap((step) => step.effects)

        expect(effects.filter(({ asks }) => asks !== undefined)).toMatchObject([
          {
            name: `${NEW}, which /etc/nginx/sites-enabled/wild serves as *.wild.test`,
            asks: 'name_taken_over',
          },
          { asks: 'name_taken_over' },
        ])
        const created = await world.did('POST', world.enrolled.path('/sites'), {
          ...site,
          accept: ['name_taken_over'],
        })
        expect(created.data).toEqual({ status: 'ok', domain: NEW })
        expect((await get(world.host, `https://${NEW}/`)).body).toContain(`//${NEW}/`)
        expect(await changed()).toEqual([])
        expect((await get(world.host, 'https://tls.wild.test/static.txt')).body).toBe(
          'wild static\n',
        )
      },
      5 * MINUTES,
    )

    test(
      'reports that MariaDB hangs, and answers everything else meanwhile',
      async () => {
        const pid = (await world.host.must(['cat', '/run/mysqld/mysqld.pid'])).trim()
        await world.host.must(['kill', '-STOP', pid])
        // The last list of conditions is kept for some seconds.
        const frozen = async () => {
          const { body } = await call('GET', '/conditions')
          const codes = ((body.conditions ?? []) as { code: string }[]).map(({ code }) => code)
          return codes.includes('database_silent')
        }
        expect(await lab.poll(frozen, { every_ms: 2000, timeout_ms: 3 * MINUTES })).toBe(true)
        const events = await world.enrolled.dashboard.stream('POST', world.enrolled.path('/sync'))
        expect(events.at(-1)?.event).toBe('complete')
        await world.host.must(['kill', '-CONT', pid])

        expect(await changed()).toEqual([])
      },
      5 * MINUTES,
    )

    test(
      'answers the same when everything is uninstalled',
      async () => {
        const name = (await world.host.must(['cat', '/etc/hostname'])).trim()
        // What was remembered of the frozen MariaDB is over.
        await Bun.sleep(1000)
        await world.host.must(['hosting-agent', 'uninstall', '--remove-sites', name], {
          timeout_ms: 3 * MINUTES,
        })

        expect(await changed()).toEqual([])
        expect((await get(world.host, `http://${NEW}/static.txt`)).body).toBe('wild static\n')
      },
      5 * MINUTES,
    )
  },
)

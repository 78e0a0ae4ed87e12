// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { lacking, unless } from '#tests/support/skip.ts'
import { php, putSite } from '#tests/support/system/existing/sites.ts'
import { type ExistingWorld, startExisting } from '#tests/support/system/existing/world.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const WILD = (pass: string) => `server {
    listen 80;
    server_name *.wild.test ~^re[0-9]+\\.test$;
    root /var/www/wild;
    index index.php;
${php(pass)}
}
server {
    listen 443 ssl;
    server_name tls.wild.test;
    root /var/www/wild;
    index index.php;
    ssl_certificate /etc/nginx/wild.pem;
    ssl_certificate_key /etc/nginx/wild.key;
${php(pass)}
}
`

const OVERRIDE = '[Service]\nRestart=no\nLimitNOFILE=2048\n'

/**
 * A server with Debian's defaults: the pool www on its socket, pages in /var/www/html, a site with
 * a wildcard and a certificate, jobs, and an administrator's settings for units, apt and MariaDB.
 */
async function prepareDefaults(host: Host, suite: Suite): Promise<void> {
  const { php: version } = suites[suite]
  await putSite(host, 'html', '/var/www/html')
  await putSite(host, 'wild')
  await host.must(['mariadb'], {
    input: `CREATE DATABASE legacy; CREATE TABLE legacy.words (text VARCHAR(20));
INSERT INTO legacy.words VALUES ('from MariaDB');
CREATE USER legacy@localhost IDENTIFIED BY 'legacy'; GRANT ALL ON legacy.* TO legacy@localhost;`,
  })
  const key = ['-keyout', '/etc/nginx/wild.key', '-out', '/etc/nginx/wild.pem', '-days', '30']
  const subject = ['-subj', '/CN=tls.wild.test', '-nodes', '-newkey', 'rsa:2048']
  await host.must(['openssl', 'req', '-x509', ...subject, ...key])
  await host.put('/etc/nginx/sites-enabled/wild', WILD(`unix:/run/php/php${version}-fpm.sock`))
  await host.put('/etc/systemd/system/nginx.service.d/99-ours.conf', OVERRIDE)
  await host.put('/etc/systemd/system/cron.service.d/00-ours.conf', OVERRIDE)
  await host.put('/etc/mysql/mariadb.conf.d/60-ours.cnf', '[mariadbd]\nmax_connections = 33\n')
  await host.put('/etc/apt/apt.conf.d/50unattended-ours', 'Unattended-Upgrade::Mail "ops";\n')
  await host.put('/etc/cron.d/ours', '* * * * * root touch /run/ours\n')
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'restart', 'mariadb.service', 'cron.service'])
  await host.must(['systemctl', 'disable', '--now', 'apache2.service'])
  await host.must(['systemctl', 'restart', 'nginx.service'])
}

/** A foreign Apache on nginx's ports, with its own site. */
async function serveByApache(host: Host): Promise<void> {
  await host.must(['systemctl', 'stop', 'nginx.service'])
  await host.must(['systemctl', 'start', 'apache2.service'])
}

async function serveByNginx(host: Host): Promise<void> {
  await host.must(['systemctl', 'stop', 'apache2.service'])
  await host.must(['systemctl', 'start', 'nginx.service'])
}

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

    test('names the program that uses the port of nginx, and installs nothing', async () => {
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
    })

    test('answers the same after provisioning', async () => {
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
    })

    /** The test restarted nginx above. */
    const changed = async () =>
      (await world.differences()).filter((line) => !line.includes('Id=nginx.service'))

    test('takes a name from a wildcard only with consent', async () => {
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
      expect((await get(world.host, 'https://tls.wild.test/static.txt')).body).toBe('wild static\n')
    })

    test('reports that MariaDB hangs, and answers everything else meanwhile', async () => {
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
    })

    test('answers the same when everything is uninstalled', async () => {
      const name = (await world.host.must(['cat', '/etc/hostname'])).trim()
      // What was remembered of the frozen MariaDB is over.
      await Bun.sleep(1000)
      await world.host.must(['hosting-agent', 'uninstall', '--remove-sites', name], {
        timeout_ms: 3 * MINUTES,
      })

      expect(await changed()).toEqual([])
      expect((await get(world.host, `http://${NEW}/static.txt`)).body).toBe('wild static\n')
    })
  },
)

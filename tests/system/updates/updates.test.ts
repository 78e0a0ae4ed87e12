// tier: full
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { renderUnattended, UNATTENDED_FILE } from '#agent/features/updates/unattended.ts'
import { missingPackages } from '#agent/kernel/packages/packages.ts'
import type { Maintenance } from '#shared/updates/maintenance.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import type { Image } from '#tests/support/lab/disk.ts'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { preparePackaged } from '#tests/support/lab/packaged.ts'
import { unless } from '#tests/support/skip.ts'
import { endOf } from '#tests/support/system/dashboard.ts'
import { type Enrolled, installEnrolled } from '#tests/support/system/enrolled.ts'
import { PAGE, startLoad } from '#tests/support/system/load.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES, type Site } from '#tests/support/system/world.ts'

setDefaultTimeout(15 * MINUTES)

const ARCHIVE = '/srv/security'
const RELEASE = `Origin: Debian
Label: Debian-Security
Suite: stable-security
Codename: bookworm-security
`

/**
 * A newer version of an installed package, in an archive that apt takes for Debian's security
 * updates. Its files are the installed ones.
 */
async function publish(host: Host, name: string): Promise<void> {
  const script = [
    `mkdir -p ${ARCHIVE}`,
    `cd ${ARCHIVE}`,
    `dpkg-deb --raw-extract "$(ls /srv/debs/${name}_*.deb | head -n 1)" tree`,
    `sed -i 's/^Version: .*/&+security1/' tree/DEBIAN/control`,
    `dpkg-deb --build tree ${name}.deb >/dev/null`,
    'rm -r tree',
    `{ dpkg-deb --field ${name}.deb; echo "Filename: ./${name}.deb"; stat --format 'Size: %s' ${name}.deb; echo "SHA256: $(sha256sum ${name}.deb | cut -d ' ' -f 1)"; } > Packages`,
  ]
  await host.must(['sh', '-ec', script.join('\n')])
  const sum = await host.must(['sh', '-c', `cd ${ARCHIVE}; sha256sum Packages; wc -c Packages`])
  const [digest = ''] = sum.split(' ')
  const size = /^(\d+) Packages$/m.exec(sum)?.[1]
  await host.put(`${ARCHIVE}/Release`, `${RELEASE}SHA256:\n ${digest} ${size} Packages\n`)
  await host.put('/etc/apt/sources.list.d/security.list', `deb [trusted=yes] file:${ARCHIVE} ./\n`)
  await host.must(['apt-get', 'update', '-q'])
}

const PHP = '8.2'
const NAME = `php${PHP}-intl`
// dpkg-query replaces it by the version.
const SHOWN = '--showformat=$'.concat('{Version}')
const MORE = ['unattended-upgrades']

/** A server with unattended updates. */
async function updatable(): Promise<Image> {
  const packages = await missingPackages(fakeHost(), [PHP])
  const more = await morePackages('bookworm', MORE)
  return preparePackaged('bookworm', [...packages, ...MORE], more)
}

/** The daily run of Debian's apt-daily-upgrade.timer, as configured by the agent. */
function unattendedChecks(worldNow: () => Enrolled, siteNow: () => Site): void {
  test('an unattended security update reaches the site without a failed request', async () => {
    const { host, dashboard, path } = worldNow()
    const { docroot, user, domain } = siteNow()
    const unit = `hosting-fpm@${user}-php${PHP}.service`
    const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
    const versionOf = () => host.must(['dpkg-query', '--show', SHOWN, NAME])
    const maintenance = async () => {
      await dashboard.stream('POST', path('/sync'))
      const { body } = await dashboard.call('GET', path('/maintenance'))
      return body.maintenance as Maintenance
    }
    await host.put(UNATTENDED_FILE, renderUnattended(true))
    await host.put(`${docroot}/load.php`, PAGE)
    await host.must(['chown', `${user}:www-data`, `${docroot}/load.php`])
    await publish(host, NAME)
    const load = startLoad(host, `http://${domain}/load.php`, 20)
    await lab.poll(() => load.answers.good > 20, { timeout_ms: 3 * MINUTES })
    const [before, version] = [await host.must(show), await versionOf()]

    const env = { DEBIAN_FRONTEND: 'noninteractive' }
    const upgrade = ['unattended-upgrade', '-v']
    const said = await host.must(upgrade, { env, timeout_ms: 10 * MINUTES })

    expect(said).toMatch(new RegExp(`Packages that (will be|were) upgraded: ${NAME}`))
    expect(await versionOf()).toBe(`${version}+security1`)
    const renewed = async () => ![before, '0\n'].includes(await host.must(show))
    expect(await lab.poll(renewed, { every_ms: 500, timeout_ms: 3 * MINUTES })).toBe(true)
    const { good, bad } = await load.stop()
    expect([bad, good > 20]).toEqual([[], true])

    const isDone = async () => {
      const { last_update, old_files } = await maintenance()
      const isShown = last_update?.packages.includes(NAME)
      return isShown && old_files.every(({ kind }) => kind === 'other')
    }
    expect(await lab.poll(isDone, { every_ms: 2000, timeout_ms: 3 * MINUTES })).toBe(true)
    const { packages, unattended } = await maintenance()
    expect(packages.filter(({ security }) => security)).toEqual([])
    expect(unattended).toMatchObject({ enabled: true, source: 'hosting-control' })
  })
}

const DOMAIN = 'updated.example.test'
/** As dpkg replaces it: another file under the same name. Its package is not in the archive of the lab. */
const REPLACE_OPENSSL =
  'for f in /usr/lib/*/libssl.so.3; do cp -pL $f $f.new; mv $f.new "$(readlink -f $f)"; done'
const OURS = ['php-fpm8.2', 'nginx', 'cron', 'hosting-agent']

unless(lab.available()).describe('a server that gets updates', () => {
  let world: Enrolled
  let site: Site
  const figures: string[] = []

  beforeAll(async () => {
    world = await installEnrolled('bookworm', { image: await updatable() })
    const { call, stream } = world.dashboard
    await stream('POST', world.path('/provision'), {})
    const created = await call('POST', world.path('/sites'), { domain: DOMAIN, tls: 'none' })
    expect((await endOf(world.dashboard, created)).event).toBe('complete')
    await stream('POST', world.path('/sync'))
    const { body } = await call('GET', world.path(`/sites/${Object(created.body.site).id}`))
    site = body.site as Site
  }, 10 * MINUTES)
  afterAll(async () => {
    console.log(figures.join('\n'))
    await world?.stop()
  }, 10 * MINUTES)

  const mainPid = async (unit: string) => {
    const show = ['systemctl', 'show', '--property=MainPID', '--value', unit]
    return (await world.host.must(show)).trim()
  }
  const serves = async () => {
    const page = await get(world.host, `http://${DOMAIN}/?now=${Date.now()}`)
    return page.status === 200
  }
  const units = () => ({
    nginx: 'nginx.service',
    mariadb: 'mariadb.service',
    cron: 'cron.service',
    php: `hosting-fpm@${site.user}-php${PHP}.service`,
    agent: 'hosting-agent.service',
    front: 'hosting-agent-front.service',
  })

  test.each(['nginx', 'mariadb', 'cron', 'php', 'agent', 'front'] as const)(
    '%s is restarted after kill -9',
    async (name) => {
      const unit = units()[name]
      const before = await mainPid(unit)
      const start = performance.now()
      await world.host.must(['kill', '-9', before])

      await lab.poll(
        async () => {
          const active = await world.host.exec(['systemctl', 'is-active', '--quiet', unit])
          return active.code === 0 && ![before, '0'].includes(await mainPid(unit))
        },
        { every_ms: 100, timeout_ms: 3 * MINUTES },
      )

      figures.push(`${name}: back ${Math.round(performance.now() - start)} ms after kill -9`)
      expect(await lab.poll(() => serves().catch(() => false), { timeout_ms: 3 * MINUTES })).toBe(
        true,
      )
    },
  )

  /** Our programs that have mapped deleted files; MariaDB waits for a request. */
  const deleted = async () => {
    const script = 'grep -l "r-xp.*(deleted)" /proc/[0-9]*/maps 2>/dev/null || true'
    const paths = (await world.host.must(['sh', '-c', script])).split('\n').filter(Boolean)
    const names = await Promise.all(
      paths.map((path) => world.host.exec(['cat', path.replace('/maps', '/comm')])),
    )
    return names.map(({ stdout }) => stdout.trim()).filter((name) => OURS.includes(name))
  }
  const report = () =>
    JSON.parse(readFileSync(`${world.host.root}/var/lib/hosting-agent/maintenance.json`, 'utf8'))
      .maintenance

  test('new packages of PHP, nginx and OpenSSL reach running programs without a failed request', async () => {
    const { host } = world
    await host.put(`${site.docroot}/load.php`, PAGE)
    await host.must(['chown', `${site.user}:www-data`, `${site.docroot}/load.php`])
    const load = startLoad(host, `http://${DOMAIN}/load.php`, 20)
    await lab.poll(() => load.answers.good > 20, { timeout_ms: 3 * MINUTES })
    const [php, nginx] = [await mainPid(units().php), await mainPid(units().nginx)]
    const listed = await host.must(['dpkg', '--get-selections', `php${PHP}-*`])
    const names = [...listed.matchAll(/^(\S+)\s+install$/gm)].map(([, name = '']) => name)
    await host.must(['sh', '-ec', REPLACE_OPENSSL])
    const start = performance.now()
    const installing = host.must(
      ['apt-get', 'install', '--reinstall', '-y', '-q', ...names, 'mariadb-server-core'],
      {
        env: { DEBIAN_FRONTEND: 'noninteractive' },
        timeout_ms: 10 * MINUTES,
      },
    )
    // The agent may restart PHP before apt ends.
    const seen: string[] = []
    let isInstalled = false
    const look = async () => seen.push(...(await deleted())) >= 0 && isInstalled
    const watching = lab.poll(look, { every_ms: 250, timeout_ms: 11 * MINUTES })
    await installing
    isInstalled = true
    await watching
    const installed_ms = Math.round(performance.now() - start)
    const long = get(host, `http://${DOMAIN}/load.php?long`)

    await lab.poll(
      async () => (await mainPid(units().php)) !== php && (await deleted()).length === 0,
      { every_ms: 500, timeout_ms: 3 * MINUTES },
    )

    const { good, bad } = await load.stop()
    expect((await long).body).toStartWith('answered by ')
    figures.push(
      `reinstall: ${installed_ms} ms, then ${seen.length} old processes (${[...new Set(seen)]}); all new after ${Math.round(performance.now() - start)} ms; ${good} requests answered`,
    )
    expect(bad).toEqual([])
    expect(await deleted()).toEqual([])
    expect(seen).toContain('php-fpm8.2')
    expect(await mainPid(units().nginx)).not.toBe(nginx)
    expect(good).toBeGreaterThan(100)
    const ours = () =>
      (report().old_files as Maintenance['old_files']).filter(({ kind }) => kind !== 'other')
    await lab.poll(() => ours().every(({ name }) => name === 'mariadb'), {
      timeout_ms: 3 * MINUTES,
    })
    expect(ours()).toMatchObject([
      { name: 'mariadb', problem: 'A restart interrupts sites for some seconds: request it' },
    ])
  })

  test('security updates are listed, planned and installed, MariaDB only with consent', async () => {
    const { host, dashboard } = world
    await publish(host, `php${PHP}-bcmath`)
    const before = await mainPid(units().php)
    const input = { restart_database: true }
    const planned = await dashboard.call('POST', world.path('/update'), {
      ...input,
      dry_run: true,
    })

    const events = await dashboard.stream('POST', world.path('/update'), input)

    const effects = [{ action: 'change', kind: 'package', name: `php${PHP}-bcmath` }]
    expect(planned.body.plan).toMatchObject({
      steps: [{ name: 'packages', effects }, { name: 'restarts' }],
    })
    expect(events.at(-1)).toMatchObject({
      event: 'complete',
      data: {
        packages: [`php${PHP}-bcmath`],
        restarted: ['mariadb', `php-fpm:${site.user}`],
        reboot_needed: false,
      },
    })
    expect(await mainPid(units().php)).not.toBe(before)
    await dashboard.stream('POST', world.path('/sync'))
    const { body } = await dashboard.call('GET', world.path('/maintenance'))
    const { maintenance } = body as { maintenance: Maintenance }
    const pending = maintenance.packages.filter(({ security }) => security)
    const ours = maintenance.old_files.filter(({ kind }) => kind !== 'other')
    expect([pending, ours, maintenance.last_update?.packages]).toEqual([
      [],
      [],
      [`php${PHP}-bcmath`],
    ])
    expect(await lab.poll(serves, { timeout_ms: 3 * MINUTES })).toBe(true)
  })

  unattendedChecks(
    () => world,
    () => site,
  )
})

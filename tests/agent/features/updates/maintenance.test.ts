import { beforeEach, expect, test } from 'bun:test'
import { socketOf } from '#agent/features/php/fpm-files.ts'
import { readMaintenance } from '#agent/features/updates/maintenance-state.ts'
import { BASE_PATH } from '#agent/features/web/base-file.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { writeSite } from '#agent/kernel/site/sites.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { repeatRound } from '#tests/support/agent/rounds.ts'
import { tableOf } from '#tests/support/commands.ts'
import { FakeHost } from '#tests/support/fake-host.ts'

const MINUTE = 60_000
const unitOf = (user: string) => `hosting-fpm@${user}-php8.2.service`

/** A server on which dpkg has replaced what the programs of these users run. */
class Server extends FakeHost {
  readonly reported: string[] = []
  readonly old = new Set<string>()
  dpkg = Date.UTC(2026, 0, 1)
  /** A restart does not help. */
  stubborn = false

  constructor() {
    super()
    const { stat } = this.disk
    this.disk.stat = async (path) => {
      const found = await stat.call(this.disk, path)
      return found && path === '/var/lib/dpkg/status' ? { ...found, mtime_ms: this.dpkg } : found
    }
    const { run } = this.shell
    this.shell.run = async (argv, options) => {
      const output = await run(argv, options)
      const user = /^systemctl restart hosting-fpm@(.+)-php8\.2\.service$/.exec(argv.join(' '))?.[1]
      if (user !== undefined && !this.stubborn) this.old.delete(user)
      this.#map()
      return output
    }
  }

  async begin(...users: string[]): Promise<void> {
    await this.disk.write(BASE_PATH, '')
    await this.disk.write('/var/lib/dpkg/status', 'Package: nginx\nStatus: install ok installed\n')
    for (const [at, user] of users.entries()) {
      await writeSite(this, { ...shop, user, domain: `${user}.example` })
      await this.disk.write(socketOf({ user, php: '8.2' }), '')
      await this.disk.write(`/proc/${100 + at}/cgroup`, `0::/x/${unitOf(user)}\n`)
    }
  }

  /** dpkg has just replaced what these users run. */
  replace(...users: string[]): void {
    for (const user of users) this.old.add(user)
    this.dpkg = this.time
    this.#map()
  }

  /** Takes exactly this time; in the middle of it, something happens. */
  async keepFor(ms: number, happens?: () => void): Promise<void> {
    const end = this.time + ms
    const middle = this.time + ms / 2
    const { sleep } = this.clock
    let left = happens
    this.clock.sleep = async (pause) => {
      await sleep(pause)
      if (this.time > middle) {
        left?.()
        left = undefined
      }
      if (this.time > end) throw new Error('over')
    }
    const runner = new Runner({ host: this, commands: tableOf({}), report: () => undefined })
    const report = (error: unknown) => this.reported.push(String(error))
    await repeatRound(this, 'restart of updated programs', report, { runner }).catch(
      (error: Error) => expect(error.message).toBe('over'),
    )
    this.clock.sleep = sleep
  }

  get restarted(): string[] {
    return this.ran.filter((line) => line.startsWith('systemctl restart'))
  }

  #map(): void {
    const users = ['one', 'two', 'three']
    const lines = [...this.old].map((user) => `/proc/${100 + users.indexOf(user)}/maps: r-xp`)
    this.answer('grep', lines.join('\n'))
  }
}

let host: Server
beforeEach(async () => {
  host = new Server()
  await host.begin('one', 'two', 'three')
})

test('restarts programs with replaced files, one site after another, once dpkg is done', async () => {
  host.replace('one', 'two', 'three')
  await host.disk.write('/proc/77/comm', 'dpkg\n')
  await host.keepFor(MINUTE)
  expect(host.restarted).toEqual([])

  await host.disk.remove('/proc/77')
  await host.keepFor(MINUTE)

  expect(host.restarted).toEqual(
    ['one', 'two', 'three'].map((user) => `systemctl restart ${unitOf(user)}`),
  )
  expect(await readMaintenance(host)).toMatchObject({ old_files: [] })
  expect(host.reported).toEqual([])
})

test('waits for packages that are unpacked and not configured, with a limit', async () => {
  host.replace('one')
  await host.disk.write(
    '/var/lib/dpkg/status',
    'Package: php\nStatus: install ok half-configured\n',
  )
  await host.keepFor(5 * MINUTE)
  expect(host.restarted).toEqual([])

  await host.keepFor(10 * MINUTE)

  expect(host.restarted).toEqual([`systemctl restart ${unitOf('one')}`])
})

test('pauses after a failure, reports it, and retries ten minutes later', async () => {
  host.replace('one', 'two', 'three')
  host.fail('/usr/sbin/php-fpm8.2 --test', 'unable to load module')
  await host.keepFor(5 * MINUTE)

  const problem = 'PHP-FPM refuses the configuration of one: unable to load module'
  expect(host.restarted).toEqual([])
  expect(await readMaintenance(host)).toMatchObject({
    old_files: [
      { name: 'php-fpm:one', problem },
      { name: 'php-fpm:two', problem: '' },
      { name: 'php-fpm:three', problem: '' },
    ],
  })
  expect(host.reported.length).toBe(1)

  host.answer('/usr/sbin/php-fpm8.2 --test', '')
  await host.keepFor(15 * MINUTE)

  expect(host.restarted.length).toBe(3)
  expect(await readMaintenance(host)).toMatchObject({ old_files: [] })
})

test('does not restart a program again that still uses old files after a restart', async () => {
  host.stubborn = true
  host.replace('one')
  await host.keepFor(90 * MINUTE)

  expect(host.restarted).toEqual([`systemctl restart ${unitOf('one')}`])
  expect(await readMaintenance(host)).toMatchObject({
    old_files: [{ problem: 'It was restarted, and still runs replaced files: reboot the server' }],
  })

  host.stubborn = false
  host.replace('one')
  await host.keepFor(5 * MINUTE)

  expect(host.restarted.length).toBe(2)
})

test('checks again after each change of dpkg, and otherwise once an hour', async () => {
  const checks = () => host.ran.filter((line) => line.includes('--simulate')).length
  await host.keepFor(50 * MINUTE)
  const first = checks()

  await host.keepFor(5 * MINUTE, () => host.replace('two'))

  expect(first).toBe(1)
  expect(host.restarted).toEqual([`systemctl restart ${unitOf('two')}`])
})

test('does nothing on a server that is not provisioned', async () => {
  await host.disk.remove(BASE_PATH)
  host.replace('one')

  await host.keepFor(90 * MINUTE)

  expect(host.ran).toEqual([])
})

test('adds automatic restarts that are missing, and starts failed services', async () => {
  const units = `Names=nginx.service\nActiveState=failed\n\nNames=mariadb.service\nActiveState=inactive\n`
  host.answer('systemctl show --property=Names,ActiveState', units)

  await host.keepFor(MINUTE)

  const drop_in = await host.disk.read('/etc/systemd/system/nginx.service.d/hosting.conf')
  expect(drop_in).toContain('Restart=on-failure\n')
  const commands = host.ran.filter((line) => / (reset-failed|start) /.test(line))
  expect(commands).toEqual([
    'systemctl reset-failed nginx.service',
    'systemctl start nginx.service',
  ])
})

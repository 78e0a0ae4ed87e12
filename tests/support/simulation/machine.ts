import type { Probe } from '#agent/host/ports.ts'
import { packagesOf } from '#agent/os/packages/packages.ts'
import { fpmService, socketOf } from '#agent/os/php/fpm-files.ts'
import { Mariadb } from '#scripts/demo/machine/mariadb.ts'
import { debian, installed, runs } from '#tests/support/agent/debian.ts'
import type { FakeDisk } from '#tests/support/fake-disk.ts'
import { FakeHost } from '#tests/support/fake-host.ts'
import type { Dice } from './dice.ts'
import { SimulatedDisk } from './disk.ts'

const BASE = [
  ['/run/nginx.pid', 11, 'nginx'],
  ['/run/mysqld/mysqld.pid', 12, 'mariadbd'],
  ['/run/crond.pid', 13, 'cron'],
] as const
const WANTS = '/etc/systemd/system/multi-user.target.wants/'
const ENABLED = '/etc/nginx/sites-enabled/'

/** A server as it stands there, whatever becomes of its agent: disk, databases and what runs. */
export class Machine {
  readonly disk: SimulatedDisk
  /** Database → whether the tables of WordPress are in it. */
  readonly databases = new Map<string, boolean>()
  readonly mariadb = new Mariadb({
    has: (name) => this.databases.has(name),
    create: (name) => void this.databases.set(name, false),
    drop: (name) => void this.databases.delete(name),
  })
  /** Users that nobody logs in as any more. */
  readonly closed = new Set<string>()
  /** What nginx serves since it was last told to read its files: path → text. */
  served = new Map<string, string>()
  /** How far the clock is from the truth. */
  skew = 0
  /** Called with what was changed: a path, a user, a database. */
  seen: (what: string) => void = () => undefined
  /** True: this program or statement fails now. */
  unlucky: (what: string) => boolean = () => false

  constructor(disk: SimulatedDisk) {
    this.disk = disk
    this.readNginx()
  }

  /** Programs that were running are gone, and what the machine starts by itself is there. */
  losePower(dice: Dice): void {
    this.disk.losePower(dice)
    for (const folder of ['/run', '/sys', '/proc/11', '/proc/12', '/proc/13', '/proc/20'])
      void this.disk.remove(folder)
    for (const [path, pid, name] of BASE) runs(asHost(this.disk), path, pid, name)
    for (const path of [...this.disk.nodes.keys()])
      if (path.startsWith(WANTS)) this.startPool(path.slice(WANTS.length))
    this.readNginx()
    this.disk.settle()
  }

  readNginx(): void {
    const { nodes } = this.disk
    this.served = new Map()
    for (const [path, { text }] of nodes) {
      if (!path.startsWith(ENABLED)) continue
      const target = nodes.get(text)
      if (target) this.served.set(text, target.text)
    }
  }

  /** False: there is nothing to start it with. */
  startPool(unit: string): boolean {
    const pool = poolOf(unit)
    const path = `/etc/systemd/system/${unit}`
    if (!pool || !this.disk.nodes.has(path)) return false
    void this.disk.write(socketOf(pool), '')
    runs(asHost(this.disk), fpmService(pool).processes, 20, 'php-fpm8.2')
    return true
  }

  stopPool(unit: string): void {
    const pool = poolOf(unit)
    if (!pool) return
    void this.disk.remove(fpmService(pool).processes)
    void this.disk.remove(socketOf(pool))
  }

  /** As a visitor sees it: nginx has to know the site, PHP has to run and WordPress its tables. */
  probe({ host }: Probe): { status: number; body: string; headers: Record<string, string> } {
    const text = [...this.served.values()].find((vhost) => vhost.includes(` ${host}`)) ?? ''
    const [, socket = ''] = /unix:([^;\s]+\.sock)/.exec(text) ?? []
    const user = this.userBehind(socket)
    const whole = this.disk.nodes.has(socket) && this.databases.get(user) === true
    const body = whole ? `<a href="http://${host}/">` : 'Welcome to nginx'
    return { status: text === '' ? 404 : 200, body, headers: {} }
  }

  /** Of the pool that listens there; the name of a socket tells nothing. */
  private userBehind(socket: string): string {
    const configs = [...this.disk.nodes].filter(([path]) => path.endsWith('/pool.conf'))
    const config = configs.find(([, { text }]) => text.includes(`listen = ${socket}\n`))
    return /^user = "(.+)"$/m.exec(config?.[1].text ?? '')?.[1] ?? ''
  }
}

/** `hosting-fpm@shop-php8.2.service` */
function poolOf(unit: string): { user: string; php: string } | undefined {
  const [, user, php] = /^hosting-fpm@(.+)-php(\d\.\d)\.service$/.exec(unit) ?? []
  return user !== undefined && php !== undefined ? { user, php } : undefined
}

/** The helpers that write files of Debian want a host; only its disk matters to them. */
function asHost(disk: FakeDisk): FakeHost {
  return Object.assign(Object.create(FakeHost.prototype), { disk, files: disk })
}

/** Debian 12 with two versions of PHP and a WordPress in the cache of the agent; not provisioned yet. */
export function bareMachine(): Machine {
  const host = debian()
  const { disk } = host
  const { state_dir, wp_cli_sha512 } = host.settings
  const core = `${state_dir}/cache/wordpress`
  const status = disk.nodes.get('/var/lib/dpkg/status')
  const text = `${status?.text}\n${installed(packagesOf('8.4'))}`
  const at = Date.UTC(2030, 0, 1)
  const kept = JSON.stringify({ version: '7.1.1', sha1: '0'.repeat(40), at })
  for (const [path, written] of [
    ['/var/lib/dpkg/status', text],
    ['/usr/sbin/php-fpm8.4', ''],
    ['/usr/local/lib/hosting/wp-cli.phar', ''],
    ['/usr/local/lib/hosting/wp-cli.phar.sha512', wp_cli_sha512],
    [`${core}/7.1.1/index.php`, '<?php // core'],
    [`${core}/latest.json`, kept],
  ] as const)
    void disk.write(path, written)
  return new Machine(SimulatedDisk.of(disk.nodes))
}

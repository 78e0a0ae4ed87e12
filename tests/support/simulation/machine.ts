import type { ProbeRequest } from '#agent/kernel/host/ports.ts'
import { CachedDisk } from '#agent/kernel/host/simulated/cached-disk.ts'
import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { Mariadb } from '#agent/kernel/host/simulated/mariadb.ts'
import { textOf } from '#agent/kernel/host/simulated/nodes.ts'
import { startUnit } from '#agent/kernel/host/simulated/programs/services.ts'

import { packagesOf } from '#agent/kernel/packages/packages.ts'
import { debian, installed, startDaemons } from '#tests/support/agent/debian.ts'

const WANTS = '/etc/systemd/system/multi-user.target.wants'
const ENABLED = '/etc/nginx/sites-enabled'
const POOLS = '/etc/hosting/fpm'

/** A server independent of its agent: disk, databases and running programs. */
export class Machine {
  readonly disk: CachedDisk
  /** Database → whether it has the tables of WordPress. */
  readonly mariadb = new Mariadb<boolean>(() => false)
  readonly databases = this.mariadb.databases
  /** The files that nginx has served since its last reload: path → text. */
  served = new Map<string, string>()
  /** The error of the clock. */
  skew = 0
  /** Called with each change: a path, a user, a database. */
  seen: (what: string) => void = () => undefined
  /** True: this program or statement fails now. */
  unlucky: (what: string) => boolean = () => false

  constructor(disk: Disk) {
    this.disk = new CachedDisk(disk)
    this.disk.guard = (action) => this.seen(action)
    this.readNginx()
  }

  /** Running programs end, and those that start at boot are there. */
  losePower(dice: Dice): void {
    const { disk } = this
    disk.losePower(dice)
    const pids = disk.names('/proc').filter((name) => /^\d+$/.test(name))
    for (const path of ['/run', '/sys', ...pids.map((pid) => `/proc/${pid}`)]) disk.drop(path)
    startDaemons(disk)
    for (const unit of disk.names(WANTS)) startUnit(disk, unit)
    this.readNginx()
    disk.sync()
  }

  readNginx(): void {
    this.served = new Map()
    for (const name of this.disk.names(ENABLED)) {
      const node = this.disk.find(`${ENABLED}/${name}`)
      const target = node?.kind === 'link' ? node.target : ''
      const text = this.disk.text(target)
      if (text !== undefined) this.served.set(target, text)
    }
  }

  /** A visitor's request: nginx has to know the site, PHP has to run and WordPress its tables. */
  probe({ host }: ProbeRequest): { status: number; body: string; headers: Record<string, string> } {
    const text = [...this.served.values()].find((vhost) => vhost.includes(` ${host}`)) ?? ''
    const [, socket = ''] = /unix:([^;\s]+\.sock)/.exec(text) ?? []
    const user = this.userBehind(socket)
    const whole = this.disk.find(socket) !== undefined && this.databases.get(user) === true
    const body = whole ? `<a href="http://${host}/">` : 'Welcome to nginx'
    return { status: text === '' ? 404 : 200, body, headers: {} }
  }

  /** The user of the pool on that socket; its name does not show it. */
  private userBehind(socket: string): string {
    for (const [path, node] of this.disk.walk(this.disk.find(POOLS), POOLS)) {
      const text = path.endsWith('/pool.conf') && node.kind === 'file' ? textOf(node) : ''
      if (text.includes(`listen = ${socket}\n`)) return /^user = "(.+)"$/m.exec(text)?.[1] ?? ''
    }
    return ''
  }
}

/** Debian 12 with two versions of PHP and a WordPress in the cache of the agent; not provisioned yet. */
export function bareMachine(): Machine {
  const host = debian()
  const { disk } = host
  const { state_dir, wp_cli_sha512 } = host.settings
  const core = `${state_dir}/cache/wordpress`
  const text = `${disk.text('/var/lib/dpkg/status')}\n${installed(packagesOf('8.4'))}`
  const at = Date.UTC(2030, 0, 1)
  const kept = JSON.stringify({ version: '7.1.1', digest: '0'.repeat(40), at })
  for (const [path, written] of [
    ['/var/lib/dpkg/status', text],
    ['/usr/sbin/php-fpm8.4', ''],
    ['/usr/local/lib/hosting/wp-cli.phar', ''],
    ['/usr/local/lib/hosting/wp-cli.phar.sha512', wp_cli_sha512],
    [`${core}/7.1.1/index.php`, '<?php // core'],
    [`${core}/latest.json`, kept],
  ] as const)
    disk.putText(path, written)
  return new Machine(disk)
}

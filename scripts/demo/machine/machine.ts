import { debianDisk } from '#agent/kernel/host/simulated/debian-disk.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { Mariadb } from '#agent/kernel/host/simulated/mariadb.ts'
import type { FleetPlan, ServerPlan } from '#scripts/demo/fleet/plan.ts'
import type { Kit } from '#scripts/demo/wordpress/kit.ts'
import type { PendingPackage } from '#shared/updates/maintenance.ts'
import { Load } from './load.ts'

/** A database is one of MariaDB; without a kit it has no tables. */
export interface Database {
  kit: Kit | undefined
  /** Its tables do not answer. */
  broken: boolean
  bytes: number
}

/** Time as a machine has it. */
export interface Time {
  now(): number
  elapsed(): number
  /** The time for which work is computed: it stands still during readings. */
  loadTime(): number
}

/** A machine is a simulated server: its disk, its databases and its running programs. */
export class Machine {
  readonly plan: ServerPlan
  readonly disk: Disk
  readonly load: Load
  readonly mariadb = new Mariadb<Database>(() => ({ kit: undefined, broken: false, bytes: 4096 }))
  readonly databases = this.mariadb.databases
  /** Units of systemd that have failed or were stopped manually. */
  readonly failed = new Set<string>()
  readonly stopped = new Set<string>()
  /** Sites whose names no longer resolve to this server, so that no authority accepts them. */
  readonly unresolved = new Set<string>()
  /** The upgrades that apt offers. */
  pending: PendingPackage[] = []
  /** The bytes of a site, by its user. */
  readonly sizes = new Map<string, number>()
  readonly time: Time
  readonly #ticks: { at: number; busy: number; total: number }

  constructor({ seed }: Pick<FleetPlan, 'seed'>, plan: ServerPlan, time: Time) {
    this.plan = plan
    this.time = time
    this.disk = debianDisk(() => time.now())
    this.disk.room = { ...plan.disk }
    this.load = new Load(`${seed} ${plan.name}`, plan.load)
    this.#ticks = { at: time.now(), busy: 0, total: 0 }
  }

  /** Returns the text of /proc/stat (proc(5)), finer than that of the kernel. */
  stat(): string {
    const ticks = this.#ticks
    const now = this.time.now()
    const passed = Math.max(0, now - ticks.at) * 1000 * this.plan.cores
    ticks.busy += passed * this.load.at(this.time.loadTime())
    ticks.total += passed
    ticks.at = now
    const [busy, idle] = [Math.round(ticks.busy), Math.round(ticks.total - ticks.busy)]
    return `cpu  ${busy} 0 0 ${idle} 0 0 0 0 0 0\n`
  }

  loadavg(): string {
    const now = this.time.loadTime()
    const averages = [0, 150_000, 450_000].map((ago) => this.load.at(now - ago) * this.plan.cores)
    return `${averages.map((value) => (value * 1.1).toFixed(2)).join(' ')} 1/300 4242\n`
  }

  meminfo(): string {
    const total = this.plan.memory * 1024
    const used = memoryShare(this.load.slow(this.time.loadTime()))
    return `MemTotal:       ${total} kB\nMemAvailable:   ${Math.round(total * (1 - used))} kB\n`
  }

  uptime(): string {
    return `${Math.round((this.plan.age % 90) * 86_400 + this.time.elapsed() / 1000)}.00 0.00\n`
  }
}

/** Returns the used memory of a server with this load. */
export const memoryShare = (load: number): number => Math.min(0.95, 0.28 + load * 0.6)

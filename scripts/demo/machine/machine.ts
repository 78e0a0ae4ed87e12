import { debianDisk } from '#agent/kernel/host/simulated/debian-disk.ts'
import { hashOf } from '#agent/kernel/host/simulated/dice.ts'
import type { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { Mariadb } from '#agent/kernel/host/simulated/mariadb.ts'
import type { FleetPlan, ServerPlan } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS } from '#scripts/demo/time.ts'
import type { Kit } from '#scripts/demo/wordpress.ts'
import type { PendingPackage } from '#shared/updates/maintenance.ts'

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

/** The distance between the points of a curve, and the weight of each kind. */
const WAVES = [
  [7 * DAY_MS, 0.12],
  [6 * 3_600_000, 0.14],
  [40 * 60_000, 0.12],
  [4 * 60_000, 0.16],
] as const

/**
 * Computes the load of a server at a time, from 0 to 1: higher by day than by night and on Sundays,
 * with variation. The same server at the same time always has the same load.
 */
export class Load {
  readonly #seed: string
  readonly #level: number

  constructor(seed: string, level: number) {
    this.#seed = seed
    this.#level = level
  }

  at(ms: number): number {
    const hour = (ms % DAY_MS) / 3_600_000
    const day = 0.5 - 0.5 * Math.cos(((hour - 4) / 24) * 2 * Math.PI)
    const sunday = new Date(ms).getUTCDay() === 0 ? 0.75 : 1
    const noise = WAVES.reduce((sum, [step, weight]) => sum + weight * this.#wave(ms, step), 0)
    const value = this.#level * sunday * (0.35 + 0.9 * day) * (1 + 2 * noise)
    return Math.min(0.98, Math.max(0.01, value))
  }

  /** Returns the average load in the hour around a time, which memory follows. */
  slow(ms: number): number {
    const steps = [-2, -1, 0, 1, 2].map((step) => this.at(ms + step * 12 * 60_000))
    return steps.reduce((sum, value) => sum + value, 0) / steps.length
  }

  /** Returns a value from -0.5 to 0.5, smooth between its points. */
  #wave(ms: number, step: number): number {
    const place = Math.floor(ms / step)
    const part = ms / step - place
    const smooth = part * part * (3 - 2 * part)
    const before = this.#point(step, place)
    return before + (this.#point(step, place + 1) - before) * smooth
  }

  #point(step: number, place: number): number {
    return hashOf(`${this.#seed} ${step} ${place}`) / 2 ** 32 - 0.5
  }
}

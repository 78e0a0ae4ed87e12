import type { Host } from '#agent/kernel/host/ports.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { PHP_LIMITS, PHP_RANGES, type PhpLimit } from '#shared/kernel/php-values.ts'
import type { PhpSettings } from '#shared/sites/site-settings.ts'
import { TIER_SIZES } from '#shared/sites/tiers.ts'

/** The limits of a tier in MB and seconds; PHP, nginx and the slice use the same. */
export interface TierLimits {
  children: number
  /** The numbers of idle workers that are kept ready: PHP-FPM adds those for a burst one by one. */
  spare: { start: number; min: number; max: number }
  /** The seconds without a visitor after which PHP-FPM stops until the next one; 0 for never. */
  sleep: number
  requests: number
  /** The planned memory of one busy worker. */
  worker: number
  memory_limit: number
  execution_time: number
  upload: number
  input_vars: number
  opcache: { memory: number; files: number; strings: number }
  slice: { memory_high: number; memory_max: number; cpu_weight: number; tasks: number }
  cache: { keys: number; size: number }
  disk: DiskLimits
}

/**
 * The disk limits of a site's files and database. A site above them is reported; if the file system
 * has user quotas, the kernel enforces them for its files.
 */
export interface DiskLimits {
  /** The bytes of the files and the database together. */
  bytes: number
  /** Files, folders and links: each takes an inode. */
  files: number
}

const GB = 1e9

function defaultPhpLimits(tier: Tier): Pick<TierLimits, PhpLimit> {
  const { memory_limit, upload, execution_time, input_vars } = PHP_RANGES[tier]
  return {
    memory_limit: memory_limit.usual,
    upload: upload.usual,
    execution_time: execution_time.usual,
    input_vars: input_vars.usual,
  }
}

/**
 * The limits of the tiers. The editor and the admin pages send parallel requests: with fewer than
 * four workers they stall. `pm = ondemand` is not used: a request that arrives while its last idle
 * worker ends waits in the queue until the next request, and a burst often starts only one worker.
 */
const TIERS: Record<Tier, TierLimits> = {
  small: {
    children: TIER_SIZES.small.processes,
    spare: { start: 2, min: 1, max: 3 },
    sleep: 900,
    requests: 500,
    worker: 64,
    ...defaultPhpLimits('small'),
    opcache: { memory: 96, files: 10_000, strings: 8 },
    slice: { memory_high: 512, memory_max: TIER_SIZES.small.all, cpu_weight: 50, tasks: 128 },
    cache: { keys: 5, size: 64 },
    disk: { bytes: 10 * GB, files: 250_000 },
  },
  medium: {
    children: TIER_SIZES.medium.processes,
    spare: { start: 2, min: 2, max: 4 },
    sleep: 3600,
    requests: 1000,
    worker: 80,
    ...defaultPhpLimits('medium'),
    opcache: { memory: 128, files: 20_000, strings: 16 },
    slice: { memory_high: 1024, memory_max: TIER_SIZES.medium.all, cpu_weight: 100, tasks: 256 },
    cache: { keys: 10, size: 256 },
    disk: { bytes: 25 * GB, files: 500_000 },
  },
  large: {
    children: TIER_SIZES.large.processes,
    spare: { start: 5, min: 3, max: 8 },
    sleep: 0,
    requests: 1000,
    worker: 96,
    ...defaultPhpLimits('large'),
    opcache: { memory: 256, files: 50_000, strings: 32 },
    slice: { memory_high: 2560, memory_max: TIER_SIZES.large.all, cpu_weight: 200, tasks: 512 },
    cache: { keys: 20, size: 1024 },
    disk: { bytes: 100 * GB, files: 2_000_000 },
  },
}

/** The number of cores, and memory in MB. */
export interface MachineSize {
  cores: number
  memory: number
}

/** Reads /proc; returns one core and 1 GB without that information. */
export async function machineOf({ files }: Host): Promise<MachineSize> {
  const info = (await files.read('/proc/meminfo')) ?? ''
  const cpus = (await files.read('/proc/cpuinfo')) ?? ''
  const total = /^MemTotal:\s+(\d+) kB$/m.exec(info)?.[1]
  return {
    cores: Math.max(1, cpus.match(/^processor\s*:/gm)?.length ?? 1),
    memory: total === undefined ? 1024 : Math.floor(Number(total) / 1024),
  }
}

export const diskLimits = (tier: Tier): DiskLimits => TIERS[tier].disk

/** Returns the tier as this machine supports it: fewer workers on few cores or little memory. */
export function tierLimitsOn(tier: Tier, machine: MachineSize): TierLimits {
  const limits = TIERS[tier]
  const affordable = Math.floor(budgetOf(machine) / limits.worker)
  const byCores = Math.max(4, 5 * machine.cores)
  const children = Math.max(2, Math.min(limits.children, byCores, affordable))
  const { start, min, max } = limits.spare
  const most = Math.floor(machine.memory * 0.8)
  const memory_high = Math.min(limits.slice.memory_high, Math.floor(most * 0.8))
  const memory_max = Math.min(limits.slice.memory_max, most)
  const fit = (count: number) => Math.min(count, children)
  return {
    ...limits,
    children,
    spare: { start: fit(start), min: fit(min), max: fit(max) },
    slice: { ...limits.slice, memory_high, memory_max },
  }
}

interface LimitedSite {
  tier: Tier
  settings?: { php_settings?: PhpSettings | undefined } | undefined
}

/** Returns the limits of the tier with the settings of the site, which a smaller tier bounds. */
export function siteLimitsOn({ tier, settings }: LimitedSite, machine: MachineSize): TierLimits {
  const limits = tierLimitsOn(tier, machine)
  const asked = settings?.php_settings
  if (!asked) return limits
  const set = PHP_LIMITS.map((name) => {
    const { most } = PHP_RANGES[tier][name]
    return [name, Math.min(asked[name] ?? limits[name], most)]
  })
  return { ...limits, ...Object.fromEntries(set) }
}

/**
 * Returns the limits of a site's database account: connections for its workers, its jobs and
 * wp-cli, and seconds for one statement, which no request exceeds.
 */
export function databaseLimits({ children, execution_time }: TierLimits) {
  return { connections: Math.max(15, 3 * children), statement_time: execution_time }
}

/** Returns the memory for PHP workers: without system, MariaDB (128 MB of buffers) and a tenth. */
export function budgetOf({ memory }: MachineSize): number {
  return Math.max(0, Math.floor(memory * 0.9) - 256 - 128)
}

/** Returns the memory that these sites would need if all their workers were busy at once. */
export function plannedFor(tiers: readonly Tier[], machine: MachineSize): number {
  const limits = tiers.map((tier) => tierLimitsOn(tier, machine))
  return limits.reduce((sum, { children, worker }) => sum + children * worker, 0)
}

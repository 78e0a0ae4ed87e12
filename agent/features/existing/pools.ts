import { type PoolFile, poolFiles } from '#agent/features/existing/web/fpm-files.ts'
import { fastcgiAddress } from '#agent/features/existing/web/virtual-host.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Process } from '#agent/kernel/host/processes/processes.ts'
import { machineOf, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { TIERS } from '#shared/kernel/values.ts'

/** A PHP-FPM pool of the machine, managed or not. */
export interface FoundPool {
  user: string
  /** Empty when two stopped masters would both have it, or its program is unknown. */
  php: string
  children: number
}

export type FindPool = (address: string) => FoundPool | undefined

/** Finds the pool behind an address of FastCGI (see `fastcgiAddress`).. */
export async function findPools(
  host: Host,
  processes: readonly Process[],
  addresses: readonly string[],
  files?: readonly PoolFile[],
): Promise<FindPool> {
  const pools = poolsIn(files ?? (await poolFiles(host, processes)), processes.length > 0)
  const unknown = [...new Set(addresses)].filter((each) => each.startsWith('/') && !pools.has(each))
  const links = await realPaths(host, unknown)
  return (address) => pools.get(address) ?? pools.get(links.get(address) ?? '')
}

/** Prefers a pool of a running master to a configured one, whose port may be a container's. */
function poolsIn(files: readonly PoolFile[], sees_running: boolean): Map<string, FoundPool> {
  const pools = new Map<string, FoundPool & { running: boolean }>()
  for (const { text, php, running } of files) {
    for (const [address, found] of parsePools(text)) {
      const known = pools.get(address)
      if (known?.running || (!running && sees_running && !address.startsWith('/'))) continue
      const clash = known !== undefined && !running && known.php !== php
      pools.set(address, { ...found, php: clash ? '' : php, running })
    }
  }
  return pools
}

/** Resolves links: `/run/php/php-fpm.sock` is one of Debian's alternatives. */
async function realPaths(host: Host, paths: readonly string[]): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map()
  const { stdout } = await host.shell.try(['realpath', '-mz', '--', ...paths])
  const targets = stdout.split('\0')
  return new Map(paths.map((path, at) => [path, fastcgiAddress(targets[at] ?? '')]))
}

/** Parses the pools of one file of php-fpm.conf(5); `$pool` is the name of the section. */
function parsePools(text: string): [string, Omit<FoundPool, 'php'>][] {
  return text.split(/^[ \t]*\[/m).flatMap((section) => {
    const end = section.indexOf(']')
    const name = section.slice(0, end).trim()
    const listen = socketOf(section, name)
    if (end < 0 || listen === undefined || name === 'global') return []
    const user = settingOf(section, 'user')?.replaceAll('$pool', name) ?? ''
    const children = Number(settingOf(section, 'pm.max_children') ?? 0)
    const any = listen.replace(/^(0\.0\.0\.0|\[::\]|\*):/, '127.0.0.1:')
    return [[fastcgiAddress(any), { user, children: Number.isFinite(children) ? children : 0 }]]
  })
}

/** Returns the path of the socket; a relative one is below the pool's `prefix`, else unknown. */
function socketOf(section: string, pool: string): string | undefined {
  const listen = settingOf(section, 'listen')?.replaceAll('$pool', pool)
  if (listen === undefined || /^\/|^\d+$|:/.test(listen)) return listen
  const prefix = settingOf(section, 'prefix')?.replaceAll('$pool', pool)
  return prefix?.startsWith('/') ? `${prefix}/${listen}` : undefined
}

/** Finds the tier with the nearest number of workers on this machine; small without a number. */
export async function tierFinder(host: Host): Promise<(children: number) => Tier> {
  const machine = await machineOf(host)
  const sizes = TIERS.map((tier) => ({ tier, children: tierLimitsOn(tier, machine).children }))
  return (children) => {
    if (children <= 0) return 'small'
    const distance = (size: { children: number }) => Math.abs(size.children - children)
    return sizes.reduce((best, size) => (distance(size) < distance(best) ? size : best)).tier
  }
}

function settingOf(section: string, key: string): string | undefined {
  const line = new RegExp(`^[ \\t]*${key.replace('.', '\\.')}[ \\t]*=[ \\t]*([^;\\n]*)`, 'm')
  const value = line.exec(section)?.[1]?.trim()
  return value?.replace(/^"(.*)"$/, '$1')
}

import type { Tier } from '#shared/fields.ts'
import { TIERS } from '#shared/values.ts'
import type { Host } from '../host/ports.ts'
import { FPM_FOLDER } from './php-fpm-files.ts'
import { limitsOn, machineOf } from './tiers.ts'

/** A PHP-FPM pool of the machine, ours or not. */
export interface FoundPool {
  user: string
  php: string
  children: number
}

const DEBIAN = '/etc/php'

/** Pools by what they listen on, from /etc/php/<version>/fpm/pool.d and our own folder. */
export async function poolsBySocket(host: Host): Promise<Map<string, FoundPool>> {
  const files = [...(await debianFiles(host)), ...(await ownFiles(host))]
  const pools = new Map<string, FoundPool>()
  await Promise.all(
    files.map(async ({ path, php }) => {
      const text = await host.files.read(path).catch(() => undefined)
      for (const [socket, pool] of parsePools(text ?? '', php)) pools.set(socket, pool)
    }),
  )
  return pools
}

/** The pools of one file of php-fpm.conf(5); `$pool` is the name of the section. */
function parsePools(text: string, php: string): [string, FoundPool][] {
  return text.split(/^[ \t]*\[/m).flatMap((section) => {
    const end = section.indexOf(']')
    const name = section.slice(0, end).trim()
    const listen = settingOf(section, 'listen')?.replaceAll('$pool', name)
    if (end < 0 || listen === undefined || name === 'global') return []
    const user = settingOf(section, 'user')?.replaceAll('$pool', name) ?? ''
    const children = Number(settingOf(section, 'pm.max_children') ?? 0)
    const socket = /^\d+$/.test(listen) ? `127.0.0.1:${listen}` : listen
    return [[socket, { user, php, children: Number.isFinite(children) ? children : 0 }]]
  })
}

/** The tier whose number of workers is nearest on this machine; small without a number. */
export async function tierFinder(host: Host): Promise<(children: number) => Tier> {
  const machine = await machineOf(host)
  const sizes = TIERS.map((tier) => ({ tier, children: limitsOn(tier, machine).children }))
  return (children) => {
    if (children <= 0) return 'small'
    const distance = (size: { children: number }) => Math.abs(size.children - children)
    return sizes.reduce((best, size) => (distance(size) < distance(best) ? size : best)).tier
  }
}

async function debianFiles(host: Host): Promise<{ path: string; php: string }[]> {
  const versions = (await host.files.list(DEBIAN))
    .map(({ name }) => name)
    .filter((name) => /^\d\.\d+$/.test(name))
  const folders = await Promise.all(
    versions.map(async (php) => {
      const folder = `${DEBIAN}/${php}/fpm/pool.d`
      const entries = await host.files.list(folder)
      return entries
        .filter(({ name }) => name.endsWith('.conf'))
        .map(({ name }) => ({ path: `${folder}/${name}`, php }))
    }),
  )
  return folders.flat()
}

async function ownFiles(host: Host): Promise<{ path: string; php: string }[]> {
  return (await host.files.list(FPM_FOLDER)).flatMap(({ name }) => {
    const php = /-(\d\.\d+)\.conf$/.exec(name)?.[1]
    return php === undefined ? [] : [{ path: `${FPM_FOLDER}/${name}`, php }]
  })
}

function settingOf(section: string, key: string): string | undefined {
  const line = new RegExp(`^[ \\t]*${key.replace('.', '\\.')}[ \\t]*=[ \\t]*([^;\\n]*)`, 'm')
  return line
    .exec(section)?.[1]
    ?.trim()
    .replace(/^"(.*)"$/, '$1')
}

import { Dice } from '#agent/host/simulated/dice.ts'
import { makeKits } from '#scripts/demo/wordpress/kits.ts'
import packed from '../../../package.json' with { type: 'json' }
import { makeSite } from './make-site.ts'
import { Names, serverNames } from './names.ts'
import { type FleetPlan, type Role, roleOf, type ServerPlan } from './plan.ts'

/** An earlier version of the agent. */
const FORMER = '0.0.9'
const GB = 2 ** 30
const REGION_TAGS: Record<string, string> = { fra: 'eu', ams: 'eu', hel: 'eu', nyc: 'us' }
const PURPOSES = ['shops', 'agency', 'staging'] as const

/** The same fleet for the same seed and size. */
export function makeFleet(seed: string, size: { servers: number; sites: number }): FleetPlan {
  const dice = new Dice(seed)
  const around = { dice, names: new Names(dice), kits: makeKits(dice) }
  const servers = Array.from({ length: size.servers }, (_, at) => makeServer(dice, at))
  const homes = servers.filter(({ role }) => role !== 'pending')
  for (let at = 0; at < size.sites && homes.length > 0; at++) {
    const server = homes[at % homes.length]
    server?.sites.push(makeSite(around, server, server.sites.length))
  }
  return { seed, servers }
}

function makeServer(dice: Dice, at: number): ServerPlan {
  const { name, hostname, region } = serverNames(at)
  const role = roleOf(at)
  const debian = at % 3 === 2 ? 13 : 12
  const cores = dice.pick([2, 4, 4, 8])
  const total = dice.pick([80, 160, 160, 320]) * GB
  return {
    ...{ name, hostname, role, debian, cores },
    version: role === 'legacy' ? FORMER : packed.version,
    tags: [REGION_TAGS[region] ?? 'eu', ...purposeOf(dice, role)],
    php: phpOf(role, debian),
    memory: cores * 4096,
    disk: { total, free: role === 'full' ? 380 * 2 ** 20 : total * dice.between(0.25, 0.7) },
    load: dice.between(0.15, 0.6),
    age: 60 + dice.below(500),
    sites: [],
  }
}

/** An added server: Debian, and nothing on it. */
export function newServer(hostname: string): ServerPlan {
  const dice = new Dice(hostname)
  return { ...makeServer(dice, 0), name: hostname, hostname, tags: [], load: 0.05, age: 1 }
}

function purposeOf(dice: Dice, role: Role): string[] {
  if (role === 'legacy') return ['production', 'legacy']
  if (role === 'pending') return ['new']
  return ['production', dice.pick(PURPOSES)]
}

/** The distribution's version comes first; the others are from a PHP repository. */
function phpOf(role: Role, debian: 12 | 13): [string, ...string[]] {
  const shipped = debian === 12 ? '8.2' : '8.4'
  if (role === 'legacy') return [shipped, '7.4', '8.0']
  return debian === 12 ? [shipped, '8.3'] : [shipped, '8.3', '8.2']
}

import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { type Kit, makeKits } from '#scripts/demo/wordpress.ts'
import { apexOf } from '#shared/kernel/names.ts'
import packed from '../../../package.json' with { type: 'json' }
import {
  type FleetPlan,
  type Role,
  roleOf,
  type ServerPlan,
  type SitePlace,
  type SitePlan,
} from './plan.ts'

/** An earlier version of the agent. */
const FORMER = '0.0.9'
const GB = 2 ** 30
const REGION_TAGS: Record<string, string> = { fra: 'eu', ams: 'eu', hel: 'eu', nyc: 'us' }
const PURPOSES = ['shops', 'agency', 'staging'] as const

/** Returns the same fleet for the same seed and size. */
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

/** Returns an added server: Debian, and nothing on it. */
export function newServer(hostname: string): ServerPlan {
  const dice = new Dice(hostname)
  return { ...makeServer(dice, 0), name: hostname, hostname, tags: [], load: 0.05, age: 1 }
}

function purposeOf(dice: Dice, role: Role): string[] {
  if (role === 'legacy') return ['production', 'legacy']
  if (role === 'pending') return ['new']
  return ['production', dice.pick(PURPOSES)]
}

/** Returns the versions of PHP on a server, of which the distribution has the first. */
function phpOf(role: Role, debian: 12 | 13): [string, ...string[]] {
  const shipped = debian === 12 ? '8.2' : '8.4'
  if (role === 'legacy') return [shipped, '7.4', '8.0']
  return debian === 12 ? [shipped, '8.3'] : [shipped, '8.3', '8.2']
}

interface Surroundings {
  dice: Dice
  names: Names
  kits: readonly [Kit, ...Kit[]]
}

const MB = 2 ** 20
const TIERS = ['small', 'small', 'small', 'medium', 'medium', 'large'] as const
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

/** Makes a site. `at` is the number of earlier sites on the server. */
function makeSite({ dice, names, kits }: Surroundings, server: ServerPlan, at: number): SitePlan {
  const name = names.domain()
  const staging_of = liveOf(server, at)
  const domain = staging_of === undefined ? name : `preview.${apexOf(staging_of)}`
  const trouble = troubleOf(server, at)
  const managed = trouble !== 'foreign'
  return {
    domain,
    ...(staging_of !== undefined && { staging_of }),
    user: userOf(domain, dice),
    php: phpFor(dice, server, managed),
    tier: managed ? tierFor(dice, trouble) : 'small',
    tls: isUnresolved(trouble) ? 'letsencrypt' : tlsFor(dice, domain),
    email: managed ? `webmaster@${domain}` : '',
    kit: dice.pick(kits),
    place:
      trouble === 'trashed' || trouble === 'missing' || trouble === 'failed' ? trouble : 'served',
    managed,
    broken: trouble === 'database',
    stopped: trouble === 'php',
    unresolved: isUnresolved(trouble),
    prefix: `${dice.text(LETTERS, 6)}_`,
    size: sizeFor(dice, trouble),
    age: Math.min(server.age - 1, 1 + dice.below(server.age)),
    certificate: certificateFor(dice, trouble),
    scanned: dice.chance(0.85) ? dice.below(20 * 24) : undefined,
  }
}

/** The second site of some servers is a staging site of the first one. */
function liveOf({ role, sites }: ServerPlan, at: number): string | undefined {
  return role === 'plain' && at === 1 ? sites[0]?.domain : undefined
}

type Trouble =
  | Exclude<SitePlace, 'served'>
  | ('none' | 'database' | 'php' | 'foreign' | 'unresolved' | 'refused' | 'large' | 'too-large')

/** By position, so that a fleet of any size has a few of each. */
const TROUBLES: Partial<Record<ServerPlan['role'], Record<number, Trouble>>> = {
  failed: { 0: 'php', 1: 'database' },
  legacy: { 0: 'large', 1: 'missing' },
  full: { 0: 'too-large', 2: 'failed' },
  plain: { 3: 'trashed', 5: 'unresolved', 7: 'refused' },
}

function troubleOf({ role }: ServerPlan, at: number): Trouble {
  if (role === 'foreign' && at % 2 === 0) return 'foreign'
  return TROUBLES[role]?.[at] ?? 'none'
}

function phpFor(dice: Dice, { php, role }: ServerPlan, managed: boolean): string {
  if (!managed) return php[0]
  if (role === 'legacy' && dice.chance(0.7)) return dice.pick(['7.4', '8.0'])
  return dice.chance(0.75) ? php[0] : dice.pick(php)
}

function tlsFor(dice: Dice, domain: string): SitePlan['tls'] {
  if (domain.startsWith('staging.')) return 'self-signed'
  return dice.chance(0.92) ? 'letsencrypt' : 'none'
}

const isUnresolved = (trouble: Trouble) => trouble === 'unresolved' || trouble === 'refused'

/**
 * Returns the remaining days of a certificate, which is renewed at a third of 90 days: fewer days
 * mean failed renewals; 0: there never was one.
 */
function certificateFor(dice: Dice, trouble: Trouble): number {
  if (trouble === 'unresolved') return 3 + dice.below(6)
  const days = 31 + dice.below(58)
  return trouble === 'refused' ? 0 : days
}

function tierFor(dice: Dice, trouble: Trouble): SitePlan['tier'] {
  const tier = dice.pick(TIERS)
  return SIZES[trouble] === undefined ? tier : 'small'
}

/** These sizes are in MB, beside the 10 GB of a small site. */
const SIZES: { [T in Trouble]?: number } = { large: 8300, 'too-large': 11_400 }

function sizeFor(dice: Dice, trouble: Trouble): number {
  const size = Math.round(dice.between(60, 2400))
  return (SIZES[trouble] ?? size) * MB
}

const FIRST =
  'amber anchor apple aspen autumn basil beacon birch blue bramble bright brook cedar cherry clover coast copper coral corner cotton crane crystal daisy dawn delta ember fern field fig forest garden ginger golden granite green grove harbour hazel hill honey indigo iris ivory jade juniper lake lantern larch lemon lilac lime linden lotus lunar maple marble meadow mill mint moss north oak ocean olive opal orchard oyster pearl pebble pepper pine plum poppy quartz rain red reed ridge river robin rose ruby rye saffron sage salt sand silver sky slate snow spruce star stone storm summer sun thistle thyme tide timber topaz valley velvet violet walnut west willow wind winter wren'.split(
    ' ',
  )
const SECOND =
  'academy antiques atelier bakery barbers bicycles bikes books brewery bulbs cafe candles carpets ceramics cheese chocolate cinema clinic clocks clothing coffee crafts cycles dairy dance deli dental design diner drums events fabrics farm films fitness florist flowers food frames furniture gallery games gardens gifts glass guitars hats herbs hotel housing interiors jewellery kayaks kitchen knives lamps lighting linen maps market media music nursery optics outdoor paints paper pets photos pizza plants podcast pottery press prints records roastery sailing school shoes skates soap spa spices stationery studio surf tea theatre tiles tools tours toys travel vets vineyard violins watches wine wool yoga'.split(
    ' ',
  )
const ENDS = ['.example', '.example', '.example', '.example.com', '.example.org', '.example.net']
const SUBS = ['shop', 'blog', 'staging', 'news', 'docs', 'events', 'kb', 'club']
const REGIONS = ['fra', 'ams', 'hel', 'nyc'] as const

/** Makes names that are all different, with or without `www.`. */
class Names {
  readonly #dice: Dice
  readonly #taken = new Set<string>()

  constructor(dice: Dice) {
    this.#dice = dice
  }

  domain(): string {
    let domain = this.#candidate()
    while (this.#taken.has(domain)) domain = this.#candidate()
    this.#taken.add(domain)
    return domain
  }

  #candidate(): string {
    const dice = this.#dice
    const word = (words: readonly string[]) => words[dice.below(words.length)] ?? ''
    const name = `${word(FIRST)}-${word(SECOND)}${word(ENDS)}`
    return dice.chance(0.12) ? `${word(SUBS)}.${name}` : name
  }
}

/** Returns the dashboard's name for the user of a site. */
function userOf(domain: string, dice: Dice): string {
  const slug = (domain.split('.')[0] ?? '').replace(/[^a-z0-9]/g, '').slice(0, 20)
  return slug + dice.text('abcdefghijklmnopqrstuvwxyz0123456789', 6)
}

/** Returns a name such as `fra-web-01`, and its DNS name. */
function serverNames(at: number): { name: string; hostname: string; region: string } {
  const region = REGIONS[at % REGIONS.length] ?? 'fra'
  const number = String(Math.floor(at / REGIONS.length) + 1).padStart(2, '0')
  return {
    name: `${region}-web-${number}`,
    hostname: `web-${number}.${region}.example.net`,
    region,
  }
}

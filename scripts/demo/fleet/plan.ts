import type { Kit } from '#scripts/demo/wordpress/kit.ts'
import type { Tier, TlsMode } from '#shared/fields.ts'

/** What is the matter with a server. */
export type Role =
  | 'plain'
  | 'full'
  | 'failed'
  | 'legacy'
  | 'offline'
  | 'flaky'
  | 'pending'
  | 'foreign'

/** Where a site is: `missing` and `failed` ones are on record alone. */
export type SiteFate = 'served' | 'trashed' | 'missing' | 'failed'

export interface SitePlan {
  domain: string
  user: string
  php: string
  tier: Tier
  tls: TlsMode
  email: string
  kit: Kit
  place: SiteFate
  /** False: somebody else put it there, and the agent found it. */
  managed: boolean
  /** Its database does not answer. */
  broken: boolean
  /** Its PHP has failed. */
  stopped: boolean
  prefix: string
  /** Its name does not lead here any more: its certificate could not be renewed. */
  astray: boolean
  /** Bytes of files and database. */
  size: number
  /** Days ago. */
  age: number
  /** Days that are left of its certificate; 0: it was refused, and there never was one. */
  certificate: number
  /** Hours ago; undefined: never. */
  scanned: number | undefined
}

export interface ServerPlan {
  name: string
  hostname: string
  tags: string[]
  role: Role
  /** Of its agent. */
  version: string
  debian: 12 | 13
  php: [string, ...string[]]
  cores: number
  /** MB */
  memory: number
  /** Bytes. */
  disk: { free: number; total: number }
  /** How busy it is on the whole, from 0 to 1. */
  load: number
  /** Days ago. */
  age: number
  sites: SitePlan[]
}

export interface FleetPlan {
  seed: string
  servers: ServerPlan[]
}

/** A role that a server has by its place in the fleet, so that a name stands for a story. */
const ROLES: readonly Role[] = [
  ...(['plain', 'full', 'failed', 'legacy', 'offline', 'flaky', 'foreign'] as const),
  'plain',
  'plain',
  'plain',
  'plain',
  'pending',
]

export const roleOf = (at: number): Role => ROLES[at] ?? 'plain'

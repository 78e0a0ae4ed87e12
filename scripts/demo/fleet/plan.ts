import type { Kit } from '#scripts/demo/wordpress.ts'
import type { Tier, TlsMode } from '#shared/kernel/fields.ts'

/** The problem of a server. */
export type Role =
  | 'plain'
  | 'full'
  | 'failed'
  | 'legacy'
  | 'offline'
  | 'flaky'
  | 'pending'
  | 'foreign'

/** The location of a site: `missing` and `failed` ones are only in the records. */
export type SitePlace = 'served' | 'trashed' | 'missing' | 'failed'

export interface SitePlan {
  domain: string
  user: string
  php: string
  tier: Tier
  tls: TlsMode
  email: string
  kit: Kit
  place: SitePlace
  /** The live site of a staging site. */
  staging_of?: string
  /** Whether the agent created it; otherwise the site is a discovered one. */
  managed: boolean
  /** Its database does not answer. */
  broken: boolean
  /** Its PHP has failed. */
  stopped: boolean
  prefix: string
  /** Its name no longer resolves to this server: its certificate could not be renewed. */
  unresolved: boolean
  /** The bytes of files and database. */
  size: number
  /** The age in days. */
  age: number
  /** The remaining days of its certificate; 0: it was refused, and there never was one. */
  certificate: number
  /** The hours since its scan; undefined: never. */
  scanned: number | undefined
}

export interface ServerPlan {
  name: string
  hostname: string
  tags: string[]
  role: Role
  /** The version of its agent. */
  version: string
  debian: 12 | 13
  php: [string, ...string[]]
  cores: number
  /** The memory in MB. */
  memory: number
  /** The disk in bytes. */
  disk: { free: number; total: number }
  /** Its average load, from 0 to 1. */
  load: number
  /** The age in days. */
  age: number
  sites: SitePlan[]
}

export interface FleetPlan {
  seed: string
  servers: ServerPlan[]
}

/** A role that a server has by its position in the fleet, so that a name stands for a story. */
const ROLES: readonly Role[] = [
  ...(['plain', 'full', 'failed', 'legacy', 'offline', 'flaky', 'foreign'] as const),
  ...(['plain', 'plain', 'plain', 'plain', 'pending'] as const),
]

export const roleOf = (at: number): Role => ROLES[at] ?? 'plain'

/** Returns whether a server is offline until somebody brings it back. */
export const isOffline = ({ role }: ServerPlan): boolean => role === 'offline' || role === 'flaky'

/** A site that its agent has created and serves. */
export const isServed = ({ place, managed }: SitePlan): boolean => managed && place === 'served'

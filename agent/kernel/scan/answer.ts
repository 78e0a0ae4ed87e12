import { createHash } from 'node:crypto'
import type {
  Application,
  DatabaseAnswer,
  Limit,
  Read,
  ScannedWordpress,
  SiteReader,
  TenantSite,
} from '#agent/kernel/host/scanner-port.ts'
import type { Inventory, UnknownUpdates } from '#shared/kernel/inventory.ts'
import { bounded } from './bounded.ts'
import { databaseAnswerOf } from './database-answer.ts'
import { type Reading, readSettings, readSite, readVersion } from './reading.ts'
import { readReported } from './reported.ts'
import type { OpenTree } from './site-tree.ts'
import {
  healthQuery,
  isReachedByTcp,
  type OptionsQuery,
  optionsQuery,
  optionsVersion,
} from './wp-options.ts'
import { inventoryOf } from './wp-scan.ts'
import { stateOf, type WpState } from './wp-updates.ts'

/** The access of a scan to a site: with the rights of the site, and within a budget. */
export interface Access {
  /** The socket of the local MariaDB: no other server is ever connected to. */
  socket: string
  /** Name of the user that the docroot belongs to, empty where there is none. */
  owner(site: TenantSite): string
  /** Runs synchronous `work` that only reads, with the rights of the site. */
  read<T>(site: TenantSite, work: (open: OpenTree) => T): { value: T; limit: Limit }
  query(query: OptionsQuery): Promise<readonly Record<string, unknown>[]>
}

interface Found {
  reading: Reading
  limit: Limit
}

const NO_UPDATES = { plugins: null, themes: null, core: null }

/** The answers about sites. Each reads the files before it returns, then queries the database. */
export function scannerOn(access: Access): SiteReader {
  const find = (site: TenantSite, facts: string | undefined, read: typeof readSite): Found => {
    if (facts !== undefined) return { reading: readReported(facts), limit: null }
    const { value, limit } = access.read(site, (open) => read(open, site.docroot))
    return { reading: value, limit }
  }
  const read = async <T>(
    site: TenantSite,
    { reading, limit }: Found,
    answer: T,
  ): Promise<Read<T>> => {
    // The site's PHP would not know more about a too large tree, and its answer has no limit.
    const isWhole = limit !== 'entries' || answer === undefined
    const unsure = reading.unsure !== null && isWhole
    return { answer, unsure, owner: unsure ? access.owner(site) : '' }
  }
  return {
    async inventory(site, facts) {
      const found = find(site, facts, readSite)
      const { reading, limit } = found
      if (reading.framework !== 'wordpress' && reading.unsure !== null) {
        return read(site, found, undefined)
      }
      const inventory = await inventoryIn(access, found)
      return read<ScannedWordpress>(site, found, bounded({ inventory, limit }))
    },
    async application(site, facts) {
      const owner = access.owner(site)
      const found = find(site, facts, readSite)
      const answer = { owner, limit: found.limit, ...(await described(access, found)) }
      return read(site, found, answer)
    },
    async database(site, facts) {
      const found = find(site, facts, readVersion)
      const answer = await databaseOf(access, found.reading)
      return {
        ...(await read(site, found, answer)),
        ...(answer.state !== 'none' && { unsure: false }),
      }
    },
    async databasePassword(site, facts) {
      const found = find(site, facts, readSettings)
      const value = found.reading.config?.constants.get('DB_PASSWORD')
      const password = typeof value === 'number' ? String(value) : value
      const answer = typeof password === 'string' ? password : undefined
      return {
        ...(await read(site, found, answer)),
        ...(answer !== undefined && { unsure: false }),
      }
    },
  }
}

async function described(
  access: Access,
  found: Found,
): Promise<Omit<Application, 'owner' | 'limit'>> {
  const { framework, config } = found.reading
  if (framework !== 'wordpress') {
    return { framework, wp_version: '', db_name: '', updates: NO_UPDATES }
  }
  const { wp_version, updates, unknown_because } = await inventoryIn(access, found)
  const db_name = String(config?.constants.get('DB_NAME') ?? '').slice(0, 255)
  return { framework, wp_version, db_name, updates, ...(unknown_because && { unknown_because }) }
}

/** The reasons of unknown values after the report of the site. */
const UNSURE = {
  config: 'config_failed',
  environment: 'config_environment',
  folders: 'folders',
} as const
const NO_FILES = { wp_version: '', plugins: [], themes: [], cached: false, gaps: false }

async function inventoryIn(access: Access, { reading, limit }: Found): Promise<Inventory> {
  const files = reading.files ?? NO_FILES
  const { state, why } = await readState(access, reading)
  const inventory = inventoryOf(files, state, limit)
  if (!Object.values(inventory.updates).includes(null) || reading.framework !== 'wordpress') {
    return inventory
  }
  const own = reading.unsure && UNSURE[reading.unsure]
  const read = limit === null ? own : 'limit'
  const cached = files.cached ? 'object_cache' : undefined
  return { ...inventory, unknown_because: read ?? cached ?? why ?? 'not_checked' }
}

async function databaseOf(
  access: Access,
  { framework, config, version }: Reading,
): Promise<DatabaseAnswer> {
  const query = framework === 'wordpress' && config && healthQuery(config, access.socket)
  if (!query || typeof query === 'string') return { state: 'none' }
  try {
    const rows = await access.query(query)
    if (version === undefined) return { state: 'answers' }
    const hash = createHash('sha256').update(`${version} ${optionsVersion(rows)}`)
    return { state: 'answers', version: hash.digest('base64url') }
  } catch (error) {
    return databaseAnswerOf(error)
  }
}

/** Empty if the database is remote, refuses the account or does not answer in time. */
async function readState(
  access: Access,
  { config }: Reading,
): Promise<{ state: WpState; why?: UnknownUpdates }> {
  const query = config ? optionsQuery(config, access.socket) : 'incomplete'
  if (query === 'incomplete') return { state: {}, why: 'config_incomplete' }
  if (query === 'elsewhere') return { state: {}, why: 'database_elsewhere' }
  const rows = await access.query(query).catch(() => undefined)
  if (!rows) return { state: {}, why: 'database' }
  const other = query.tcp && !isReachedByTcp(rows)
  return other ? { state: {}, why: 'database_elsewhere' } : { state: stateOf(rows) }
}

import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { FolderEntry } from '#agent/kernel/host/ports.ts'
import type {
  Application,
  DatabaseAnswer,
  ScanLimit,
  ScannedWordpress,
  ScanReading,
  SiteReader,
  TenantSite,
} from '#agent/kernel/host/scanner-port.ts'
import type { Extension, Inventory, UnknownUpdates } from '#shared/kernel/inventory.ts'
import { databaseAnswerOf } from './database-answer.ts'
import { type FoundConfig, openSite, readWpConfig, type SiteRoot } from './site-root.ts'
import type { OpenTree, SiteTree } from './site-tree.ts'
import type { WpConfig } from './wp-config.ts'
import { extensionsIn, extensionsOf, versionIn, type WpFiles } from './wp-files.ts'
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
export interface ScanAccess {
  /** The socket of the local MariaDB, the only server that is ever connected to. */
  socket: string
  /** Returns the name of the user that the docroot belongs to; empty without one. */
  owner(site: TenantSite): string
  /** Runs synchronous `work` that only reads, with the rights of the site. */
  read<T>(site: TenantSite, work: (open: OpenTree) => T): { value: T; limit: ScanLimit }
  query(query: OptionsQuery): Promise<readonly Record<string, unknown>[]>
}

interface LimitedReading {
  reading: SiteReading
  limit: ScanLimit
}

const NO_UPDATES = { plugins: null, themes: null, core: null }

/** Answers about sites: reads the files before it returns, then queries the database. */
export function scannerOn(access: ScanAccess): SiteReader {
  const find = (
    site: TenantSite,
    facts: string | undefined,
    read: typeof readSite,
  ): LimitedReading => {
    if (facts !== undefined) return { reading: readReported(facts), limit: null }
    const { value, limit } = access.read(site, (open) => read(open, site.docroot))
    return { reading: value, limit }
  }
  const read = async <T>(
    site: TenantSite,
    { reading, limit }: LimitedReading,
    answer: T,
  ): Promise<ScanReading<T>> => {
    // The site's PHP would not find out more about a too large tree, and its answer has no limit.
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
      return read<ScannedWordpress>(site, found, withBoundedLists({ inventory, limit }))
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
  access: ScanAccess,
  found: LimitedReading,
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

async function inventoryIn(
  access: ScanAccess,
  { reading, limit }: LimitedReading,
): Promise<Inventory> {
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
  access: ScanAccess,
  { framework, config, version }: SiteReading,
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

/** Returns nothing if the database is remote, refuses the account or does not answer in time. */
async function readState(
  access: ScanAccess,
  { config }: SiteReading,
): Promise<{ state: WpState; why?: UnknownUpdates }> {
  const query = config ? optionsQuery(config, access.socket) : 'incomplete'
  if (query === 'incomplete') return { state: {}, why: 'config_incomplete' }
  if (query === 'elsewhere') return { state: {}, why: 'database_elsewhere' }
  const rows = await access.query(query).catch(() => undefined)
  if (!rows) return { state: {}, why: 'database' }
  const other = query.tcp && !isReachedByTcp(rows)
  return other ? { state: {}, why: 'database_elsewhere' } : { state: stateOf(rows) }
}

/** The maximum number of characters of each list of an inventory, for a short reading. */
const MAX_LISTS = 1 << 19

/** Shortens unrealistic lists; the number of updates is then unknown. */
function withBoundedLists(scanned: ScannedWordpress): ScannedWordpress {
  const { inventory } = scanned
  const plugins = firstOf(inventory.plugins)
  const themes = firstOf(inventory.themes)
  const cut = plugins.length < inventory.plugins.length || themes.length < inventory.themes.length
  if (!cut) return scanned
  const updates = { ...inventory.updates, plugins: null, themes: null }
  return {
    inventory: { ...inventory, plugins, themes, updates, unknown_because: 'limit' },
    limit: scanned.limit ?? 'bytes',
  }
}

function firstOf(extensions: Extension[]): Extension[] {
  let left = MAX_LISTS
  const end = extensions.findIndex(({ slug, name, version }) => {
    left -= slug.length + name.length + version.length + 64
    return left < 0
  })
  return end < 0 ? extensions : extensions.slice(0, end)
}

const text = z.string().max(4096)

/**
 * The report of a site's PHP: see `agent/kernel/sandbox/reading/program.ts`, which runs with the rights of the
 * site. Paths begin with `content` and `plugins`; heads of files are in Base64.
 */
const SiteReport = z.object({
  wordpress: z.boolean(),
  version: text.nullable(),
  constants: z.record(z.string().max(64), z.union([text, z.number(), z.boolean()])),
  table_prefix: text.nullable(),
  unsure: z.array(z.string().max(64)).max(64),
  lists: z.record(text, z.array(z.tuple([text, z.enum(['file', 'directory'])]))),
  heads: z.record(text, z.string().max(16_384)),
  exists: z.array(text).max(100_000),
  gaps: z.boolean(),
  environment: z.boolean(),
})
type SiteReport = z.infer<typeof SiteReport>

/** Returns the result of `readSite` from a report; throws for an invalid one. */
function readReported(json: string): SiteReading {
  const facts = SiteReport.parse(JSON.parse(json))
  if (!facts.wordpress) return { framework: 'unknown', unsure: null }
  const tree = treeOf(facts)
  const found = extensionsIn({ tree, folder: 'content' }, { tree, folder: 'plugins' })
  const wp_version = versionIn(decoded(facts.version ?? '')) ?? ''
  const config = {
    constants: new Map(Object.entries(facts.constants)),
    table_prefix: facts.table_prefix ?? undefined,
    unsure: new Set(facts.unsure),
  }
  const files = { wp_version, ...found, gaps: found.gaps || facts.gaps }
  const gap = files.gaps ? 'folders' : null
  const settings = facts.environment ? 'environment' : 'config'
  return { framework: 'wordpress', config, files, unsure: facts.unsure.length > 0 ? settings : gap }
}

const decoded = (head: string) => Buffer.from(head, 'base64').toString('utf8')

function treeOf({ lists, heads, exists }: SiteReport): SiteTree {
  const kinds = new Map<string, 'file' | 'directory'>(exists.map((path) => [path, 'file']))
  for (const path of Object.keys(lists)) kinds.set(path, 'directory')
  for (const path of Object.keys(heads)) kinds.set(path, 'file')
  const listed = new Map(Object.entries(lists))
  const read = new Map(Object.entries(heads))
  return {
    where: () => undefined,
    list: (path) => listed.get(path)?.map(([name, kind]) => ({ name, kind })),
    head: (path) => {
      const head = read.get(path)
      return head === undefined ? undefined : decoded(head)
    },
    stat: (path) => {
      const kind = kinds.get(path)
      return kind && { kind, size: 0, mode: 0, uid: 0, gid: 0, mtime_ms: 0 }
    },
  }
}

/** The result of reading the files of a site. */
interface SiteReading {
  framework: Application['framework']
  config?: WpConfig | undefined
  /** The files of a WordPress; absent for another application. */
  files?: WpFiles
  /** Changes with the code that it runs. */
  version?: string
  /** The values that only the site itself can report: its settings, or the targets of links. */
  unsure: 'config' | 'environment' | 'folders' | null
}

const LINKED_SITE: SiteReading = { framework: 'unknown', unsure: 'folders' }

/** Reads a site without running its code, and without following a link that it can create. */
function readSite(open: OpenTree, docroot: string): SiteReading {
  const root = openSite(open, docroot)
  if (!root) return LINKED_SITE
  const wp_version = root.version
  if (wp_version === undefined) return otherSite(root)
  const { config, ...settings } = readConfig(root)
  const found = extensionsOf(root, config)
  const files = { wp_version, ...found, gaps: found.gaps || settings.unsure === 'config' }
  return { framework: 'wordpress', config, files, unsure: settings.unsure ?? gapIn(files) }
}

/** Reads the settings only, without listing folders. */
function readSettings(open: OpenTree, docroot: string): SiteReading {
  const root = openSite(open, docroot)
  if (!root) return LINKED_SITE
  const { config, unsure } = readConfig(root)
  if (root.version !== undefined) return { framework: 'wordpress', config, unsure }
  const other = otherSite(root)
  return { ...other, config, unsure: unsure ?? other.unsure }
}

/** Reads the settings, and the version of the files of a WordPress. */
function readVersion(open: OpenTree, docroot: string): SiteReading {
  const root = openSite(open, docroot)
  const reading = readSettings(open, docroot)
  if (!root || reading.framework !== 'wordpress') return reading
  return { ...reading, version: filesVersion(root) }
}

function readConfig(root: SiteRoot): Pick<SiteReading, 'config' | 'unsure'> {
  const found: FoundConfig = readWpConfig(root)
  if (found === 'none') return { unsure: null }
  if (found === 'unreadable') return { unsure: 'config' }
  return { config: found, unsure: found.unsure.size > 0 ? 'config' : null }
}

const gapIn = ({ gaps }: WpFiles) => (gaps ? 'folders' : null)

/** Reads a site without a WordPress, or with one behind a link. */
function otherSite(root: SiteRoot): SiteReading {
  const { tree, base } = root
  const places = ['wp-includes', 'wp-includes/version.php', 'wp', 'wordpress', 'blog']
  const linked = places.some((place) => tree.stat(base + place)?.kind === 'link')
  const entries = tree.list(base)
  const hidden = linked || (entries === undefined && tree.stat(base) !== undefined)
  return { framework: otherFramework(entries ?? []), unsure: hidden ? 'folders' : null }
}

/** Returns PHP if there is a script; the caller has to know whether something runs it. */
function otherFramework(entries: readonly FolderEntry[]): SiteReading['framework'] {
  const files = entries.filter(({ name, kind }) => kind === 'file' && !name.startsWith('.'))
  if (files.length === 0) return 'unknown'
  return files.some(({ name }) => name.endsWith('.php')) ? 'php' : 'static'
}

/** The maximum number of files whose changes are noticed. */
const MAX_FILES = 500
const SINGLE = [
  'wp-config.php',
  '.user.ini',
  '.maintenance',
  'wp-includes/version.php',
  'wp-content/object-cache.php',
  'wp-content/advanced-cache.php',
  'wp-content/db.php',
]
const FOLDERS = ['mu-plugins', 'plugins', 'themes']

/**
 * Returns a digest of the times and sizes of the files that decide what a WordPress runs: its
 * settings, and the PHP files at the top of each plugin and theme. It changes with almost every
 * change of code, and reads no file.
 */
function filesVersion({ tree, core }: SiteRoot): string {
  const hash = createHash('sha256')
  let left = MAX_FILES
  for (const path of pathsOf(tree, core)) {
    if (left-- === 0) break
    const found = tree.stat(path)
    if (found) hash.update(`${path} ${found.kind} ${found.size} ${found.mtime_ms}\n`)
  }
  return hash.digest('base64url')
}

function* pathsOf(tree: SiteTree, core: string): Generator<string> {
  for (const name of SINGLE) yield core + name
  for (const name of FOLDERS) yield* pathsIn(tree, `${core}wp-content/${name}`)
}

function* pathsIn(tree: SiteTree, folder: string): Generator<string> {
  yield folder
  for (const { name, kind } of sorted(tree, folder)) {
    const path = `${folder}/${name}`
    yield path
    if (kind === 'directory') yield* scriptsIn(tree, path)
  }
}

function* scriptsIn(tree: SiteTree, folder: string): Generator<string> {
  for (const { name } of sorted(tree, folder)) if (name.endsWith('.php')) yield `${folder}/${name}`
}

const sorted = (tree: SiteTree, folder: string) =>
  (tree.list(folder) ?? []).toSorted((one, other) => (one.name < other.name ? -1 : 1))

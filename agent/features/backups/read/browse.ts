import { z } from 'zod'
import { readManifest } from '#agent/features/backups/fetch.ts'
import { type OpenRepository, runRestic, streamRestic } from '#agent/features/backups/restic/run.ts'
import { SITE } from '#agent/features/backups/save.ts'
import { perHost } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { BackupPath } from '#shared/backups/backup-parts.ts'
import {
  type BackupEntry,
  type BackupListing,
  type BrowsedBackup,
  type BrowseRequest,
  MAX_ENTRIES,
  RecordedSite,
} from '#shared/backups/backup-read.ts'
import { notFound } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { readingRepository, SESSIONS } from './open-backup.ts'

const LIMIT = { timeout_ms: 5 * 60_000 }
/** A tree stays in memory for this time after its last use. */
const KEEP_MS = 15 * 60_000
const MAX_TREES = 2
/** The maximum size of the listings of a tree in characters; about 100,000 files. */
const MAX_TREE_TEXT = 12 * 2 ** 20

/** A line of `restic ls --json`. */
const ListedNode = z.object({
  message_type: z.literal('node'),
  name: z.string(),
  type: z.string(),
  path: z.string(),
  size: z.number().nonnegative().default(0),
  mtime: z.string(),
})
type ListedNode = z.infer<typeof ListedNode>

type Listing = Pick<BackupListing, 'entries' | 'is_cut'>

/** The folders of a backup, and what all of them share. */
interface BackupTree {
  snapshot: string
  facts: Omit<BrowsedBackup, keyof Listing>
  folders: FolderListings
  /** The time of its last use, of the monotonic clock. */
  used: number
}

/**
 * Answers folders of backups. restic opens a backup once and lists its whole tree, which never changes
 * and stays in memory for some minutes. No secret of the repository stays open meanwhile.
 */
export class BackupBrowser {
  readonly #host: Host
  readonly #max_text: number
  readonly #trees = new Map<string, BackupTree>()

  constructor(host: Host, max_text: number = MAX_TREE_TEXT) {
    this.#host = host
    this.#max_text = max_text
  }

  /** Returns a folder, all tables and the site of a backup. Throws not_found for an unknown path. */
  async browse(request: BrowseRequest): Promise<BrowsedBackup> {
    const known = this.#find(request)
    if (known) return known
    // One at a time: they have the same folder of secrets.
    return this.#host.exclusive(
      'browse a backup',
      async () => this.#find(request) ?? this.#read(request),
    )
  }

  /** Drops the trees that nobody has read for some minutes. */
  expire(): void {
    const now = this.#host.clock.elapsed()
    for (const [key, { used }] of this.#trees) {
      if (now - used >= KEEP_MS) this.#trees.delete(key)
    }
  }

  /** Returns undefined when the tree is not in memory: then restic lists it. */
  #find(request: BrowseRequest): BrowsedBackup | undefined {
    this.expire()
    const tree = this.#trees.get(keyOf(request))
    return tree && this.#answerOf(tree, request)
  }

  #answerOf(tree: BackupTree, { path }: BrowseRequest): BrowsedBackup | undefined {
    tree.used = this.#host.clock.elapsed()
    const listing = tree.folders.find(path)
    if (listing) return { ...listing, ...tree.facts }
    if (tree.folders.is_whole) throw notFound(path === '' ? 'Files' : path)
    return undefined
  }

  async #read(request: BrowseRequest): Promise<BrowsedBackup> {
    const host = this.#host
    const known = this.#trees.get(keyOf(request))
    const keep = (tree: BackupTree) => this.#keep(keyOf(request), tree)
    const answerOf = (tree: BackupTree) => this.#answerOf(tree, request)
    const folders = new FolderListings(this.#max_text)
    const work = readingRepository(host, SESSIONS.browse, request, async function* (opened) {
      const tree = known ?? (await readTree(host, opened, request.backup, folders))
      keep(tree)
      yield answerOf(tree) ?? { ...(await readFolder(host, opened, tree, request)), ...tree.facts }
    })
    const { value } = await work.next()
    await work.next()
    if (!value) throw new Error('The backup has no listing')
    return value
  }

  #keep(key: string, tree: BackupTree): void {
    this.#trees.delete(key)
    this.#trees.set(key, tree)
    const [oldest] = this.#trees.keys()
    if (this.#trees.size > MAX_TREES && oldest !== undefined) this.#trees.delete(oldest)
  }
}

/** Identifies a snapshot by its address: it never changes. */
const keyOf = ({ target, repository, password_id, backup }: BrowseRequest): string =>
  JSON.stringify([target.place, repository, password_id, backup])

async function readTree(
  host: Host,
  opened: OpenRepository,
  backup: string,
  folders: FolderListings,
): Promise<BackupTree> {
  const manifest = await readManifest(host, opened, backup)
  const { snapshot } = manifest.files
  const args = ['ls', '--json', '--recursive', `${snapshot}:${SITE}`, PUBLIC]
  for await (const line of streamRestic(host, opened, args, LIMIT)) folders.add(line)
  folders.end()
  const site = RecordedSite.safeParse(manifest.site).data
  const tables = manifest.database ? (manifest.database.names ?? null) : []
  const facts = { tables, ...(site && { site }) }
  return { snapshot, facts, folders, used: host.clock.elapsed() }
}

/** Reads one folder of a tree that is too large for the memory. */
async function readFolder(
  host: Host,
  opened: OpenRepository,
  { snapshot }: BackupTree,
  { path }: BrowseRequest,
): Promise<Listing> {
  const folders = new FolderListings(Number.POSITIVE_INFINITY)
  const args = ['ls', '--json', `${snapshot}:${SITE}`, inPublic(path)]
  for await (const line of streamRestic(host, opened, args, LIMIT)) folders.add(line)
  folders.end()
  const listing = folders.find(path)
  if (!listing) throw notFound(path || 'Files')
  return listing
}

const PUBLIC = '/public'
const inPublic = (path: string) => (path === '' ? PUBLIC : `${PUBLIC}/${path}`)

interface OpenFolder {
  path: string
  entries: BackupEntry[]
  count: number
}

/** Groups the lines of `restic ls --json`, which come depth first, by folder. */
export class FolderListings {
  readonly #max_text: number
  /** Listings as JSON, which takes a fifth of the memory of the entries. */
  readonly #listings = new Map<string, string>()
  readonly #open: OpenFolder[] = []
  #text = 0
  /** False when some folders are left out because their text exceeds the limit. */
  is_whole = true

  constructor(max_text: number) {
    this.#max_text = max_text
  }

  add(line: string): void {
    const node = parseJson(ListedNode, line)
    if (!node) return
    this.#closeUntil(node.path.slice(0, -node.name.length - 1))
    const parent = this.#open.at(-1)
    if (parent) addEntry(parent, entryOf(node))
    if (node.type === 'dir') this.#open.push({ path: node.path, entries: [], count: 0 })
  }

  /** Closes the last folders after all lines. */
  end(): void {
    this.#closeUntil(undefined)
  }

  find(path: string): Listing | undefined {
    const text = this.#listings.get(inPublic(path))
    return text === undefined ? undefined : JSON.parse(text)
  }

  #closeUntil(parent: string | undefined): void {
    for (let last = this.#open.at(-1); last && last.path !== parent; last = this.#open.at(-1)) {
      this.#close(last)
      this.#open.pop()
    }
  }

  #close({ path, entries, count }: OpenFolder): void {
    const listing = { entries: firstOf(entries), is_cut: count > MAX_ENTRIES }
    const text = JSON.stringify(listing satisfies Listing)
    const length = path.length + text.length
    if (this.#text + length > this.#max_text) {
      this.is_whole = false
      return
    }
    this.#text += length
    this.#listings.set(path, text)
  }
}

/** Adds an entry to a folder; a large folder keeps only its first ones. */
function addEntry(folder: OpenFolder, entry: BackupEntry): void {
  folder.count += 1
  folder.entries.push(entry)
  if (folder.entries.length === 2 * MAX_ENTRIES) folder.entries = firstOf(folder.entries)
}

const firstOf = (entries: BackupEntry[]) => entries.sort(byKindAndName).slice(0, MAX_ENTRIES)

/** The node of a path itself; undefined if there is none. */
export async function findNode(
  host: Host,
  opened: OpenRepository,
  snapshot: string,
  path: string,
): Promise<ListedNode | undefined> {
  const args = ['ls', '--json', `${snapshot}:${SITE}`, inPublic(path)]
  const { stdout } = await runRestic(host, opened, args, LIMIT)
  return parseJson(
    ListedNode,
    stdout.split('\n').find((line) => parseJson(ListedNode, line)),
  )
}

const KINDS: Record<string, BackupEntry['kind']> = {
  file: 'file',
  dir: 'directory',
  symlink: 'link',
}

const entryOf = ({ name, type, size, mtime }: ListedNode): BackupEntry => ({
  name: name.slice(0, 1024),
  kind: KINDS[type] ?? 'other',
  size,
  at: mtime.slice(0, 64),
  can_choose: BackupPath.safeParse(name).success,
})

function byKindAndName(one: BackupEntry, other: BackupEntry): number {
  const folders = Number(other.kind === 'directory') - Number(one.kind === 'directory')
  return folders || (one.name < other.name ? -1 : 1)
}

/** Returns the browser of a machine, whose memory readings share with the round that frees it. */
export const browsers = perHost((host) => new BackupBrowser(host))

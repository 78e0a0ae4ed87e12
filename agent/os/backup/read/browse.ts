import { z } from 'zod'
import type { Host } from '#agent/host/ports.ts'
import { SITE } from '#agent/os/backup/save.ts'
import { type Opened, runRestic } from '#agent/os/restic/run.ts'
import { BackupPath } from '#shared/backup-parts.ts'
import {
  type BackupEntry,
  type BrowsedBackup,
  type BrowseRequest,
  MOST_ENTRIES,
  RecordedSite,
} from '#shared/backup-read.ts'
import { notFound } from '#shared/errors.ts'
import { parseJson } from '#shared/parse.ts'
import { reading, SESSIONS } from './opened.ts'

const LIMIT = { timeout_ms: 5 * 60_000 }

/** A line of `restic ls --json` */
const Node = z.object({
  message_type: z.literal('node'),
  name: z.string(),
  type: z.string(),
  path: z.string(),
  size: z.number().nonnegative().default(0),
  mtime: z.string(),
})
type Node = z.infer<typeof Node>

/** One folder of a backup, all of its tables, and its site. Throws not_found for a path that it does not have. */
export async function browseBackup(host: Host, request: BrowseRequest): Promise<BrowsedBackup> {
  // One at a time: they have the same folder of secrets.
  return host.exclusive('browse a backup', async () => {
    const work = reading(host, SESSIONS.browse, request, async function* ({ opened, manifest }) {
      const { snapshot } = manifest.files
      const nodes = await listFolder(host, opened, snapshot, request.path)
      const entries = nodes.map(entryOf).sort(byKindAndName)
      const site = RecordedSite.safeParse(manifest.site).data
      yield {
        entries: entries.slice(0, MOST_ENTRIES),
        is_cut: entries.length > MOST_ENTRIES,
        tables: manifest.database ? (manifest.database.names ?? null) : [],
        ...(site && { site }),
      }
    })
    const { value } = await work.next()
    await work.next()
    if (!value) throw new Error('The backup has no listing')
    return value
  })
}

/** The node of a path itself; undefined if there is none. */
export async function findNode(
  host: Host,
  opened: Opened,
  snapshot: string,
  path: string,
): Promise<Node | undefined> {
  const [first] = await nodesOf(host, opened, snapshot, path)
  return first
}

async function listFolder(
  host: Host,
  opened: Opened,
  snapshot: string,
  path: string,
): Promise<Node[]> {
  const [folder, ...entries] = await nodesOf(host, opened, snapshot, path)
  if (folder?.type !== 'dir') throw notFound(path === '' ? 'Files' : path)
  return entries
}

/** The path, and what is in it. */
async function nodesOf(
  host: Host,
  opened: Opened,
  snapshot: string,
  path: string,
): Promise<Node[]> {
  const below = path === '' ? '/public' : `/public/${path}`
  const args = ['ls', '--json', `${snapshot}:${SITE}`, below]
  const { stdout } = await runRestic(host, opened, args, LIMIT)
  return stdout.split('\n').flatMap((line) => parseJson(Node, line) ?? [])
}

const KINDS: Record<string, BackupEntry['kind']> = {
  file: 'file',
  dir: 'directory',
  symlink: 'link',
}

const entryOf = ({ name, type, size, mtime }: Node): BackupEntry => ({
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

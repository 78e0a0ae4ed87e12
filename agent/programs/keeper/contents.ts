import { MANIFEST, parseManifest, partsIn } from '#agent/features/backups/manifest.ts'
import { PROOF, provesTag } from '#agent/features/backups/save.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  type KeeperRestic,
  type ListedSnapshot,
  type OpenKeeperRepository,
  throwUnlessRepository,
  tryRestic,
} from './restic.ts'
import { arrivalOf, type CompleteBackup, type RepositoryContents } from './rules.ts'
import type { RepositoryState } from './state.ts'

/** The tag of a backup without a manifest, which is one snapshot. */
const WHOLE_BACKUP_TAG = 'dashboard'

interface ContentsInput {
  listed: readonly ListedSnapshot[]
  state: RepositoryState
  now: number
}

/**
 * Reads what is in a repository. Records in `state` when each snapshot arrived, and what manifests
 * name, also of snapshots that the storage has lost: the remaining parts of their backups stay.
 */
export async function contentsOf(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  { listed, state, now }: ContentsInput,
): Promise<RepositoryContents> {
  const known = state.snapshots
  const arrived = ({ id, claimed }: ListedSnapshot) =>
    [id, known[id] ?? { arrived: arrivalOf(claimed, state.listed, now) }] as const
  const present = Object.fromEntries(listed.map(arrived))
  for (const record of Object.values(present)) {
    delete record.lost
    delete record.leaving
  }
  const lost = Object.entries(known).filter(([id, { leaving }]) => !present[id] && !leaving)
  for (const [, record] of lost) record.lost ??= now
  state.snapshots = { ...Object.fromEntries(lost), ...present }
  state.listed = now
  const unreadable: string[] = []
  for (const snapshot of listed) {
    const record = state.snapshots[snapshot.id]
    if (!record) continue
    record.parts ??= await partsOf(host, restic, opened, snapshot)
    if (record.parts === undefined) unreadable.push(snapshot.id)
  }
  const proofs = listed.flatMap(({ id, tags }) =>
    provenBy(tags).map((backup) => ({ id, backup, arrived: state.snapshots[id]?.arrived ?? now })),
  )
  const snapshots = listed.map(({ id }) => ({ id, arrived: state.snapshots[id]?.arrived ?? now }))
  return { snapshots, ...backupsIn(state, listed), proofs, unreadable }
}

/** Returns the complete backups, and those of which the storage has lost a part. */
function backupsIn(
  { snapshots }: RepositoryState,
  listed: readonly ListedSnapshot[],
): Pick<RepositoryContents, 'backups' | 'broken'> {
  const present = new Map(listed.map((snapshot) => [snapshot.id, snapshot]))
  const found = { backups: [] as CompleteBackup[], broken: [] as CompleteBackup[] }
  for (const [id, { arrived, parts }] of Object.entries(snapshots)) {
    const own = present.get(id)
    if (!parts) continue
    const names = own ? isBackup(own) : parts.length > 0
    // A manifest with parts that never existed is no backup.
    if (!names || parts.some((part) => !snapshots[part])) continue
    const left = parts.filter((part) => present.has(part))
    const isWhole = own !== undefined && left.length === parts.length
    found[isWhole ? 'backups' : 'broken'].push({ id, arrived, parts: left })
  }
  return found
}

/** Returns the backup that a proof names; a snapshot with several names is none. */
function provenBy(tags: readonly string[]): string[] {
  const named = tags.filter((tag) => tag.startsWith(PROVES))
  if (!tags.includes(PROOF) || named.length !== 1) return []
  return named.map((tag) => tag.slice(PROVES.length))
}

const PROVES = provesTag('')

const isBackup = ({ tags }: ListedSnapshot) =>
  tags.includes('manifest') || tags.includes(WHOLE_BACKUP_TAG)

/** Returns the snapshots that a manifest names; undefined if it cannot be read. */
async function partsOf(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  { id, tags }: ListedSnapshot,
): Promise<string[] | undefined> {
  if (!tags.includes('manifest')) return []
  const args = ['dump', '--no-lock', id, `/${MANIFEST}`]
  const output = await tryRestic(host, restic, opened, args)
  if (output.code !== 0) {
    throwUnlessRepository(restic, opened, output, args)
    return undefined
  }
  try {
    return partsIn(parseManifest(output.stdout))
  } catch {
    return undefined
  }
}

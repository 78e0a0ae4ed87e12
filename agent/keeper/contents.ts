import type { Host } from '#agent/host/ports.ts'
import { MANIFEST, parseManifest } from '#agent/os/backup/manifest.ts'
import { PROOF, provesTag } from '#agent/os/backup/save.ts'
import {
  type ListedSnapshot,
  listSnapshots,
  type Opened,
  type Restic,
  tryRestic,
} from './restic.ts'
import { arrivalOf, type Backup, type Contents } from './rules.ts'
import type { RepositoryState } from './state.ts'

/** A backup without a manifest: one snapshot is all of it. */
const WHOLE = 'dashboard'

/** What is in a repository. Keeps in `state` when each snapshot arrived, and what manifests name. */
export async function contentsOf(
  host: Host,
  restic: Restic,
  opened: Opened,
  { state, now }: { state: RepositoryState; now: number },
): Promise<Contents & { listed: ListedSnapshot[] }> {
  const listed = await listSnapshots(host, restic, opened)
  const known = state.snapshots
  state.snapshots = Object.fromEntries(
    listed.map(({ id, claimed }) => [
      id,
      known[id] ?? { arrived: arrivalOf(claimed, state.listed, now) },
    ]),
  )
  state.listed = now
  const backups: Backup[] = []
  const unreadable: string[] = []
  for (const snapshot of listed) {
    const record = state.snapshots[snapshot.id]
    if (!record) continue
    record.parts ??= await partsOf(host, restic, opened, snapshot)
    if (record.parts === undefined) unreadable.push(snapshot.id)
    else if (isBackup(snapshot) && record.parts.every((part) => state.snapshots[part])) {
      backups.push({ id: snapshot.id, arrived: record.arrived, parts: record.parts })
    }
  }
  const proofs = listed.flatMap(({ id, tags }) =>
    provenBy(tags).map((backup) => ({ id, backup, arrived: state.snapshots[id]?.arrived ?? now })),
  )
  const snapshots = Object.entries(state.snapshots).map(([id, { arrived }]) => ({ id, arrived }))
  return { snapshots, backups, proofs, unreadable, listed }
}

/** The backup that a proof names; a snapshot with several names is none. */
function provenBy(tags: readonly string[]): string[] {
  const named = tags.filter((tag) => tag.startsWith(PROVES))
  if (!tags.includes(PROOF) || named.length !== 1) return []
  return named.map((tag) => tag.slice(PROVES.length))
}

const PROVES = provesTag('')

const isBackup = ({ tags }: ListedSnapshot) => tags.includes('manifest') || tags.includes(WHOLE)

/** The snapshots that a manifest names; undefined if it cannot be read, which may change. */
async function partsOf(
  host: Host,
  restic: Restic,
  opened: Opened,
  { id, tags }: ListedSnapshot,
): Promise<string[] | undefined> {
  if (!tags.includes('manifest')) return []
  const { code, stdout } = await tryRestic(host, restic, opened, [
    ...['dump', '--no-lock', id, `/${MANIFEST}`],
  ])
  if (code !== 0) return undefined
  try {
    const { files, database } = parseManifest(stdout)
    return [files.snapshot, ...(database ? [database.snapshot] : [])]
  } catch {
    return undefined
  }
}

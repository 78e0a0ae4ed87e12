import { MANIFEST, parseManifest, partsIn } from '#agent/features/backups/manifest.ts'
import { PROOF, provesTag } from '#agent/features/backups/save.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  type ListedSnapshot,
  type Opened,
  type Restic,
  throwElsewhere,
  tryRestic,
} from './restic.ts'
import { arrivalOf, type Backup, type Contents } from './rules.ts'
import type { RepositoryState } from './state.ts'

/** A backup without a manifest: one snapshot is all of it. */
const WHOLE = 'dashboard'

interface Given {
  listed: readonly ListedSnapshot[]
  state: RepositoryState
  now: number
}

/**
 * What is in a repository. Keeps in `state` when each snapshot arrived, and what manifests name, also
 * of snapshots that the storage has lost: the rest of their backups stays.
 */
export async function contentsOf(
  host: Host,
  restic: Restic,
  opened: Opened,
  { listed, state, now }: Given,
): Promise<Contents> {
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

/** The complete ones, and those of which the storage has lost something that was there before. */
function backupsIn(
  { snapshots }: RepositoryState,
  listed: readonly ListedSnapshot[],
): Pick<Contents, 'backups' | 'broken'> {
  const present = new Map(listed.map((snapshot) => [snapshot.id, snapshot]))
  const found = { backups: [] as Backup[], broken: [] as Backup[] }
  for (const [id, { arrived, parts }] of Object.entries(snapshots)) {
    const own = present.get(id)
    if (!parts) continue
    const names = own ? isBackup(own) : parts.length > 0
    // One that names what was never there is nobody's backup.
    if (!names || parts.some((part) => !snapshots[part])) continue
    const left = parts.filter((part) => present.has(part))
    const isWhole = own !== undefined && left.length === parts.length
    found[isWhole ? 'backups' : 'broken'].push({ id, arrived, parts: left })
  }
  return found
}

/** The backup that a proof names; a snapshot with several names is none. */
function provenBy(tags: readonly string[]): string[] {
  const named = tags.filter((tag) => tag.startsWith(PROVES))
  if (!tags.includes(PROOF) || named.length !== 1) return []
  return named.map((tag) => tag.slice(PROVES.length))
}

const PROVES = provesTag('')

const isBackup = ({ tags }: ListedSnapshot) => tags.includes('manifest') || tags.includes(WHOLE)

/**
 * The snapshots that a manifest names; undefined if it cannot be read, which may change. Throws if the
 * storage does not answer.
 */
async function partsOf(
  host: Host,
  restic: Restic,
  opened: Opened,
  { id, tags }: ListedSnapshot,
): Promise<string[] | undefined> {
  if (!tags.includes('manifest')) return []
  const args = ['dump', '--no-lock', id, `/${MANIFEST}`]
  const output = await tryRestic(host, restic, opened, args)
  if (output.code !== 0) {
    throwElsewhere(restic, opened, output, args)
    return undefined
  }
  try {
    return partsIn(parseManifest(output.stdout))
  } catch {
    return undefined
  }
}

import { z } from 'zod'
import { readManifest } from '#agent/features/backups/fetch.ts'
import { failureOf, WRONG_PASSWORD } from '#agent/features/backups/restic/failures.ts'
import { resticPath } from '#agent/features/backups/restic/program.ts'
import {
  type OpenRepository,
  refuseUnready,
  tryRestic,
} from '#agent/features/backups/restic/run.ts'
import {
  closeFiles,
  openFiles,
  openRepositoryOf,
  PASSWORD_MISSING,
  storedPasswords,
} from '#agent/features/backups/restic/session.ts'
import { partTag } from '#agent/features/backups/save.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { SnapshotId } from '#shared/backups/backup.ts'
import { type ListedBackups, type ListRequest, MAX_LISTED } from '#shared/backups/backup-find.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { SESSION } from './read-keys.ts'

const LIMIT = { timeout_ms: 10 * 60_000 }
const amount = z.int().nonnegative().catch(0)

const Snapshot = z.object({
  id: SnapshotId,
  time: z.string().refine((text) => !Number.isNaN(Date.parse(text))),
  tags: z.array(z.string()).nullish(),
  summary: z
    .object({
      total_files_processed: amount,
      total_bytes_processed: amount,
      data_added_packed: amount,
    })
    .optional(),
})
type Snapshot = z.output<typeof Snapshot>

/**
 * The complete backups in a repository, newest first and a page at a time. The newest manifest is
 * read; the figures of earlier backups are those of their snapshots. Throws conflict if no password
 * opens the repository: with `password_missing` if none came with the request.
 */
export function listBackups(host: Host, request: ListRequest): Promise<ListedBackups> {
  const { target, repository: name, before } = request
  // One at a time: they have the same folder of secrets.
  return host.exclusive('read a storage', async () => {
    await refuseUnready(host, target)
    if (!(await host.files.stat(resticPath(host)))) {
      throw conflict('restic is not installed on this server: check the target from it first')
    }
    for (const { position, password } of await passwordsFor(host, request)) {
      const repository = { name, target, password }
      try {
        await openFiles(host, repository, SESSION).apply()
        const opened = openRepositoryOf(host, repository, SESSION)
        const snapshots = await snapshotsIn(host, opened)
        if (!snapshots) continue
        const page = pageOf(completeIn(snapshots).reverse(), before, host.clock.now())
        return { password: position, ...(await backupsOf(host, opened, page)) }
      } finally {
        await closeFiles(host, SESSION).apply()
      }
    }
    if (request.passwords.length > 0) throw conflict('The password does not open the repository')
    throw conflict(
      `This server does not have the password of the repository ${name}`,
      PASSWORD_MISSING,
    )
  })
}

const passwordsFor = async (host: Host, { repository, password_ids, passwords }: ListRequest) =>
  passwords.length > 0
    ? passwords.map((password, position) => ({ position, password }))
    : storedPasswords(host, repository, password_ids)

/** Returns the snapshots of a repository; undefined when its password is another one. */
async function snapshotsIn(host: Host, opened: OpenRepository): Promise<Snapshot[] | undefined> {
  const output = await tryRestic(host, opened, ['snapshots', '--json', '--no-lock'], LIMIT)
  const { target, password } = opened.repository
  if (output.code === WRONG_PASSWORD) return undefined
  if (output.code !== 0) throw conflict(failureOf(output, [target.secret, password]).message)
  const listed = parseJson(z.array(Snapshot), output.stdout)
  if (!listed) throw new Error('restic listed no snapshots')
  return listed.sort((one, other) => Date.parse(one.time) - Date.parse(other.time))
}

type ListedBackup = ListedBackups['backups'][number]

/** A clock may be wrong by so much. */
const AHEAD_MS = 3_600_000

/** `before` is the last backup of the previous page. */
function pageOf(all: readonly ListedBackup[], before: string | undefined, now: number) {
  // A server dates its backups itself: one of the future says nothing about the site of today.
  const newest = all.find(({ at }) => Date.parse(at) <= now + AHEAD_MS) ?? all[0]
  if (!newest) throw conflict('The repository has no complete backup', 'no_backups')
  const from = before === undefined ? 0 : all.findIndex(({ id }) => id === before) + 1
  const backups = all.slice(from, from + MAX_LISTED)
  const last = backups.at(-1)
  if (!last || (before !== undefined && from === 0)) {
    throw conflict('The backups in the repository have changed meanwhile: list them again')
  }
  return { newest, backups, next: last === all.at(-1) ? null : last.id }
}

async function backupsOf(
  host: Host,
  opened: OpenRepository,
  { newest, backups, next }: ReturnType<typeof pageOf>,
) {
  const { domain, files, database } = await readManifest(host, opened, newest.id)
  const facts = { domain, tables: database?.tables ?? 0, excluded: files.excluded }
  return { ...facts, backups, next }
}

/** Returns each manifest with the snapshots of its tags, or those since the previous one. */
function completeIn(snapshots: readonly Snapshot[]): ListedBackup[] {
  const tagged = new Map(snapshots.map((snapshot) => [partTag(snapshot.id), snapshot]))
  const found: ListedBackup[] = []
  let parts: Snapshot[] = []
  for (const snapshot of snapshots) {
    parts.push(snapshot)
    const { tags } = snapshot
    if (!tags?.includes('manifest')) continue
    const named = tags.flatMap((tag) => tagged.get(tag) ?? [])
    found.push(backupIn(snapshot, named.length > 0 ? named : parts))
    parts = []
  }
  return found
}

/** Uses the last parts before the manifest: an interrupted backup leaves parts without one. */
function backupIn({ id, time }: Snapshot, parts: readonly Snapshot[]) {
  const last = (tag: string) => parts.findLast(({ tags }) => tags?.includes(tag))
  const [files, database] = [last('files'), last('database')]
  const own = [files, database].flatMap((part) => part ?? [])
  const total = (of: 'total_bytes_processed' | 'data_added_packed') =>
    own.reduce((sum, { summary }) => sum + (summary?.[of] ?? 0), 0)
  const began = Math.min(...own.map((part) => Date.parse(part.time)), Date.parse(time))
  return {
    id,
    at: new Date(began).toISOString(),
    files: files?.summary?.total_files_processed ?? 0,
    bytes: total('total_bytes_processed'),
    stored: total('data_added_packed'),
    seconds: Math.round((Date.parse(time) - began) / 1000),
  }
}

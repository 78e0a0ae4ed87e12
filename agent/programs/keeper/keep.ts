import { basename } from 'node:path'
import { z } from 'zod'
import { isFull } from '#agent/features/backups/restic/failures.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { type KeeperConfig, keepRulesOf } from './config.ts'
import { contentsOf } from './contents.ts'
import { brokenKeys, openRepository } from './open.ts'
import type { KeeperProblemLine } from './report.ts'
import {
  checkPart,
  failureIn,
  type KeeperRestic,
  type ListedSnapshot,
  listSnapshots,
  type OpenKeeperRepository,
  runRestic,
  tryRestic,
} from './restic.ts'
import { type CompleteBackup, maxKeepMs, snapshotsToForget } from './rules.ts'
import type { RepositoryState } from './state.ts'
import type { Store, StoredFile } from './store.ts'

const MAX_IDS_PER_CALL = 200
/** The option of a wait that is longer than the steps of a backup that lock the repository. */
const RETRY = '--retry-lock=15m'

export interface KeeperRun {
  host: Host
  restic: KeeperRestic
  config: KeeperConfig
  key: Secret
  now: number
  /** The reason why this run deletes nothing. */
  clock_problem: string | undefined
  /** True when the run changes nothing in the storage. */
  dry_run: boolean
  /** Writes the state of all repositories, for the next run if this one is killed. */
  save: () => Promise<void>
}

/** The result of one run for a repository. */
export interface KeepResult {
  /** The number of complete backups that stay. */
  backups: number
  forgotten: string[]
}

/** Forgets old backups of a repository. Adds to `problems`, also before it throws. */
export async function keepRepository(
  work: KeeperRun,
  store: Store,
  name: string,
  { state, problems }: { state: RepositoryState; problems: KeeperProblemLine[] },
): Promise<KeepResult> {
  const { host, restic, config, key, now } = work
  const swept = await sweep(store, name, work)
  const { files } = swept
  problems.push(...problemsOf('garbage', swept.problems))
  const opened = await openRepository(host, restic, { store, name, files, key, last: state.key })
  if (!opened) {
    const advice = 'enter the public key of this keeper in its target, and the next backup adds it'
    problems.push({ code: 'no_key', message: `No key for this keeper: ${advice}` })
    return { backups: 0, forgotten: [] }
  }
  state.key = opened.key
  const listed = await listSnapshots(host, restic, opened)
  const garbage = [
    ...(await unlistedIn(host, restic, opened, { files, listed })),
    ...(await brokenKeys(store, name, files)),
  ]
  problems.push(...problemsOf('garbage', await takeOut(work, opened, garbage)))
  const contents = await contentsOf(host, restic, opened, { listed, state, now })
  problems.push(...problemsOf('damaged', contents.broken.map(lostMessage)))
  const hidden = unreadableIn({ files, listed })
  problems.push(
    ...problemsOf('unreadable', contents.unreadable.map(unreadableMessage('manifest'))),
    ...problemsOf('unreadable', hidden.map(unreadableMessage('snapshot'))),
  )
  const unreadable = [...contents.unreadable, ...hidden]
  const { clock_problem: clock } = work
  if (clock !== undefined) problems.push({ code: 'clock', message: clock })
  const forgotten =
    clock === undefined
      ? snapshotsToForget({ ...contents, unreadable }, keepRulesOf(config, name), now)
      : []
  const stay = contents.backups.filter(({ id }) => !forgotten.includes(id))
  const kept = { backups: stay.length, forgotten }
  if (work.dry_run) return kept
  await removeOwnLocks(work, store, opened, files)
  await store.removeDrafts(name)
  await forget(work, opened, forgotten, state)
  if (!isRecoverable(state, contents.broken, now)) {
    problems.push(...problemsOf('failed', await prune(work, opened, state)))
  }
  forgetLost(work, state, listed)
  problems.push(...problemsOf('damaged', await check(work, opened, state)))
  state.done = now
  return kept
}

const problemsOf = (
  code: KeeperProblemLine['code'],
  messages: readonly string[],
): KeeperProblemLine[] => messages.map((message) => ({ code, message }))

const unreadableMessage = (kind: string) => (id: string) =>
  `The ${kind} ${id.slice(0, 8)} cannot be read: what may belong to it is kept`

const lostMessage = ({ id, arrived }: CompleteBackup): string =>
  `The storage has lost a part of the backup ${id.slice(0, 8)} of ${new Date(arrived).toISOString()}: check its disk. What is left is kept, and no data is removed for two weeks`

/** The time for which the data of a lost snapshot stays, so that `restic recover` can find it. */
const RECOVERY_MS = 14 * 24 * 3_600_000

const isRecoverable = (
  { snapshots }: RepositoryState,
  broken: readonly CompleteBackup[],
  now: number,
): boolean =>
  broken.length > 0 &&
  Object.values(snapshots).some(({ lost }) => lost !== undefined && now - lost < RECOVERY_MS)

/** Forgets records of snapshots that the storage has lost, when no rule would keep them. */
function forgetLost(
  { config, now }: KeeperRun,
  { snapshots }: RepositoryState,
  listed: readonly ListedSnapshot[],
): void {
  const present = new Set(listed.map(({ id }) => id))
  const own = Object.entries(snapshots).filter(([id]) => present.has(id))
  // Without the parts, the last backup would not count as a broken one.
  const named = new Set(own.flatMap(([, { parts = [] }]) => parts))
  for (const [id, { arrived }] of Object.entries(snapshots)) {
    if (!present.has(id) && !named.has(id) && now - arrived > maxKeepMs(config.keep))
      delete snapshots[id]
  }
}

/** Removes snapshots whose content is whole: nobody is writing them. */
async function takeOut(
  { dry_run }: KeeperRun,
  { store, name }: OpenKeeperRepository,
  garbage: readonly StoredFile[],
): Promise<string[]> {
  if (!dry_run) for (const file of garbage) await store.takeOut(name, file)
  return garbage.map((file) => garbageMessage(file, !dry_run))
}

async function forget(
  { host, restic, save }: KeeperRun,
  opened: OpenKeeperRepository,
  ids: readonly string[],
  state: RepositoryState,
): Promise<void> {
  if (ids.length > 0) {
    state.prune = true
    for (const id of ids) Object.assign(state.snapshots[id] ?? {}, { leaving: true })
    await save()
  }
  for (let at = 0; at < ids.length; at += MAX_IDS_PER_CALL) {
    const chunk = ids.slice(at, at + MAX_IDS_PER_CALL)
    await runRestic(host, restic, opened, ['forget', '--quiet', RETRY, ...chunk])
    for (const id of chunk) delete state.snapshots[id]
  }
}

/**
 * Removes data that nothing names. An interrupted run is continued by the next one. Where a copy of
 * the remaining data has no space, packs with only unused data are removed first, without a copy.
 */
async function prune(
  { host, restic, config }: KeeperRun,
  opened: OpenKeeperRepository,
  state: RepositoryState,
) {
  if (!state.prune) return []
  const args = ['prune', '--quiet', RETRY, `--max-unused=${config.max_unused}`]
  try {
    await runRestic(host, restic, opened, [...args, `--max-repack-size=${config.max_repack}`])
  } catch (error) {
    if (!isFull(error)) throw error
    await runRestic(host, restic, opened, [...args, '--max-repack-size=0'])
    return [
      `The storage had no space left: a part of the unused data was removed, and the next run continues (${messageOf(error)})`,
    ]
  }
  state.prune = false
  return []
}

async function check(
  { host, restic, config }: KeeperRun,
  opened: OpenKeeperRepository,
  state: RepositoryState,
) {
  const of = config.check_parts
  const part = state.part <= of ? state.part : 1
  const { errors, packs } = await checkPart(host, restic, opened, { part, of })
  state.part = part + 1
  if (packs.length > 0) {
    return [`Damaged data in ${packs.length} packs: ${packs.slice(0, 10).join(' ')}`]
  }
  return errors > 0 ? [`restic check found ${errors} errors`] : []
}

const Lock = z.object({ exclusive: z.boolean(), hostname: z.string(), pid: z.int().positive() })
/** The maximum number of locks: real repositories have one or two; a server may add any. */
const MAX_LOCKS = 20
/** The maximum length of the name of a program in the kernel: proc_pid_comm(5). */
const MAX_COMM = 15

/**
 * Removes an exclusive lock of this machine whose restic has ended, which a killed run of this
 * keeper has left. No server makes an exclusive lock, and each of them would wait for this one in
 * vain.
 */
export async function removeOwnLocks(
  { host, restic }: { host: Host; restic: KeeperRestic },
  store: Store,
  opened: OpenKeeperRepository,
  files: readonly StoredFile[],
): Promise<void> {
  const locks = files.filter(({ folder }) => folder === 'locks').slice(0, MAX_LOCKS)
  if (locks.length === 0) return
  const hostname = (await host.files.read('/proc/sys/kernel/hostname'))?.trim()
  const name = basename(restic.program).slice(0, MAX_COMM)
  for (const file of locks) {
    const args = ['cat', 'lock', file.name, '--no-lock']
    const { code, stdout } = await tryRestic(host, restic, opened, args)
    const lock = code === 0 ? parseJson(Lock, stdout) : undefined
    if (!lock?.exclusive || lock.hostname !== hostname) continue
    const running = await host.files.read(`/proc/${lock.pid}/comm`)
    if (running === undefined || (!running.startsWith('restic') && running.trim() !== name))
      await store.takeOut(opened.name, file)
  }
}

interface UnlistedInput {
  files: readonly StoredFile[]
  listed: readonly ListedSnapshot[]
}

/**
 * Returns snapshots whose content is whole, and which the keys of the repository do not open.
 * Throws if restic has left out another one, since it also does that when the storage does not
 * answer: the rules know only what it lists.
 */
export async function unlistedIn(
  host: Host,
  restic: KeeperRestic,
  opened: OpenKeeperRepository,
  { files, listed }: UnlistedInput,
): Promise<StoredFile[]> {
  const known = new Set(listed.map(({ id }) => id))
  const found: StoredFile[] = []
  for (const file of files) {
    if (file.folder !== 'snapshots' || file.sha256 !== file.name || known.has(file.name)) continue
    const args = ['cat', 'snapshot', file.name, '--no-lock']
    const output = await tryRestic(host, restic, opened, args)
    if (output.code === 0) {
      const name = file.name.slice(0, 8)
      throw new Error(`restic did not list the snapshot ${name}: nothing is removed in this run`)
    }
    // Whoever controls a server can send anything, encrypted or not.
    if (!GARBAGE.test(output.stderr)) throw failureIn(restic, opened, output, args)
    found.push(file)
  }
  return found
}

/** Matches restic's messages about the content of a snapshot; others have other causes. */
const GARBAGE =
  /failed to load snapshot [0-9a-f]+: (ciphertext verification failed|not supported encoding format|unexpected end of JSON input|json: |invalid (character|input|length)|parsing time |trying to decrypt invalid data|Time\.UnmarshalJSON)/

/** Returns the ids of snapshots that restic left out and that the storage itself cannot read. */
const unreadableIn = ({ files, listed }: UnlistedInput): string[] =>
  files
    .filter(({ folder, sha256 }) => folder === 'snapshots' && sha256 === undefined)
    .map(({ name }) => name)
    .filter((name) => listed.every(({ id }) => id !== name))

const HASH = /^[0-9a-f]{64}$/
const HOUR_MS = 60 * 60_000
/** The age of a stale lock: restic refreshes locks, and stops after half an hour without that. */
const STALE_MS = HOUR_MS
/** The age of an abandoned upload, which has a name of its own, or less than its whole content. */
const UPLOAD_MS = 24 * HOUR_MS
/** The length of the nonce of an encrypted text. */
const NONCE = 16

interface SweepResult {
  /** The files without those that were removed. */
  files: StoredFile[]
  problems: string[]
}

/** Removes what stops restic: files of other names, and locks of more than an hour. */
export async function sweep(
  store: Store,
  repository: string,
  { now, dry_run }: { now: number; dry_run: boolean },
): Promise<SweepResult> {
  const files = await store.files(repository)
  const stale = files.filter(({ folder, at }) => folder === 'locks' && now - at > STALE_MS)
  const garbage = files.filter((file) => !stale.includes(file) && isGarbage(file))
  const old = garbage.filter((file) => now - file.at > UPLOAD_MS || isShort(file))
  const gone = new Set(dry_run ? [] : [...old, ...stale])
  for (const file of gone) await store.takeOut(repository, file)
  return {
    files: files.filter((file) => !gone.has(file)),
    problems: garbage.map((file) => garbageMessage(file, gone.has(file))),
  }
}

/** Returns whether its content has another digest than its name, or is too short. */
const isGarbage = (file: StoredFile) =>
  !HASH.test(file.name) || (file.sha256 !== undefined && file.sha256 !== file.name) || isShort(file)

/** Returns whether it is shorter than any encrypted text: restic ends with a panic at it. */
const isShort = ({ folder, name, size, sha256 }: StoredFile) =>
  folder !== 'keys' && sha256 === name && size < NONCE

function garbageMessage({ folder, name }: StoredFile, isOut: boolean): string {
  const path = `${folder}/${name.replace(/[^\w.-]/g, '?').slice(0, 80)}`
  return isOut
    ? `Removed garbage: ${path}`
    : `${path} is garbage, or is being written: a run removes it when it is a day old`
}

import { createHash } from 'node:crypto'
import { resticPath, resticSteps } from '#agent/features/backups/restic/program.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  type Bucket,
  deleteObject,
  listObjects,
  putObject,
  readObject,
  type S3Object,
} from '#agent/programs/keeper/s3/bucket.ts'
import { isNoRepository, KEEPER_FOLDER } from '#shared/backups/backup-find.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { renderIni } from '#shared/kernel/formats/ini.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { KeeperConfig, StoreSettings } from './config.ts'
import { folderStore } from './folder-store.ts'
import { type KeeperRun, type KeepResult, keepRepository } from './keep.ts'
import { readKey } from './key.ts'
import { type KeeperProblemLine, reportsOf } from './report.ts'
import {
  type KeeperState,
  newRepository,
  type RepositoryState,
  readState,
  writeState,
} from './state.ts'
import { FOLDERS, reportKey, type Store, type StoredFile } from './store.ts'

const STATE_DIR = '/var/lib/hosting-keeper'
const STATE_PATH = `${STATE_DIR}/state.json`

/** A line of the report: one for each repository, an empty name for a silent store. */
export interface ReportLine extends Partial<KeepResult> {
  at: string
  store: string
  repository: string
  /** `postponed` means that the time of the run was over. */
  status: 'ok' | 'problem' | 'failed' | 'postponed'
  problems?: KeeperProblemLine[]
  seconds: number
}

const storeOf = (host: Host, settings: StoreSettings, index: number): Store => {
  if (settings.kind === 's3') return s3Store(host, settings, `${STATE_DIR}/s3-${index}`)
  return folderStore(host, settings.path)
}

/** Runs over all repositories, oldest run first. Yields a line for each: none stops the others. */
export async function* runKeeper(
  given: Host,
  config: KeeperConfig,
  { dry_run = false } = {},
): AsyncGenerator<ReportLine, void> {
  const host = { ...given, settings: { ...given.settings, state_dir: STATE_DIR } }
  const key = await readKey(host.files)
  const state = await readState(host.files, STATE_PATH)
  const program = config.restic ?? (await provideRestic(host))
  const ends = host.clock.elapsed() + config.run_minutes * 60_000
  const left = () => ends - host.clock.elapsed()
  const now = host.clock.now()
  const { problem, ...clocked } = clockOf(state, now, config.keep.all_days)
  const save = () => writeState(host.files, STATE_PATH, state)
  const work = {
    host,
    restic: { program, left },
    config,
    key,
    now,
    save,
    clock_problem: problem,
    dry_run: dry_run || problem !== undefined,
  }
  const stores = config.stores.map((settings, index) => storeOf(host, settings, index))
  const { found, failed } = await repositoriesIn(stores)
  const at = new Date(now).toISOString()
  for (const [store, problem] of failed) {
    const outcome = { status: 'failed' as const, problems: [problem], seconds: 0 }
    yield { at, store: store.name, repository: '', ...outcome }
  }
  const lines: ReportLine[] = []
  const doneAt = ({ id }: { id: string }) => state.repositories[id]?.done ?? 0
  for (const { store, name, id } of found.sort((a, b) => doneAt(a) - doneAt(b))) {
    state.repositories[id] ??= newRepository()
    const started = host.clock.elapsed()
    const outcome =
      left() > 0
        ? await outcomeOf(work, store, name, state.repositories[id])
        : { status: 'postponed' as const }
    if (!work.dry_run) await save()
    const at = new Date(host.clock.now()).toISOString()
    const seconds = Math.round(host.clock.elapsed() - started) / 1000
    const line = { at, store: store.name, repository: name, ...outcome, seconds }
    lines.push(line)
    yield line
  }
  if (dry_run) return
  const { repositories } = work.dry_run ? await readState(host.files, STATE_PATH) : state
  await writeState(host.files, STATE_PATH, { repositories, ...clocked })
  await writeReports(
    host,
    key,
    stores.filter((store) => !failed.has(store)),
    lines,
  )
}

/** Writes the reports, which servers' credentials read. A failure stops no other. */
async function writeReports(
  host: Host,
  key: Secret,
  stores: readonly Store[],
  lines: readonly ReportLine[],
): Promise<void> {
  const at = new Date(host.clock.now()).toISOString()
  const failures: string[] = []
  for (const store of stores) {
    const own = lines.filter((line) => line.store === store.name)
    const failed = (error: unknown) => failures.push(`${store.name}: ${messageOf(error)}`)
    await store.report(reportsOf(key, at, own)).catch(failed)
  }
  if (failures.length > 0) throw new Error(`The report was not written: ${failures.join('; ')}`)
}

async function outcomeOf(
  work: KeeperRun,
  store: Store,
  name: string,
  state: RepositoryState,
): Promise<Pick<ReportLine, 'status' | 'backups' | 'forgotten' | 'problems'>> {
  const problems: KeeperProblemLine[] = []
  try {
    const kept = await keepRepository(work, store, name, { state, problems })
    return { status: problems.length > 0 ? 'problem' : 'ok', ...kept, problems }
  } catch (error) {
    problems.push({ code: 'failed', message: messageOf(error) })
    return { status: 'failed', problems }
  }
}

async function repositoriesIn(stores: readonly Store[]) {
  const failed = new Map<Store, KeeperProblemLine>()
  const all = stores.map(async (store) => {
    const names = await store.repositories().catch((error: unknown) => {
      failed.set(store, { code: 'failed', message: messageOf(error) })
      return []
    })
    return names
      .filter((name) => !isNoRepository(name))
      .map((name) => ({ store, name, id: `${store.name}/${name}` }))
  })
  return { found: (await Promise.all(all)).flat(), failed }
}

async function provideRestic(host: Host): Promise<string> {
  for (const { apply } of await resticSteps(host)) await apply()
  return resticPath(host)
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const MAX_BETWEEN_MS = 45 * DAY_MS
/** The maximum number of days for which nothing is deleted because the clock has jumped. */
const MAX_DOUBT_DAYS = 14

type ClockState = Pick<KeeperState, 'last_run' | 'doubt'>

/**
 * Returns what a run with this clock records in its state, and why it deletes nothing: with a wrong
 * clock all backups look old, and the locks of running programs look stale. A clock that jumped is
 * believed when runs have continued on it for `all_days`, and at once when it is back.
 */
export function clockOf(
  { last_run, doubt }: ClockState,
  now: number,
  all_days: number,
): ClockState & { problem?: string } {
  if (last_run === undefined || follows(last_run, now)) return { last_run: now }
  const continues = doubt !== undefined && follows(doubt.last, now)
  const since = continues ? doubt.since : now
  const days = Math.min(all_days, MAX_DOUBT_DAYS)
  if (now - since >= days * DAY_MS) return { last_run: now }
  const from = new Date(since + days * DAY_MS).toISOString().slice(0, 10)
  const problem = `The clock ${jumpOf(now - last_run)}: nothing is deleted until it is corrected, or until ${from} if it is right`
  return { last_run, doubt: { since, last: now }, problem }
}

const follows = (last: number, now: number) => now >= last - HOUR_MS && now - last <= MAX_BETWEEN_MS

const jumpOf = (ms: number) =>
  ms < 0
    ? 'is behind that of the last run'
    : `is ${Math.round(ms / DAY_MS)} days after the last run`

const NAME = /^[a-z_][a-z0-9_-]{0,31}$/
/** The maximum size of a file that is read; larger ones are indexes, which restic checks. */
const MAX_BYTES = 1 << 20

/**
 * Repositories in a bucket, with credentials of its owner, in a folder of root at `files`. Files
 * are read once, and not again while the bucket reports no change.
 */
export function s3Store(host: Host, bucket: Bucket, files: string): Store {
  const { clock } = host
  const base = `${bucket.prefix}/`
  const keyOf = (repository: string, { folder, name }: Pick<StoredFile, 'folder' | 'name'>) =>
    `${base}${repository}/${folder}/${name}`
  const digestOf = async ({ key, size }: S3Object) => {
    if (size > MAX_BYTES) return undefined
    return createHash('sha256')
      .update(await readObject(clock, bucket, key))
      .digest('hex')
  }
  return {
    name: `s3:${bucket.bucket}/${bucket.prefix}`,
    async repositories() {
      const { prefixes } = await listObjects(clock, bucket, { prefix: base, delimiter: '/' })
      return prefixes
        .map((prefix) => prefix.slice(base.length, -1))
        .filter((name) => NAME.test(name))
    },
    async files(repository) {
      const found: StoredFile[] = []
      for (const folder of FOLDERS) {
        const prefix = `${base}${repository}/${folder}/`
        const { objects } = await listObjects(clock, bucket, { prefix })
        for (const object of objects) {
          const { key, size, at } = object
          const sha256 = await digestOf(object)
          found.push({ folder, name: key.slice(prefix.length), size, at, sha256 })
        }
      }
      return found
    },
    read: async (repository, file) =>
      (await readObject(clock, bucket, keyOf(repository, file))).toString('utf8'),
    takeOut: (repository, file) => deleteObject(clock, bucket, keyOf(repository, file)),
    removeDrafts: async () => undefined,
    async report(texts) {
      const prefix = `${base}${KEEPER_FOLDER}/keys/`
      const own = new Map(texts.map((text) => [`${prefix}${reportKey(text)}`, text]))
      for (const [key, text] of own) await putObject(clock, bucket, key, text)
      const { objects } = await listObjects(clock, bucket, { prefix })
      for (const { key } of objects) if (!own.has(key)) await deleteObject(clock, bucket, key)
    },
    async restic(repository) {
      const { user, secret, ca, url } = bucket
      const own = renderIni('default', { aws_access_key_id: user, aws_secret_access_key: secret })
      await host.files.write(`${files}/aws`, own, { mode: 0o600 })
      if (ca !== '') await host.files.write(`${files}/ca.pem`, ca)
      const trust = ca === '' ? [] : ['--cacert', `${files}/ca.pem`]
      return {
        launcher: [],
        options: [...trust, '-o', `s3.region=${bucket.region}`],
        env: {
          RESTIC_REPOSITORY: `s3:${url.replace(/\/$/, '')}/${bucket.bucket}/${base}${repository}`,
          RESTIC_CACHE_DIR: `${files}/cache`,
          AWS_SHARED_CREDENTIALS_FILE: `${files}/aws`,
        },
      }
    },
  }
}

import { resticPath, resticSteps } from '#agent/features/backups/restic/program.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { isNoRepository } from '#shared/backups/backup-find.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { clockOf } from './clock.ts'
import type { KeeperConfig, StoreSettings } from './config.ts'
import { folderStore } from './folder-store.ts'
import { type Kept, keepRepository, type Work } from './keep.ts'
import { readKey } from './key.ts'
import { type Problem, reportsOf } from './report.ts'
import { s3Store } from './s3-store.ts'
import { newRepository, type RepositoryState, readState, writeState } from './state.ts'
import type { Store } from './store.ts'

const STATE_DIR = '/var/lib/hosting-keeper'
const STATE_PATH = `${STATE_DIR}/state.json`

/** A line of the report: one for each repository; with an empty name for a store that does not answer. */
export interface ReportLine extends Partial<Kept> {
  at: string
  store: string
  repository: string
  /** postponed: the time of the run was over. */
  status: 'ok' | 'problem' | 'failed' | 'postponed'
  problems?: Problem[]
  seconds: number
}

const storeOf = (host: Host, settings: StoreSettings, index: number): Store => {
  if (settings.kind === 's3') return s3Store(host, settings, `${STATE_DIR}/s3-${index}`)
  return folderStore(host, settings.path)
}

/**
 * One run over all repositories, those first whose last run is the longest ago. Yields a line for
 * each of them: none stops the others.
 */
export async function* runKeeper(
  given: Host,
  config: KeeperConfig,
  { dry_run = false } = {},
): AsyncGenerator<ReportLine, void> {
  const host = { ...given, settings: { ...given.settings, state_dir: STATE_DIR } }
  const key = await readKey(host.files)
  const state = await readState(host.files, STATE_PATH)
  const program = config.restic ?? (await provided(host))
  const ends = host.clock.elapsed() + config.run_minutes * 60_000
  const left = () => ends - host.clock.elapsed()
  const now = host.clock.now()
  const { problem, ...clocked } = clockOf(state, now, config.keep.all_days)
  const save = () => writeState(host.files, STATE_PATH, state)
  const work = {
    ...{ host, restic: { program, left }, config, key, now, save },
    ...{ clock_problem: problem, dry_run: dry_run || problem !== undefined },
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
  await report(
    host,
    key,
    stores.filter((store) => !failed.has(store)),
    lines,
  )
}

/** For the dashboard, which reads it with the credentials of a server. One that fails stops no other. */
async function report(
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
  work: Work,
  store: Store,
  name: string,
  state: RepositoryState,
): Promise<Pick<ReportLine, 'status' | 'backups' | 'forgotten' | 'problems'>> {
  const problems: Problem[] = []
  try {
    const kept = await keepRepository(work, store, name, { state, problems })
    return { status: problems.length > 0 ? 'problem' : 'ok', ...kept, problems }
  } catch (error) {
    problems.push({ code: 'failed', message: messageOf(error) })
    return { status: 'failed', problems }
  }
}

async function repositoriesIn(stores: readonly Store[]) {
  const failed = new Map<Store, Problem>()
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

async function provided(host: Host): Promise<string> {
  for (const { apply } of await resticSteps(host)) await apply()
  return resticPath(host)
}

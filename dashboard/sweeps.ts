import { statSync } from 'node:fs'
import { END_ACCESS_MS, endDueAccess } from '#dashboard/features/access/accounts/end-access.ts'
import { POLL_MS as ALERTS_MS } from '#dashboard/features/alerts/alerts.ts'
import { KEEPER_MS, readReports } from '#dashboard/features/backups/keeper/read-reports.ts'
import { recordSealed } from '#dashboard/features/backups/off-site/release-key.ts'
import { saveOffSite } from '#dashboard/features/backups/off-site/save-off-site.ts'
import {
  endRequest,
  findRequest,
  LOCAL_REQUEST,
  REQUEST,
} from '#dashboard/features/backups/off-site/state.queries.ts'
import { RECOVERY } from '#dashboard/features/backups/recovery-file.ts'
import { BACK_UP_MS, startDueBackups } from '#dashboard/features/backups/start-due-backups.ts'
import { startDueProofs } from '#dashboard/features/backups/start-due-proofs.ts'
import { undoRecords } from '#dashboard/features/domains/dns/undo-changes.ts'
import { sweepNumbers } from '#dashboard/features/metrics/numbers/update.ts'
import { sweepHistory } from '#dashboard/features/metrics/rollup.ts'
import { retryDueMoves } from '#dashboard/features/moves/retry-due-moves.ts'
import { backUpAside, backUpDaily } from '#dashboard/features/recovery/backup/daily.ts'
import { completeRecoveries } from '#dashboard/features/recovery/lost/complete-recoveries.ts'
import {
  COMPARE_MS,
  followStates,
  followVersions,
  forgetStates,
  LOOK_MS,
} from '#dashboard/features/reports/follow-states.ts'
import { SEND_MS, sendDueReports } from '#dashboard/features/reports/send-due-reports.ts'
import { SCAN_MS, startDueScans } from '#dashboard/features/reports/start-due-scans.ts'
import { CHECK_MS, startDueChecks } from '#dashboard/features/servers/isolation/start-due-checks.ts'
import {
  CONFIGURE_MS,
  startDueConfiguration,
} from '#dashboard/features/servers/maintenance/start-due-configuration.ts'
import { startDuePurges } from '#dashboard/features/sites/trash/start-due-purges.ts'
import { RecordError } from '#dashboard/kernel/activity/record.ts'
import type { DatabaseVersion } from '#dashboard/kernel/db/database-version.ts'
import { deleteExpired } from '#dashboard/kernel/db/retention.ts'
import { correctTimes } from '#dashboard/kernel/db/times.queries.ts'
import { FLEET } from '#dashboard/kernel/leases/shares.ts'
import { withSource } from '#dashboard/kernel/runtime/call-source.ts'
import { type Clock, nextMultiple, timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { ClockWatch } from '#dashboard/kernel/runtime/clock-watch.ts'
import { deleteUnneeded } from '#dashboard/kernel/trust/keys/queries.ts'
import { proveTime } from '#dashboard/kernel/trust/prove-time.ts'
import type { Config } from './config.ts'
import type { Deps } from './deps.ts'

const MINUTE_MS = 60_000
const BACKUP_MS = 10 * MINUTE_MS
/** The interval at which a requested backup is found, and a file that root has written. */
const POLL_MS = 5_000
/** The interval at which new activities get their links. */
const SEAL_MS = 5_000
/** The interval at which agents get a new checkpoint of the activity. */
const WITNESS_MS = 10 * MINUTE_MS
const VERIFY_MS = 6 * 60 * MINUTE_MS

type BackupConfig = Pick<Config, 'DATA_DIR' | 'BACKUPS_KEPT' | 'BACKUPS_STALL'>
type Sweep = [every_ms: number, sweep: (deps: Deps) => Promise<void>]

/** The scheduled work of a dashboard, and how often it runs. */
const SWEEPS: Record<string, Sweep> = {
  'clean-up': [60 * MINUTE_MS, cleanUp],
  'purge of the trash': [MINUTE_MS, startDuePurges],
  'undo of DNS records': [MINUTE_MS, (deps) => undoRecords(deps)],
  'end of the access of former accounts': [END_ACCESS_MS, endDueAccess],
  'end of moves': [MINUTE_MS, retryDueMoves],
  'completion of restores of lost servers': [MINUTE_MS, completeRecoveries],
  'start of backups': [BACK_UP_MS, startDueBackups],
  'start of proofs': [BACK_UP_MS, startDueProofs],
  'reading of the reports of keepers': [KEEPER_MS, readReports],
  'start of isolation checks': [CHECK_MS, startDueChecks],
  'configuration of unattended updates': [CONFIGURE_MS, startDueConfiguration],
  'record of the states of sites': [LOOK_MS, followStates],
  'record of installed updates': [COMPARE_MS, followVersions],
  'scan of sites with a report': [SCAN_MS, startDueScans],
  'mail of reports': [SEND_MS, sendDueReports],
  'clean-up of numbers': [5 * MINUTE_MS, ({ db, clock }) => sweepNumbers(db, clock.now())],
  'roll-up of metrics': [5 * MINUTE_MS, ({ db, clock }) => sweepHistory(db, clock.now())],
}

/** Work that depends on no time of day, also while no agent answers, which proves it. */
const ALWAYS: Record<string, Sweep> = {
  'sealing of the activity': [SEAL_MS, async ({ record }) => void (await record.seal())],
  'comparison of the activity with agents': [WITNESS_MS, ({ witnesses }) => witnesses.ask()],
  'verification of the activity': [VERIFY_MS, async ({ record }) => void (await record.verify())],
}

const MAIL: Record<string, Sweep> = {
  'mail of critical items': [ALERTS_MS, ({ alerts }) => alerts.look()],
}

/** Work that is started again and again, whether its last run has ended or not. */
type RepeatedWork = readonly [every_ms: number, start: () => void]

/**
 * Starts the scheduled work, which ends with the signal. Nothing is deleted or started by its age
 * while the time of day cannot be trusted. Of several dashboards, the one with the share of the
 * fleet does it. `newest` is the newest time in the records before this process.
 */
export function startSweeps(
  deps: Deps,
  config: BackupConfig,
  { newest, signal }: { newest: string | null; signal: AbortSignal },
): void {
  const { clock, leases, log } = deps
  const watch = new ClockWatch({ clock, newest, prove: () => proveClock(deps) })
  const sweepsOf = (
    sweeps: Record<string, Sweep>,
    isReady: () => Promise<boolean>,
  ): RepeatedWork[] =>
    Object.entries(sweeps).map(([name, [every_ms, sweep]]) => {
      const failed = (error: unknown) => log.error(`${name} failed`, error)
      return [every_ms, () => void whenReady(leases, isReady, () => sweep(deps)).catch(failed)]
    })
  const elsewhere = withoutOverlap(deps, () => backUpElsewhere(config, deps))
  const here = withoutOverlap(deps, () => backUpHere(config, deps, watch))
  void repeatAll(clock, signal, [
    ...sweepsOf(SWEEPS, () => watch.isTrusted()),
    ...sweepsOf({ ...ALWAYS, ...(deps.mailer ? MAIL : {}) }, async () => true),
    [MINUTE_MS, () => void keepCheckpoint(deps)],
    [BACKUP_MS, here],
    [MINUTE_MS, elsewhere],
    [POLL_MS, lookForRequests(deps, { elsewhere, here })],
    [POLL_MS, lookForSealed(deps, config.DATA_DIR)],
  ])
}

/** Starts all work at multiples of its interval. */
async function repeatAll(
  clock: Clock,
  signal: AbortSignal,
  all: readonly RepeatedWork[],
): Promise<void> {
  for (let before = clock.elapsed(); !signal.aborted; ) {
    const next = Math.min(...all.map(([every_ms]) => nextMultiple(before, every_ms)))
    await clock.sleep(next - clock.elapsed(), signal)
    if (signal.aborted) return
    const now = clock.elapsed()
    for (const [every_ms, start] of all) if (nextMultiple(before, every_ms) <= now) start()
    before = now
  }
}

/** Reads the requests only after a change of the records. */
function lookForRequests(deps: Deps, work: { elsewhere: () => void; here: () => void }) {
  let searched: DatabaseVersion | undefined
  return async () => {
    const version = await deps.db.version()
    if (version !== undefined && version === searched) return
    const found = [
      await startIfRequested(deps, REQUEST, work.elsewhere),
      await startIfRequested(deps, LOCAL_REQUEST, work.here),
    ]
    // Found ones may have to wait for work that runs.
    searched = found.includes(true) ? undefined : version
  }
}

/** Records the file that root writes after a change, whose time is read synchronously. */
function lookForSealed({ db, leases, log }: Deps, data_dir: string) {
  let seen: number | undefined
  return () => {
    const changed_at = changedAt(`${data_dir}/${RECOVERY}`)
    if (changed_at === seen || !leases.holds(FLEET)) return
    seen = changed_at
    recordSealed(db, data_dir).catch((error: unknown) => {
      seen = undefined
      log.error('the sealed release key could not be recorded', error)
    })
  }
}

/** Returns the time of the change; 0 when there is no file, or it cannot be read. */
function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
  } catch {
    return 0
  }
}

/** Keeps the last checkpoint of the activity, at each dashboard: each of them is a witness. */
async function keepCheckpoint({ record, log }: Deps): Promise<void> {
  await unlessChanged(record.keep()).catch((error: unknown) =>
    log.error('the checkpoint was not kept', error),
  )
}

/** Nothing follows a record of the activity that was changed, which the sealing has logged. */
async function unlessChanged(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!(error instanceof RecordError)) throw error
  })
}

/** Does work of the fleet, at the dashboard that has it. */
async function whenReady(
  leases: Deps['leases'],
  isReady: () => Promise<boolean>,
  work: () => Promise<void>,
): Promise<void> {
  if (!leases.holds(FLEET) || !(await isReady()) || !leases.holds(FLEET)) return
  await leases.run(FLEET, () => withSource('schedule', work))
}

/**
 * Checks the clock, then corrects recorded times that are in the future, before any work starts
 * that depends on the age of records. Returns false when the time cannot be proven.
 */
async function proveClock(deps: Deps): Promise<boolean> {
  const { db, clock, log } = deps
  if (!(await proveTime(deps))) return false
  const corrected = await correctTimes(db, clock.now())
  if (corrected > 0) log.info('times of the future were corrected in the records')
  return true
}

/** Starts the work of a request. Returns whether there is one, or may be one. */
async function startIfRequested(
  { db, log }: Deps,
  key: Parameters<typeof findRequest>[1],
  work: () => void,
): Promise<boolean> {
  try {
    const isFound = (await findRequest(db, key)) !== undefined
    if (isFound) work()
    return isFound
  } catch (error) {
    log.error('search for a requested backup failed', error)
    return true
  }
}

/** Starts work of the fleet that may take longer than its interval, unless it runs. */
function withoutOverlap({ leases, log }: Deps, work: () => Promise<void>): () => void {
  let isRunning = false
  return () => {
    if (isRunning || !leases.holds(FLEET)) return
    isRunning = true
    leases
      .run(FLEET, () => withSource('schedule', work))
      .catch((error: unknown) => log.error('backup failed', error))
      .finally(() => {
        isRunning = false
      })
  }
}

async function cleanUp({ db, clock, record }: Deps): Promise<void> {
  await deleteExpired(db, clock.now())
  await unlessChanged(record.deleteExpired(clock.now()))
  await deleteUnneeded(db, timestamp(clock))
  await forgetStates({ db, clock })
}

/** A request is over even if it fails: the backup of the day is tried again. */
async function backUpHere(config: BackupConfig, deps: Deps, watch: ClockWatch): Promise<void> {
  const { DATA_DIR: data_dir, BACKUPS_KEPT: kept } = config
  const { db, clock, log } = deps
  const request = await findRequest(db, LOCAL_REQUEST)
  const folder = `${data_dir}/backups`
  await backUpDaily({
    folder,
    kept,
    now: clock.now,
    log,
    backUp: (path) => backUpAside(path),
    mayDelete: () => watch.isTrusted(),
    isRequested: request !== undefined,
  })
  if (request) await endRequest(db, request, LOCAL_REQUEST)
}

async function backUpElsewhere(config: BackupConfig, deps: Deps): Promise<void> {
  if (!deps.off_site) return
  const { DATA_DIR: data_dir, BACKUPS_STALL: seconds } = config
  const backUp = (path: string) => backUpAside(path, { with_secrets: true })
  await saveOffSite({ ...deps, data_dir, stall_ms: seconds * 1000, backUp })
}

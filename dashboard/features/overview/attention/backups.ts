import { listFailed } from '#dashboard/features/backups/attention.queries.ts'
import { reportsOf } from '#dashboard/features/backups/keeper/reports.ts'
import { keeperView, LATE_MS } from '#dashboard/features/backups/keeper/view.ts'
import { listMissing } from '#dashboard/features/backups/missing-backups.queries.ts'
import { listKept } from '#dashboard/features/backups/queries.ts'
import { listRestoreRequests } from '#dashboard/features/backups/restore-requests.queries.ts'
import {
  type BackupPart,
  readBackupParts,
} from '#dashboard/features/backups/server-parts.queries.ts'
import { obstacleOf } from '#dashboard/features/backups/show-backups.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { cachedParts } from '#dashboard/features/sites/listing/cached-parts.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import { isOnServers } from '#dashboard/kernel/db/server-sites.ts'
import { isSingleSite } from '#dashboard/kernel/http/visible.queries.ts'
import { partsOf, type Visible } from '#dashboard/kernel/http/visible.ts'
import type { KeeperReport } from '#shared/backups/keeper-report.ts'
import { isDue, isInFuture } from '#shared/kernel/age.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import { counted, groupOf, item, serverItem, siteItem, withAdvice } from './item.ts'
import { proofTroubles } from './proofs.ts'

interface FleetNames {
  versions: ReadonlyMap<number, number>
  names: ReadonlyMap<number, string>
}

/** Returns the backup parts of all servers; only those of changed servers are read again. */
const listParts = cachedParts(
  async (db, server_ids, context: Parameters<typeof readBackupParts>[2]) => {
    const found = await readBackupParts(db, isOnServers(server_ids), context)
    return new Map(server_ids.map((id) => [id, found.get(id) ?? EMPTY_PART]))
  },
  ({ valid_until }) => valid_until,
)

const EMPTY_PART: BackupPart = {
  scheduled: 0,
  late: 0,
  over_a_week: 0,
  longest: null,
  failed: 0,
  unproven: 0,
  valid_until: Number.POSITIVE_INFINITY,
}

type LateServer = ReturnType<typeof lateServers>[number]
type MissingBackup = Awaited<ReturnType<typeof listMissing>>[number]
type FailedBackup = Awaited<ReturnType<typeof listFailed>>[number]

const OBSTACLES = {
  no_kit:
    'Sites are not backed up, since no recovery kit is confirmed: create one on the page Backups, and store it safely',
  no_target: 'Sites are not backed up, since there is no target: add one on the page Backups',
  target_unchecked:
    'Sites are not backed up, since the default target is not checked: check it from a server on the page Backups',
} as const

/** Sites without a recent backup, once backups can start at all: until then, one suggestion. */
export async function backupTroubles(
  db: Database,
  {
    versions,
    names,
    now,
    since,
    visible,
  }: FleetNames & { now: Date; since: string; visible: Visible | undefined },
): Promise<Attention[]> {
  const { backup_every: every, proof_every } = await getSettings(db)
  const moment = { every, proof_every, now }
  const present = await obstacleOf(db)
  const context = { ...moment, ever: present !== null }
  const key = `${every} ${proof_every} ${context.ever}`
  const ofServers = await listParts(db, versions, { key, now, context })
  const parts = visible
    ? partsOf(visible, ofServers, await readBackupParts(db, isSingleSite(visible), context))
    : ofServers
  const obstacle = [...parts.values()].some(({ scheduled }) => scheduled > 0) ? present : null
  const late = lateServers(parts, names)
  const failed = await listFailed(db, { ...moment, since, limit: SHOWN, visible })
  const missing = await listMissing(db, { since, limit: SHOWN, visible })
  const late_sites = late.reduce((sum, { late: sites }) => sum + sites, 0)
  const requests = await listRestoreRequests(db, visible, SHOWN)
  return [
    ...groupOf('restore_requested', requests.map(requestItem), requests[0]?.total ?? 0),
    ...groupOf('backup_missing', missing.map(missingItem), missing[0]?.total ?? 0),
    ...groupOf('backup_late', late.map(lateItem), late_sites),
    ...groupOf('backup_failed', failed.map(failedItem), failed[0]?.total ?? 0),
    ...(await proofTroubles(db, moment, parts, visible)),
    ...(visible ? [] : await keeperTroubles(db, now)),
    ...groupOf('backup_setup', obstacle === null || visible ? [] : [setupItem(obstacle)]),
  ]
}

const setupItem = (obstacle: keyof typeof OBSTACLES): AttentionItem =>
  item({ severity: 'info', name: 'Backups of sites', reason: OBSTACLES[obstacle] })

const ADVICE = 'look at its page Backups for the reason'

/** By the name of the server. */
function lateServers(parts: ReadonlyMap<number, BackupPart>, names: FleetNames['names']) {
  const found = [...parts].flatMap(([server_id, { longest, ...part }]) => {
    if (longest === null) return []
    return [{ ...part, ...longest, server_id, server: names.get(server_id) ?? '' }]
  })
  return found.sort((one, other) => byServerName(one, other) || one.server_id - other.server_id)
}

const byServerName = (
  { server: one }: { server: string },
  { server: other }: { server: string },
) => (one < other ? -1 : Number(one > other))

/** Makes one item for each server, or for its only such site. */
function lateItem({
  server_id,
  server,
  late: total,
  over_a_week,
  ...site
}: LateServer): AttentionItem {
  const { id, domain, since, last_at } = site
  const severity = over_a_week > 0 ? 'critical' : 'warning'
  const last = last_at === null ? 'has never been backed up' : `was backed up last on ${day(since)}`
  if (total === 1) {
    const reason = `The site ${last}: ${ADVICE}`
    return siteItem({ id, domain, server_id }, { severity, reason, at: last_at })
  }
  const reason = `${counted(total, 'site')} have no recent backup (${domain} ${last}): look at the page Backups for the reasons`
  return serverItem(
    { id: server_id, name: server },
    { severity, reason, at: last_at, count: total },
  )
}

/** Makes an item for a missing backup: no keeper deletes the last backup of a site. */
function missingItem({ at, gone_at, target, ...site }: MissingBackup): AttentionItem {
  const reason = `The backup of ${day(at)} was in ${target} no longer when the next one was made: find out who deletes backups there, and check the server`
  return siteItem(site, { severity: 'critical', reason, at: gone_at })
}

type RestoreRequest = Awaited<ReturnType<typeof listRestoreRequests>>[number]

/** Makes an item of the request of a client; the note is on the page of the site. */
function requestItem({ at, by, email, backup_at, ...site }: RestoreRequest): AttentionItem {
  const what = backup_at === null ? 'a backup' : `the backup of ${day(backup_at)}`
  const reason = `${by} (${email}) asks to restore ${what}: restore it in the tab Backups, or dismiss the request there`
  return siteItem(site, { severity: 'warning', reason, at })
}

function failedItem({ error, operation_id, finished_at, ...site }: FailedBackup): AttentionItem {
  const why = error?.message ?? error?.error ?? 'no reason was given'
  const next = site.scheduled
    ? 'correct the cause; the backup starts again automatically'
    : 'correct the cause, then retry'
  const reason = withAdvice(why, next)
  return siteItem(site, { severity: 'warning', reason, operation_id, at: finished_at })
}

const day = (time: string) => time.slice(0, 10)

type KeptTarget = Awaited<ReturnType<typeof listKept>>[number]

/** Lists the targets whose keeper does not run, or found damaged data or another problem. */
async function keeperTroubles(db: Database, now: Date): Promise<Attention[]> {
  const targets = await listKept(db)
  const reportOf = await reportsOf(db)
  return groupOf(
    'backup_keeper',
    targets.flatMap((target) => troubleOf(target, reportOf(target), now) ?? []),
  )
}

const LOOK_AT_LOG = 'look at its log beside the storage'

function troubleOf(
  { name, place, has_backups, created_at }: KeptTarget,
  report: KeeperReport | null,
  now: Date,
): AttentionItem | undefined {
  if (!has_backups || place.kind === 'local') return undefined
  if (!report) {
    const isNew = !isDue(created_at, LATE_MS, now)
    const reason = `No report of the keeper was found: ${LOOK_AT_LOG}, or remove its key from the target`
    return isNew ? undefined : item({ severity: 'info', name, reason })
  }
  const { at, is_late, troubled, problems } = keeperView(report, now)
  const [first] = problems
  if (first?.code === 'damaged') {
    const found = `Damaged data in the backups of ${first.repository} (${first.message})`
    const reason = withAdvice(found, 'replace the disk of the storage, then repair the repository')
    return item({ severity: 'critical', name, reason, at })
  }
  if (isInFuture(at, now)) {
    const found = `The last report of the keeper is of ${at.slice(0, 10)}, which is in the future`
    const reason = withAdvice(found, 'correct the clock of its machine, then start it again')
    return item({ severity: 'warning', name, reason })
  }
  if (is_late) {
    const reason = `The keeper has not run since ${at.slice(0, 10)}, and old backups stay: ${LOOK_AT_LOG}`
    return item({ severity: 'warning', name, reason, at })
  }
  if (!first) return undefined
  const reason = withAdvice(
    `The keeper has problems with ${counted(troubled, 'site')} (${first.repository}: ${first.message})`,
    LOOK_AT_LOG,
  )
  return item({ severity: 'warning', name, reason, at })
}

import type { Database } from '#dashboard/db/client.ts'
import { getSettings } from '#dashboard/settings/queries.ts'
import { hasScheduled, listFailed, listLate } from '#dashboard/site-backups/attention.queries.ts'
import { listMissing } from '#dashboard/site-backups/gone.queries.ts'
import { obstacleOf } from '#dashboard/site-backups/show-backups.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/api/attention.ts'
import { advised, counted, groupOf, item, ofServer, ofSite } from './item.ts'
import { keeperTroubles } from './keepers.ts'
import { proofTroubles } from './proofs.ts'

type Late = Awaited<ReturnType<typeof listLate>>[number]
type Missing = Awaited<ReturnType<typeof listMissing>>[number]
type Failed = Awaited<ReturnType<typeof listFailed>>[number]

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
  { now, since }: { now: Date; since: string },
): Promise<Attention[]> {
  const { backup_every: every, proof_every } = await getSettings(db)
  const moment = { every, proof_every, now }
  const obstacle = (await hasScheduled(db, moment)) ? await obstacleOf(db) : null
  const late = await listLate(db, { ...moment, ever: obstacle !== null })
  const failed = await listFailed(db, { ...moment, since, limit: SHOWN })
  const missing = await listMissing(db, { since, limit: SHOWN })
  const late_sites = late.reduce((sum, { total }) => sum + total, 0)
  return [
    ...groupOf('backup_missing', missing.map(missingItem), missing[0]?.total ?? 0),
    ...groupOf('backup_late', late.map(lateItem), late_sites),
    ...groupOf('backup_failed', failed.map(failedItem), failed[0]?.total ?? 0),
    ...(await proofTroubles(db, moment)),
    ...(await keeperTroubles(db, now)),
    ...groupOf('backup_setup', obstacle === null ? [] : [setupItem(obstacle)]),
  ]
}

const setupItem = (obstacle: keyof typeof OBSTACLES): AttentionItem =>
  item({ severity: 'info', name: 'Backups of sites', reason: OBSTACLES[obstacle] })

const ADVICE = 'look at its page Backups for the reason'

/** One item for each server, or for its only such site. */
function lateItem({ server_id, server, total, over_a_week, ...site }: Late): AttentionItem {
  const { domain, since, last_at } = site
  const severity = over_a_week > 0 ? 'critical' : 'warning'
  const last = last_at === null ? 'has never been backed up' : `was backed up last on ${day(since)}`
  if (total === 1) {
    const reason = `The site ${last}: ${ADVICE}`
    return ofSite({ ...site, server_id }, { severity, reason, at: last_at })
  }
  const reason = `${counted(total, 'site')} have no recent backup (${domain} ${last}): look at the page Backups for the reasons`
  return ofServer({ id: server_id, name: server }, { severity, reason, at: last_at, count: total })
}

/** No keeper deletes the last backup of a site. */
function missingItem({ at, gone_at, target, ...site }: Missing): AttentionItem {
  const reason = `The backup of ${day(at)} was in ${target} no longer when the next one was made: find out who deletes backups there, and check the server`
  return ofSite(site, { severity: 'critical', reason, at: gone_at })
}

function failedItem({ error, operation_id, finished_at, ...site }: Failed): AttentionItem {
  const why = error?.message ?? error?.error ?? 'no reason was given'
  const next = site.scheduled
    ? 'correct the cause; the backup starts again automatically'
    : 'correct the cause, then retry'
  const reason = advised(why, next)
  return ofSite(site, { severity: 'warning', reason, operation_id, at: finished_at })
}

const day = (time: string) => time.slice(0, 10)

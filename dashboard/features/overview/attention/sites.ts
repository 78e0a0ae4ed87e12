import { needsIn, phpIn, type ServerGroups } from '#dashboard/features/overview/parts/sites.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { healthAdvice } from '#shared/health/health-advice.ts'
import { namesRemedy } from '#shared/kernel/errors.ts'
import { type Attention, type AttentionItem, SHOWN } from '#shared/overview/api/attention.ts'
import { supportEnds } from '#shared/php/php-support.ts'
import type { DiskUse } from '#shared/servers/api/disk-use.ts'
import { diskLevelOf, diskShares, usedBytes } from '#shared/servers/disk-levels.ts'
import { counted, groupOf, item, siteItem, withAdvice } from './item.ts'
import { type DiskSite, type FailedOperation, type NeedySite, readNeeds } from './queries.ts'

const MAX_FEW = 5

interface SiteParts {
  groups: ServerGroups
  silent: ReadonlySet<number>
  systems: ReadonlyMap<number, string>
}

/** Returns the items of sites and failed operations. `systems` has the system of each server. */
export async function siteTroubles(
  db: Database,
  {
    groups,
    silent,
    systems,
    now,
    since,
    visible,
  }: { now: Date; since: string; visible: Visible | undefined } & SiteParts,
): Promise<Attention[]> {
  const totals = needsIn(groups, silent)
  const needs = await readNeeds(db, {
    now,
    since,
    shown: SHOWN,
    few: MAX_FEW,
    totals,
    visible,
  })
  const { down, degraded, failures, lost, expiring, outdated, conflicts } = needs
  const { disks, operations } = needs
  const withOs = phpIn(groups).map((row) => ({ ...row, os: systems.get(row.server_id) ?? '' }))
  return [
    ...groupOf('site_down', down.map(healthItem('critical')), totalOf(down), { health: 'down' }),
    ...groupOf('site_degraded', degraded.map(healthItem('warning')), totalOf(degraded), {
      health: 'degraded',
    }),
    ...groupOf('site_failed', failures.map(failed), totalOf(failures), { status: 'failed' }),
    ...groupOf('site_missing', lost.map(missing), totalOf(lost), { status: 'missing' }),
    ...groupOf('certificate', expiring.map(certificate(now)), totalOf(expiring), {
      expiring: 'true',
    }),
    ...groupOf('site_disk', disks.flatMap(diskUse), totalOf(disks)),
    ...groupOf('updates', outdated.map(updates), totalOf(outdated), {
      status: 'active',
      updates: 'true',
    }),
    ...groupOf('name_conflict', conflicts.map(conflict), totalOf(conflicts), {
      status: 'active,suspended',
      managed: 'false',
      conflict: 'true',
    }),
    ...groupOf('operation_failed', operations.map(operation), totalOf(operations)),
    ...endOfLife(withOs, now),
  ]
}

const totalOf = ([first]: readonly { total: number }[]) => first?.total ?? 0

function failed(site: NeedySite): AttentionItem {
  const { status_reason, operation_id } = site
  const reason = withAdvice(status_reason, 'retry the operation, or delete the site')
  return siteItem(site, { severity: 'critical', reason, operation_id })
}

function missing(site: NeedySite): AttentionItem {
  const instead = site.found ? 'ignore it here' : 'delete it here as well'
  const advice = `look for it on the server, or ${instead}`
  const reason = withAdvice(site.status_reason, advice)
  return siteItem(site, { severity: site.found ? 'warning' : 'critical', reason })
}

const certificate =
  (now: Date) =>
  (site: NeedySite): AttentionItem => {
    const { certificate_expires_at: at, tls, found } = site
    const dns = tls === 'letsencrypt' ? ', and make sure that the domain points to its server' : ''
    const advice = found ? 'renew it on its server' : `renew it${dns}`
    const over = at <= now.toISOString()
    const when = `${over ? 'expired' : 'expires'} on ${at.slice(0, 10)}`
    const reason = `Its certificate ${when}: ${advice}`
    return siteItem(site, { severity: over ? 'critical' : 'warning', reason, at })
  }

function conflict(site: NeedySite): AttentionItem {
  const reason =
    'Another server has a site with this name: check which one the DNS points to, and ignore the other'
  return siteItem(site, { severity: 'info', reason })
}

function updates(site: NeedySite): AttentionItem {
  const { updates_plugins, updates_themes, updates_core } = site
  const parts = [
    ...(updates_plugins ? [counted(updates_plugins, 'plugin')] : []),
    ...(updates_themes ? [counted(updates_themes, 'theme')] : []),
    ...(updates_core ? ['WordPress itself'] : []),
  ]
  const last = parts.pop()
  const what = parts.length > 0 ? `${parts.join(', ')} and ${last}` : last
  return siteItem(site, { severity: 'info', reason: `Update ${what} in its WordPress` })
}

function operation(failed: FailedOperation): AttentionItem {
  const { id, server_id, site_id, domain, error, finished_at } = failed
  const why = error?.message ?? error?.error ?? 'no reason was given'
  const isMismatch = error?.code === 'result_mismatch' || error?.code === 'foreign_address'
  const advice = isMismatch ? 'check the server before you retry' : 'correct the cause, then retry'
  const reason = error && namesRemedy(error) ? why : withAdvice(why, advice)
  const where = { server_id, site_id, operation_id: id, name: domain }
  const severity = isMismatch ? 'critical' : 'warning'
  return item({ ...where, severity, reason, at: finished_at })
}

/** Makes one item for each version, the longest without fixes first. */
function endOfLife(
  rows: readonly { php: string; os: string; total: number }[],
  now: Date,
): Attention[] {
  const today = now.toISOString().slice(0, 10)
  const found = new Map<string, { ends: string; total: number }>()
  for (const { php, os, total } of rows) {
    const ends = supportEnds(php, os)
    if (ends === undefined || ends >= today) continue
    const before = found.get(php)
    const latest = before && before.ends > ends ? before.ends : ends
    found.set(php, { ends: latest, total: total + (before?.total ?? 0) })
  }
  const versions = [...found].sort(([one], [other]) => Number(one) - Number(other))
  const total = versions.reduce((sum, [, { total }]) => sum + total, 0)
  const query = { php: versions.map(([php]) => php).join(',') }
  return groupOf('php_eol', versions.map(ofVersion), total, query)
}

function ofVersion([php, { ends, total }]: [string, { ends: string; total: number }]) {
  const reason = `No security fixes since ${ends}: move ${counted(total, 'site')} to a newer PHP`
  const query = { php }
  return item({ severity: 'warning', name: `PHP ${php}`, reason, at: ends, count: total, query })
}

/** Makes the item of a site that does not work properly, with advice. */
const healthItem =
  (severity: 'critical' | 'warning') =>
  (site: NeedySite): AttentionItem => {
    const { health_code, health_reason, health_since: at } = site
    const advice = healthAdvice(health_code, site) ?? 'look at its log'
    return siteItem(site, { severity, reason: withAdvice(health_reason, advice), at })
  }

const UNKNOWN =
  'Its disk use could not be measured: look on the server for folders that are very large or that its user cannot read'

/** Makes the item of a site near or over a limit of its tier, or without a measurement. */
function diskUse({ id, server_id, domain, tier, disk }: DiskSite): AttentionItem[] {
  const level = disk && diskLevelOf(disk)
  if (!level) return []
  const advice = tier === 'large' ? 'remove what is not needed' : 'remove files, or raise its tier'
  const reason =
    level === 'unknown' ? UNKNOWN : `It uses ${used(disk)} of its tier ${tier}: ${advice}`
  const severity = level === 'over' ? 'critical' : 'warning'
  return [item({ severity, server_id, site_id: id, name: domain, reason, at: disk.measured_at })]
}

function used(use: DiskUse): string {
  const shares = diskShares(use)
  if (shares.files > shares.bytes)
    return `${whole(use.files ?? 0)} files of the ${whole(use.limit_files)}`
  return `${gigabytes(usedBytes(use) ?? 0)} of the ${gigabytes(use.limit_bytes)}`
}

const whole = (value: number) => value.toLocaleString('en-US')
/** Writes gigabytes, rounded down, so that they never exceed the actual use. */
const gigabytes = (bytes: number) => `${(Math.floor(bytes / 1e8) / 10).toLocaleString('en-US')} GB`

import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import { findGrants } from '#dashboard/kernel/auth/grants.queries.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { refuseUnknown, targetsError } from '#dashboard/kernel/bulk/create-bulk.ts'
import { unknownServers, unknownSites } from '#dashboard/kernel/bulk/targets.queries.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { visibleTo } from '#dashboard/kernel/http/visible.queries.ts'
import type { Visible } from '#dashboard/kernel/http/visible.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import {
  type ChangedRecipients,
  type ChangeRecipients,
  MAX_RECIPIENTS,
} from '#shared/reports/api/report.ts'
import {
  listReportedSites,
  type ReportedSite,
  replaceReportSettings,
} from './recipients.queries.ts'

type Deps = MarkedRecords & Pick<CommonDeps, 'db' | 'clock'>

/**
 * Changes who gets the reports of many sites, each with an entry of the activity, or returns what
 * that would change. Only sites where the caller may do so count; one that is named and another
 * one is refused with 422, like one that does not exist.
 */
export async function changeRecipients(
  deps: Deps,
  input: ChangeRecipients,
  { visible, user_id }: { visible: Visible | undefined; user_id: number },
): Promise<ChangedRecipients> {
  const { db } = deps
  const { site_ids, server_ids, client_id } = input.targets
  refuseUnknown('server', await unknownServers(db, server_ids, visible))
  refuseUnknown('site', await unknownSites(db, site_ids, visible))
  const ofClient = client_id === undefined ? undefined : await sitesOfClient(deps, client_id)
  const sites = await listReportedSites(db, { ...input.targets, ofClient, visible })
  if (sites.length === 0) throw targetsError('No site is selected')
  const changes = sites.flatMap((site) => changeOf(site, input) ?? [])
  return answerOf(input.dry_run ? changes : await applyAll(deps, changes, user_id))
}

/** Returns what a client sees. Throws 422 for an account that is not one of a client. */
async function sitesOfClient(deps: Deps, user_id: number): Promise<Visible> {
  const held = await findGrants(deps, user_id)
  const visible = await visibleTo(deps.db, held, 'client')
  if (!visible || held.parts.length === 0)
    throw targetsError('client_id must be the account of a client')
  return visible
}

interface Change {
  site: ReportedSite
  enabled: boolean
  recipients: string[]
  /** What is different, for the activity. */
  detail: string
  /** Why the site stays as it is. */
  refusal?: string
}

/** Returns the change of a site; undefined for one that is so already. */
function changeOf(
  site: ReportedSite,
  { add, remove, enable }: Pick<ChangeRecipients, 'add' | 'remove' | 'enable'>,
): Change | undefined {
  const removed = site.recipients.filter((one) => remove.includes(one))
  const added = add.filter((one) => !site.recipients.includes(one))
  const kept = site.recipients.filter((one) => !removed.includes(one))
  const recipients = [...kept, ...added]
  const enabled = (site.enabled || enable) && recipients.length > 0
  const parts = [
    ...(added.length > 0 ? [`added ${added.join(' and ')}`] : []),
    ...(removed.length > 0 ? [`removed ${removed.join(' and ')}`] : []),
    ...(enabled === site.enabled ? [] : [enabled ? 'turned on' : 'turned off']),
  ]
  const change = { site, enabled, recipients, detail: parts.join(', ') }
  if (recipients.length > MAX_RECIPIENTS)
    return { ...change, refusal: `It would have more than ${MAX_RECIPIENTS} addresses` }
  if (parts.length > 0) return change
  return enable && !enabled ? { ...change, refusal: 'It has no address' } : undefined
}

/** Makes the changes, and returns them; one that somebody else has made meanwhile is refused. */
async function applyAll(
  { db, clock }: Deps,
  changes: readonly Change[],
  user_id: number,
): Promise<Change[]> {
  const made: Change[] = []
  for (const change of changes) {
    const { site, enabled, recipients, detail } = change
    const { domain, server_id } = site
    const entry = entryOf(clock, { type: 'report.settings', domain, server_id, user_id, detail })
    const enabled_at = enabled ? (site.enabled_at ?? timestamp(clock)) : null
    const isDone =
      change.refusal !== undefined ||
      (await replaceReportSettings(db, site, { enabled, enabled_at, recipients }, entry))
    made.push(isDone ? change : { ...change, refusal: 'Somebody else has changed it just now' })
  }
  return made
}

function answerOf(changes: readonly Change[]): ChangedRecipients {
  const placeOf = ({ site_id, server_id, domain }: ReportedSite) => ({ site_id, server_id, domain })
  return {
    changed: changes
      .filter(({ refusal }) => refusal === undefined)
      .map(({ site, enabled, recipients }) => ({ ...placeOf(site), enabled, recipients })),
    skipped: changes.flatMap(({ site, refusal: reason }) =>
      reason === undefined ? [] : [{ ...placeOf(site), reason }],
    ),
  }
}

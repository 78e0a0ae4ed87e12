import { effectiveSettings } from '#dashboard/features/backups/effective.queries.ts'
import { createParams } from '#dashboard/features/backups/params.ts'
import { liveSiteOf } from '#dashboard/features/copies/copy-source.ts'
import { checkPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { foreignChanges, refuseUnaccepted } from '#dashboard/kernel/engine/foreign-changes.ts'
import type { OperationTarget, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { findMove } from '#dashboard/kernel/targets/moves.queries.ts'
import { conflict, invalid, ServiceError } from '#shared/kernel/errors.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { refuseDeleted } from './move-row.ts'
import { isUndecided } from './move-state.ts'
import { findNamesakes, findServer } from './queries.ts'

type Deps = Pick<RulesDeps, 'db' | 'sealer'>
type MoveDeps = Deps & Pick<RulesDeps, 'agents' | 'marks'>

/** Returns the params of a move. Throws like `checkMove`, and 422 on `accept` for others. */
export async function moveParams(
  deps: MoveDeps,
  { server, site }: OperationTarget,
  { server_id, accept }: { server_id: number; accept?: string[] | undefined },
): Promise<{ server_id: number; accept?: string[] }> {
  if (!site) throw new Error('The operation has no site')
  const { changes } = await checkMove(deps, { server, site }, server_id)
  refuseUnaccepted(changes, accept)
  return { server_id, ...(accept && { accept }) }
}

/**
 * Returns the new server, and what it would change that Hosting Control did not make. Throws 422 for
 * a server that cannot take the site, and 409 for a site that cannot move now, or whose move would
 * break a rule of the access policy.
 */
export async function checkMove(
  deps: MoveDeps,
  { server, site }: { server: ServerRow; site: SiteRow },
  server_id: number,
): Promise<{ other: ServerRow; changes: Effect[] }> {
  const other = fitServer(server, site, await findServer(deps.db, server_id))
  const isOpen = await refuseUnfitSite(deps, site, server_id)
  await refuseNamesThere(deps, site, server_id)
  await checkPolicy(deps, { site: { site_id: site.id, server_id } })
  // The copy of a move that has not ended may be there already.
  const changes = isOpen
    ? []
    : await foreignChanges(deps, other, moveSiteParams(site)).catch(explainUnfit)
  return { other, changes }
}

/** Throws the refusal of a new site as one of the move, which has other fields. */
function explainUnfit(error: unknown): never {
  const fields = error instanceof ServiceError ? error.body.fields : undefined
  throw fields ? invalid({ server_id: Object.values(fields).flat() }) : error
}

/** Returns the part of the record of a site that the new server gets. */
export function moveSiteParams(site: SiteRow) {
  const { domain, user, php, tier, email, database_routines, xmlrpc } = site
  const tls = site.tls === 'other' ? ('none' as const) : site.tls
  return { domain, user, php, tier, tls, email, database_routines, xmlrpc }
}

function fitServer(here: ServerRow, { php }: SiteRow, other: ServerRow | undefined): ServerRow {
  const refuse = (reason: string) => invalid({ server_id: [reason] })
  if (!other) throw refuse('Is not a server of this dashboard')
  if (other.id === here.id) throw refuse('The site is on this server already')
  if (other.status !== 'online') throw refuse(`${other.name} is not online`)
  if (!other.php_versions.includes(php)) {
    throw refuse(
      `${other.name} does not have PHP ${php}: install it there, or change that of the site`,
    )
  }
  return other
}

async function refuseUnfitSite(deps: Deps, site: SiteRow, server_id: number): Promise<boolean> {
  const before = await findMove(deps.db, site.id)
  if (before && before.moved_at !== null) {
    throw conflict(`${site.domain} has moved before: confirm that move, or move the site back`)
  }
  const isOpen = before !== undefined && isUndecided(before)
  if (isOpen && before.other_id !== server_id) {
    throw conflict(`A move of ${site.domain} to another server has not ended: retry it first`)
  }
  refuseMissing(site, isOpen)
  if (site.staging) await liveSiteOf(deps.db, site.id)
  const { exclude } = await effectiveSettings(deps.db, site.id)
  if (exclude.length > 0) {
    throw conflict(
      `The backups of ${site.domain} leave out files, which would be missing after a move: include them first`,
    )
  }
  await createParams(deps, site, undefined)
  return isOpen
}

/** Throws if another site of the new server, such as a discovered one, has one of the names. */
async function refuseNamesThere({ db }: Deps, site: SiteRow, server_id: number): Promise<void> {
  const [found] = await findNamesakes(db, site, server_id)
  if (!found) return
  const { domain, server, status } = found
  const where =
    status === 'trashed'
      ? `${server} has ${domain} in its trash`
      : `${server} has the site ${domain}`
  throw conflict(`${where}, and that is a name of ${site.domain}: remove one of them first`)
}

/** Throws for a missing site, unless its move is unfinished and only needs to be repeated. */
function refuseMissing({ status, domain }: SiteRow, isOpen: boolean): void {
  if (status !== 'missing' || isOpen) return
  throw conflict(`${domain} is not in use: its status is missing`)
}

/** Throws 409 unless the site has moved and is not confirmed. */
export async function refuseUnmoved({ db }: Deps, { id, domain }: SiteRow): Promise<void> {
  const move = await findMove(db, id)
  if (!move || move.moved_at === null) throw conflict(`${domain} has no move to confirm or to undo`)
}

/** Throws 409 for a site that cannot move back now. */
export async function moveBackParams(
  deps: Deps,
  site: SiteRow,
  { discard_changes }: { discard_changes: boolean },
): Promise<{ discard_changes: boolean }> {
  await refuseUnmoved(deps, site)
  const before = await findMove(deps.db, site.id)
  refuseDeleted(before, site.domain)
  refuseMissing(site, before !== undefined && isUndecided(before))
  const other = before && (await findServer(deps.db, before.other_id))
  if (other?.status !== 'online') throw conflict(`${other?.name} is not online`)
  if (!discard_changes && !other.php_versions.includes(site.php)) {
    throw conflict(
      `${other.name} does not have PHP ${site.php}: install it there, or change that of the site`,
    )
  }
  return { discard_changes }
}

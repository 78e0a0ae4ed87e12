import { restoreParams } from '#dashboard/features/backups/params.ts'
import { findNewestBackup } from '#dashboard/features/backups/proofs.queries.ts'
import { stagingParams } from '#dashboard/features/copies/staging-access.ts'
import { type NameChange, readChanges } from '#dashboard/features/domains/dns/read-changes.ts'
import { storedChanges } from '#dashboard/features/domains/dns/stored-changes.ts'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import { copiesOfMove } from '#dashboard/features/moves/left-copies.ts'
import { moveSiteParams } from '#dashboard/features/moves/params.ts'
import { refuseTakenUser } from '#dashboard/features/sites/queries.ts'
import { makeSiteUser } from '#dashboard/features/sites/site-user.ts'
import { checkPolicy } from '#dashboard/kernel/auth/policy.queries.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import { getServer } from '#dashboard/kernel/db/targets.ts'
import type { OperationTarget, RulesDeps } from '#dashboard/kernel/engine/rules.ts'
import { isServiceError } from '#dashboard/kernel/runtime/error-code.ts'
import { addressesOf } from '#dashboard/kernel/targets/addresses.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import type { InputOf } from '#shared/operation-types.ts'
import { emailOf, findOrigin, listNamesakes } from './queries.ts'

const UNRESTORED: readonly SiteRow['status'][] = ['failed', 'cancelled']

type Input = InputOf<'site.recover'>

/** Throws 409 unless the server is lost and silent, and like `paramsFromBackup`. */
export async function recoverParams(deps: RulesDeps, target: OperationTarget, input: Input) {
  const lost = await lostServerOf(deps, requireSite(target))
  return paramsFromBackup(deps, lost, target, input)
}

/**
 * Returns the params of a site as it was, from its backup, on another server than the lost one.
 * Throws 409 for one that cannot take it, and where the site would break a rule of the access policy.
 */
export async function paramsFromBackup(
  deps: RulesDeps,
  lost: ServerRow,
  target: OperationTarget,
  { sites, dns, accept }: Input,
) {
  const { server } = target
  const site = requireSite(target)
  if (lost.id === server.id) throw conflict(`${server.name} is lost: choose another server`)
  await refuseUnfitServer(deps, site, server)
  await checkPolicy(deps, { site: { site_id: site.id, server_id: server.id } })
  const chosen = sites.find(({ site_id }) => site_id === site.id)?.backup_id
  const backup_id = chosen ?? (await findNewestBackup(deps.db, site.id))?.id
  if (backup_id === undefined) throw conflict(`${site.domain} has no backup: it is lost`)
  const from = { kind: 'backup', ...(await restoreParams(deps, site.id, backup_id)) } as const
  const { domain, php, tier, tls, email } = moveSiteParams(site)
  const names = await namesOf(deps.db, site.id)
  const changes = dns ? await recordsOf(deps, { lost, server }, allNamesOf({ domain, names })) : []
  return {
    domain,
    php,
    tier,
    tls,
    from,
    names,
    email: email || (await emailOf(deps.db, target.actor)),
    user: await freeUser(deps, site, server),
    ...(site.staging && { staging: await stagingParams(deps, site) }),
    ...(accept && { accept }),
    ...storedChanges(changes),
    ...(await copiesOfMove(deps, site.id, lost.id)),
  }
}

function requireSite({ site }: OperationTarget): SiteRow {
  if (!site) throw new Error('The operation has no site')
  return site
}

async function lostServerOf({ db }: RulesDeps, site: SiteRow): Promise<ServerRow> {
  const { domain, status, server_id } = site
  const home = await getServer(db, server_id)
  const lost = await findOrigin(db, site)
  if (!lost) throw conflict(`${home.name}, the server of ${domain}, was not declared lost`)
  if (lost.id !== server_id && !UNRESTORED.includes(status))
    throw conflict(`${domain} is on ${home.name} already`)
  if (lost.id === server_id && lost.status === 'online')
    throw conflict(`${lost.name} answers again: move ${domain} from there, which loses nothing`)
  return lost
}

async function refuseUnfitServer({ db }: RulesDeps, site: SiteRow, to: ServerRow): Promise<void> {
  const { domain, php } = site
  if (to.status !== 'online') throw conflict(`${to.name} is not online`)
  if (!to.php_versions.includes(php))
    throw conflict(
      `${to.name} does not have PHP ${php}: install it there, or choose another server`,
    )
  const [found] = await listNamesakes(db, to.id, site)
  if (!found) return
  const where = found.status === 'trashed' ? `${to.name} has it in its trash` : `${to.name} has it`
  throw conflict(`${found.domain} is a name of ${domain}, and ${where}: remove one of them first`)
}

/** Returns the user of the site, unless another site of the new server has it. */
async function freeUser({ db, random }: RulesDeps, site: SiteRow, to: ServerRow): Promise<string> {
  if (site.server_id === to.id) return site.user
  try {
    await refuseTakenUser(db, to.id, site.user)
    return site.user
  } catch (error) {
    if (!isServiceError(error, 'invalid')) throw error
    return makeSiteUser(random, site.domain)
  }
}

/**
 * Returns the changes of the names whose records all lead to the lost server, or that have none.
 * Other records are somebody's decision, such as a CDN, and stay.
 */
async function recordsOf(
  deps: RulesDeps,
  { lost, server }: { lost: ServerRow; server: ServerRow },
  names: readonly string[],
): Promise<NameChange[]> {
  const found = await readChanges(deps, server, names)
  const former = new Set([lost.hostname, ...(await addressesOf(lost.hostname))])
  return found.filter(
    ({ change: { create, remove } }) =>
      create.length + remove.length > 0 && remove.every(({ content }) => former.has(content)),
  )
}

/** Throws 422 for a site that is named twice, and for one that the server does not have. */
export function refuseWrongSites(
  sites: InputOf<'site.recover'>['sites'],
  known: ReadonlyMap<number, unknown>,
): void {
  const ids = sites.map(({ site_id }) => site_id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw invalid({ sites: [`Must name site ${twice} once`] })
  const strange = ids.find((id) => !known.has(id))
  if (strange !== undefined) throw invalid({ sites: [`Site ${strange} is not one of the server`] })
}

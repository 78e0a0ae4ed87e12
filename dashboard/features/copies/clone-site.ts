import { withPassword } from '#dashboard/features/backups/params.ts'
import type { DnsDeps } from '#dashboard/features/domains/dns/accounts.ts'
import { chosenChanges } from '#dashboard/features/domains/dns/choose-changes.ts'
import { recordsStep, storedChanges } from '#dashboard/features/domains/dns/stored-changes.ts'
import { listHolders, namesOfNew } from '#dashboard/features/domains/names.queries.ts'
import { getSettings } from '#dashboard/features/settings/queries.ts'
import { listOthers } from '#dashboard/features/sites/listing/columns.queries.ts'
import { refuseTakenDomain, refuseTakenUser } from '#dashboard/features/sites/queries.ts'
import { makeSiteUser } from '#dashboard/features/sites/site-user.ts'
import { type StartedSite, startNewSite } from '#dashboard/features/sites/start-new-site.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { ServerRow, SiteRow } from '#dashboard/kernel/db/rows.ts'
import {
  foreignChanges,
  type NewSiteParams,
  refuseUnaccepted,
} from '#dashboard/kernel/engine/foreign-changes.ts'
import { planOf } from '#dashboard/kernel/engine/plan.ts'
import type { StoredSource } from '#dashboard/kernel/engine/rules.ts'
import type { StartDeps } from '#dashboard/kernel/engine/start-operation.ts'
import { refuseUnknownPhp } from '#dashboard/kernel/targets/refuse-unknown-php.ts'
import type { RecordedSite } from '#shared/backups/backup-read.ts'
import { browseReading } from '#shared/backups/readings.ts'
import type { CloneSite } from '#shared/copies/api/copies.ts'
import type { User } from '#shared/kernel/api/auth.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { Plan } from '#shared/kernel/plan.ts'
import { allNamesOf, pairOf, problemsOf, type SiteNames } from '#shared/kernel/site-names.ts'
import { TLS_MODES } from '#shared/kernel/values.ts'
import { defaultPhp } from '#shared/php/default-php.ts'
import type { SitePlan } from '#shared/sites/api/sites.ts'
import { sourceOf } from './copy-source.ts'
import { copyStatements } from './queries.ts'
import { newAccess } from './staging-access.ts'

type Deps = StartDeps & Pick<DnsDeps, 'rules'>

/** Records a copy, which the agent makes in the background. */
export async function cloneSite(
  deps: Deps,
  server: ServerRow,
  { dry_run, accept, dns, from: given, staging: isStaging, with_jobs, ...rest }: CloneSite,
  actor: User,
): Promise<SitePlan | StartedSite> {
  const { from, original, domain: of } = await sourceOf(deps, server.id, given)
  const recorded = original ? undefined : await recordedSite(deps, server, from)
  const site = await cloneParams(
    deps,
    server,
    { ...rest, original, recorded: original ?? recorded },
    actor,
  )
  refuseUnknownPhp(server, site.php)
  if (rest.user !== undefined) await refuseTakenUser(deps.db, server.id, rest.user)
  const access = isStaging ? newAccess(deps) : undefined
  const staging = access && { of, ...access.agent }
  const names = isStaging
    ? undefined
    : await recordedNames(deps.db, { domain: site.domain, of, recorded })
  const changes = await chosenChanges(deps, server, allNamesOf({ ...site, names }), dns)
  const params = {
    ...site,
    from,
    ...(staging && { staging }),
    ...(accept && { accept }),
    ...jobsOf(from, with_jobs),
    ...(names && { names }),
    ...storedChanges(changes),
  }
  if (dry_run) {
    const name = { domain: site.domain, server_id: server.id }
    await refuseTakenDomain(deps.db, name)
    const plan = await planClone(deps, server, params, of)
    return { site, plan, also_on: await listOthers(deps.db, name) }
  }
  if (from.kind === 'next_backup')
    refuseUnaccepted(await foreignChanges(deps, server, site), accept)
  const record = { ...site, staging: isStaging }
  const copy = { original_id: original?.id, access: access?.record }
  return startNewSite(deps, server, {
    type: 'site.clone',
    site: record,
    params,
    actor,
    also: (queries, site_id) => [
      ...copyStatements(queries, site_id, copy),
      ...(names ? namesOfNew(queries, site_id, site.domain, names) : []),
    ],
  })
}

/** Returns whether the jobs are copied. A backup of a site elsewhere is only the way to it. */
const jobsOf = ({ kind }: StoredSource, asked: boolean | undefined) => {
  const with_jobs = asked ?? (kind === 'next_backup' ? false : undefined)
  return with_jobs === undefined ? {} : { with_jobs }
}

type CloneParams = Omit<
  CloneSite,
  'dry_run' | 'accept' | 'dns' | 'from' | 'staging' | 'with_jobs'
> & {
  original: SiteRow | undefined
  /** The original as it is on record, or else in its backup. */
  recorded: SiteRow | RecordedSite | undefined
}

/** Completes a call with the values of the original. */
async function cloneParams(
  { db, random }: StartDeps,
  { id, php_versions, os }: ServerRow,
  { domain, tls, original, recorded, ...given }: CloneParams,
  actor: User,
) {
  const usual = defaultPhp(php_versions, (await getSettings(db)).default_php, os)
  const isKept = recorded && (original?.server_id === id || php_versions.includes(recorded.php))
  const own_tls = TLS_MODES.find((mode) => mode === recorded?.tls)
  const { php = isKept ? recorded.php : usual, tier = recorded?.tier ?? 'small' } = given
  const { email = recorded?.email || actor.email, user = makeSiteUser(random, domain) } = given
  return { domain, php, tier, tls: tls ?? own_tls ?? 'letsencrypt', email, user }
}

/** Returns the plan of a copy. A backup that is still to be made has no plan on this server. */
async function planClone(
  deps: StartDeps,
  server: ServerRow,
  params: Record<string, unknown> & NewSiteParams & { from: StoredSource },
  of: string,
): Promise<Plan> {
  if (params.from.kind !== 'next_backup')
    return (await planOf(deps, { type: 'site.clone', server, params })).plan
  const records = recordsStep(params)
  const changes = await foreignChanges(deps, server, params)
  return {
    steps: [
      { name: 'backup', title: `Backing up ${of} on its server`, effects: [] },
      ...(records ? [records] : []),
      { name: 'clone', title: `Creating ${params.domain} from the backup`, effects: changes },
    ],
  }
}

/** The time limit of a reading for which a form waits. */
const READ_LIMITS = { timeout_ms: 60_000 }

/**
 * Returns the site as a backup has it, if the site itself is not on record any more: the server of
 * the new one reads it from the storage. Undefined if it cannot: the default values are then used.
 */
async function recordedSite(
  { agents, db, sealer }: Pick<StartDeps, 'agents' | 'db' | 'sealer'>,
  server: ServerRow,
  { kind, ...from }: StoredSource,
): Promise<RecordedSite | undefined> {
  if (kind !== 'backup') return undefined
  const read = withPassword({ db, sealer }, server.id, from, (opened) =>
    agents.call(server, browseReading, { ...opened, path: '' }, READ_LIMITS),
  )
  return (await read.catch(() => undefined))?.site
}

/**
 * Returns the other names of a site that is created again from its backup, without those that
 * another site has by now: the agent reports these as not taken over. Undefined for a copy with
 * another address.
 */
async function recordedNames(
  db: Database,
  { domain, of, recorded }: { domain: string; of: string; recorded: RecordedSite | undefined },
): Promise<SiteNames | undefined> {
  if (!recorded?.names || apexOf(domain) !== apexOf(of)) return undefined
  // Whoever wrote the backup is not trusted.
  if (Object.keys(problemsOf(of, recorded.names)).length > 0) return undefined
  const { www, aliases, redirects } = recorded.names
  const given = [...aliases, ...redirects.map((redirect) => redirect.domain)]
  const holders = await listHolders(db, 0, given.map(apexOf))
  const own = pairOf(domain)
  const isFree = (name: string) => !holders.has(apexOf(name)) && !own.includes(name)
  return {
    www,
    aliases: aliases.filter(isFree),
    redirects: redirects.filter((redirect) => isFree(redirect.domain)),
  }
}

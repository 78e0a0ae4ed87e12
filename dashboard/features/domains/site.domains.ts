import { atOnce, onSite, siteOf } from '#dashboard/features/backups/rule-parts.ts'
import { chosenChanges } from '#dashboard/features/domains/dns/choose-changes.ts'
import {
  recordsStep,
  storedChanges,
  withoutRecords,
} from '#dashboard/features/domains/dns/stored-changes.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import type { OperationRules } from '#dashboard/kernel/engine/rules.ts'
import { type Fields, invalid } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { allNamesOf, hostOf, problemsOf, type SiteNames } from '#shared/kernel/site-names.ts'
import {
  listHolders,
  listTargets,
  releaseNames,
  reserveNames,
  storeNames,
} from './names.queries.ts'

/** The names are reserved while the operation runs: no other site of the fleet can take them. */
export const siteDomains: OperationRules<'site.domains'> = {
  ...onSite,
  ...atOnce,
  sent: withoutRecords,
  first_step: recordsStep,
  params: async (deps, target, { dns, ...names }) => {
    const site = siteOf(target)
    await refuseForeignNames(deps.db, site, names)
    const all = allNamesOf({ domain: site.domain, names })
    const changes = await chosenChanges(deps, target.server, all, dns)
    return { domain: site.domain, ...names, ...storedChanges(changes) }
  },
  during: reserveNames,
  succeeded: () => storeNames,
  failed: () => releaseNames,
  cancelled: () => releaseNames,
  bulk: null,
}

const MAX_HOPS = 20

/** Throws 422 for a name of another site, and for a redirect that leads back to itself. */
async function refuseForeignNames(
  db: Database,
  { id, domain }: Pick<SiteRow, 'id' | 'domain'>,
  names: SiteNames,
): Promise<void> {
  const problems = problemsOf(domain, names)
  if (Object.keys(problems).length > 0) throw invalid(problems)
  const taken = await takenName(db, id, names)
  if (Object.keys(taken).length > 0) throw invalid(taken)
  const loop = await redirectLoop(db, id, names)
  if (loop) throw invalid({ redirects: [`${loop.join(' → ')} is a redirect loop`] })
}

async function takenName(
  db: Database,
  site_id: number,
  { aliases, redirects }: SiteNames,
): Promise<Fields> {
  const given = { aliases, redirects: redirects.map(({ domain }) => domain) }
  const apexes = [...aliases, ...given.redirects].map(apexOf)
  const holders = await listHolders(db, site_id, [...new Set(apexes)])
  const entries = Object.entries(given).map(([field, list]): [string, string[]] => [
    field,
    list.flatMap((name) => {
      const holder = holders.get(apexOf(name))
      return holder === undefined ? [] : [`${name} belongs to the site ${holder}`]
    }),
  ])
  return Object.fromEntries(entries.filter(([, messages]) => messages.length > 0))
}

/** Follows the redirects of other sites of the fleet, and returns the loop. */
async function redirectLoop(
  db: Database,
  site_id: number,
  { redirects }: SiteNames,
): Promise<string[] | undefined> {
  const own = new Map(redirects.map(({ domain, to }) => [domain, to]))
  const onward = async (name: string): Promise<string | undefined> => {
    const to = own.has(name) ? own.get(name) : (await listTargets(db, site_id, [name]))[0]?.target
    return to === undefined ? undefined : hostOf(to)
  }
  for (const { domain } of redirects) {
    const path = [domain]
    for (let at = await onward(domain); at !== undefined; at = await onward(at)) {
      const isLoop = path.includes(at)
      path.push(at)
      if (isLoop) return path.slice(path.indexOf(at))
      if (path.length > MAX_HOPS) break
    }
  }
  return undefined
}

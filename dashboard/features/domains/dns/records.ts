import type { z } from 'zod'
import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import type { SiteTarget } from '#dashboard/kernel/targets/load-site.ts'
import type { DnsRecordPlan, SetDnsRecords } from '#shared/domains/api/dns.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { accessTo, type DnsDeps, getAccount } from './accounts.ts'
import { applyChange, NotRestored } from './apply-change.ts'
import { forgetUndo } from './changes.queries.ts'
import { refuseChanged } from './choose-changes.ts'
import { dnsEntry } from './dns-activity.ts'
import { insertEntry } from './queries.ts'
import { asConflict, type NameChange, readChanges, recordPlanOf } from './read-changes.ts'

/**
 * Lets a name of a site lead to its server. Records that point elsewhere are replaced only if they
 * are those that were shown; a failure restores them. Throws conflict with the message of
 * Cloudflare.
 */
export async function setRecords(
  deps: DnsDeps,
  { site, server }: SiteTarget,
  { replace, dry_run, ...asked }: z.output<typeof SetDnsRecords>,
  user_id: number,
): Promise<DnsRecordPlan> {
  const name = await nameOf(deps, site, asked.name)
  const [found] = await readChanges(deps, server, [name])
  if (!found) throw conflict(`No DNS account has the zone of ${name}: add one in the settings`)
  const { change } = found
  const plan = recordPlanOf(found)
  if (dry_run || (change.create.length === 0 && change.remove.length === 0)) return plan
  refuseUnlessShown(found, replace)
  const enter = (status: 'success' | 'failed') =>
    insertEntry(
      deps.db,
      dnsEntry(deps.clock, found, { domain: site.domain, server_id: server.id, user_id, status }),
    )
  await forgetUndo(deps.db, site.id)
  const access = accessTo(await getAccount(deps, found.account_id), deps)
  const work = applyChange(access, { zone: found.zone_id, name, change }).catch(async (error) => {
    if (error instanceof NotRestored) await enter('failed')
    throw error
  })
  await asConflict(work)
  await enter('success')
  return plan
}

function refuseUnlessShown(
  found: NameChange,
  replace: z.output<typeof SetDnsRecords>['replace'],
): void {
  if (refuseChanged(found, replace) || found.change.remove.length === 0) return
  const others = found.change.remove.map(({ type, content }) => `${type} ${content}`).join(', ')
  throw invalid({
    replace: [`Must have the records of ${found.name} that point elsewhere: ${others}`],
  })
}

async function nameOf(
  { db }: DnsDeps,
  { id, domain }: SiteTarget['site'],
  given: string,
): Promise<string> {
  const name = given.startsWith('*.') ? given : (canonicalDomain(given) ?? given)
  if (allNamesOf({ domain, names: await namesOf(db, id) }).includes(name)) return name
  throw invalid({ name: ['Must be a name of the site'] })
}

import { listHolders } from '#dashboard/features/domains/names.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { RecordedSite } from '#shared/backups/backup-read.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { pairOf, problemsOf, type SiteNames } from '#shared/kernel/site-names.ts'

/**
 * The other names of a site that is created again from its backup, without those that another site
 * has by now: the agent reports these as not taken over. Undefined for a copy with another address.
 */
export async function recordedNames(
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

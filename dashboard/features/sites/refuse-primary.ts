import { namesOf } from '#dashboard/features/domains/names.queries.ts'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { type NewPrimary, namesAfter } from '#shared/domains/primary-domain.ts'
import { invalid } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { allNamesOf, problemsOf } from '#shared/kernel/site-names.ts'
import { reasonTaken } from './queries.ts'

/** Throws 422 on `primary` for a present or foreign name, and names that do not fit together. */
export async function refusePrimary(
  db: Database,
  { id, domain, server_id }: Pick<SiteRow, 'id' | 'domain' | 'server_id'>,
  { primary, former }: NewPrimary,
): Promise<void> {
  const refuse = (...messages: string[]) => {
    throw invalid({ primary: messages })
  }
  if (primary === domain) refuse(`${primary} is the primary domain of this site`)
  const names = await namesOf(db, id)
  const own = allNamesOf({ domain, names }).map(apexOf)
  const reason = own.includes(apexOf(primary))
    ? undefined
    : await reasonTaken(db, { apex: apexOf(primary), server_id })
  if (reason !== undefined) refuse(reason)
  const after = namesAfter({ domain, names }, { primary, former })
  const problems = Object.values(problemsOf(primary, after)).flat()
  if (problems.length > 0) refuse(...problems)
}

import { z } from 'zod'
import type { Database } from '#dashboard/kernel/db/client.ts'
import type { SiteRow } from '#dashboard/kernel/db/rows.ts'
import { isReserved } from '#shared/kernel/fields.ts'
import { findOwnRepository, listTakenNames, recordServer } from './repositories.queries.ts'

const MAX_LETTERS = 32

type RepositoryOwner = Pick<SiteRow, 'id' | 'server_id' | 'user'>

/**
 * Returns the name of the repository into which the next backup of a site goes, and whether it has
 * a password. It is a new one as soon as another server has known the password of the last one: who
 * knew it can read everything that is saved there later.
 */
export async function nextRepository(
  db: Database,
  site: RepositoryOwner,
  target_id: number,
): Promise<{ name: string; is_new: boolean; sealed_password: string | null }> {
  const own = await findOwnRepository(db, site, target_id)
  if (own) return { name: own.name, is_new: false, sealed_password: own.sealed_password }
  return { name: await freeName(db, site), is_new: true, sealed_password: null }
}

/**
 * Returns a free name for a repository: the system user of the site, and then that with a number. A
 * name of ours is never one of a site.
 */
async function freeName(db: Database, site: RepositoryOwner): Promise<string> {
  const base = isReserved(site.user) ? `site-${site.id}` : site.user
  const taken = await listTakenNames(db, site, base.slice(0, MAX_LETTERS - 6))
  for (let number = 1; ; number++) {
    const end = number === 1 ? '' : `-${number}`
    const name = `${base.slice(0, MAX_LETTERS - end.length)}${end}`
    if (!taken.has(name)) return name
  }
}

const OpenedRepository = z.object({
  target_id: z.number(),
  repository: z.string(),
  password_sealed: z.string(),
})
const CopyFromBackup = z.object({ from: OpenedRepository })

/**
 * Records that the server of an operation knows the password of its repository from now on, before
 * it is sent. Returns false when the params have none.
 */
export async function recordRecipient(
  db: Database,
  server_id: number,
  params: Record<string, unknown>,
): Promise<boolean> {
  const found =
    OpenedRepository.safeParse(params).data ?? CopyFromBackup.safeParse(params).data?.from
  if (!found) return false
  const { target_id, repository: name } = found
  await recordServer(db, { target_id, name }, server_id)
  return true
}

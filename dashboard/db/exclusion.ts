import { sql } from 'drizzle-orm'
import { type SQLiteColumn, uniqueIndex } from 'drizzle-orm/sqlite-core'

/** What runs while a site is backed up: it changes neither files nor database. */
const BESIDE_BACKUP = [
  ...['cache.purge', 'database.user', 'pool.apply', 'site.scan', 'tls.issue', 'wp.cache-flush'],
  'wp.login',
]
/** What backs the site up itself. */
const BACKS_UP = ['site.move', 'site.move-back']
/** A backup reads a site, and a proof only its repository. */
const BACKUP = 'backup.create'
const PROOF = 'backup.prove'
/** Ends the access of somebody: it neither waits for other work nor delays it. */
const FREE = 'database.user-end'

export const IS_ACTIVE = "status in ('queued', 'running')"

const LET_RUN = "backup_first is not 'waits'"

const listed = (types: readonly string[]) => `(${types.map((type) => `'${type}'`).join(', ')})`

/**
 * Sets of operations, as conditions on `type` and `backup_first`: a site has at most one active operation
 * of each set, which a unique index decides. One that waits for a backup of its site lets it run.
 */
export const EXCLUSIVE = {
  operations_one_per_site: `type not in ${listed([BACKUP, PROOF, FREE])}`,
  operations_one_beside_backup: `${LET_RUN} and type not in ${listed([...BESIDE_BACKUP, ...BACKS_UP, PROOF, FREE])}`,
  operations_one_proof: `type = '${PROOF}'`,
} as const

export const exclusiveIndexes = (site_id: SQLiteColumn) =>
  Object.entries(EXCLUSIVE).map(([name, types]) =>
    uniqueIndex(name)
      .on(site_id)
      .where(sql.raw(`${types} and ${IS_ACTIVE}`)),
  )

/** The operations, as a condition, that exclude one of this type on the same site. */
export function exclusiveWith(type: string): string {
  const { operations_one_per_site, operations_one_beside_backup, operations_one_proof } = EXCLUSIVE
  if (type === FREE) return 'false'
  if (type === PROOF) return operations_one_proof
  if (type === BACKUP) return operations_one_beside_backup
  if ([...BESIDE_BACKUP, ...BACKS_UP].includes(type)) return operations_one_per_site
  return `type not in ${listed([PROOF, FREE])}`
}

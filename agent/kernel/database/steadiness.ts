import type { Host } from '#agent/kernel/host/ports.ts'
import { folderOf } from './foreign-objects.ts'

/** Files with the rows of engines without transactions: MyISAM, Aria, CSV and ARCHIVE. */
const FILES = /\.(MYD|MAD|CSV|ARZ)$/

/**
 * A warning if rows that are written during a dump can be missing in it, although later ones are in
 * it. By files, since root opens no table of a site.
 */
export async function unsteadyTables({ files }: Host, user: string): Promise<string[]> {
  const names = (await files.list(`/var/lib/mysql/${folderOf(user)}`)).map(({ name }) => name)
  const count = names.filter((name) => FILES.test(name)).length
  if (count === 0) return []
  const what = count === 1 ? '1 table has' : `${count} tables have`
  return [
    `Warning: ${what} an engine without transactions, so that the dump may have rows of several moments: convert to InnoDB`,
  ]
}

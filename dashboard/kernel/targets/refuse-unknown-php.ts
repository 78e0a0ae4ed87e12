import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { invalid } from '#shared/kernel/errors.ts'

/** Throws 422 on `php` for a version that the server, if it reported any, does not have. */
export function refuseUnknownPhp({ php_versions }: ServerRow, php: string): void {
  if (php_versions.length === 0 || php_versions.includes(php)) return
  throw invalid({ php: [`The server has PHP ${php_versions.join(', ')}`] })
}

import { refuseLack } from '#agent/features/backups/fetch.ts'
import { measureBytes } from '#agent/features/metrics/usage/measure.ts'
import { readUsage } from '#agent/features/metrics/usage/records.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'

const DATABASES = '/var/lib/mysql'

/** Throws conflict when a copy of a site of this server does not fit on the disk. */
export async function refuseLackForCopy(host: Host, user: string): Promise<void> {
  const known = (await readUsage(host))[user]?.bytes
  const files = known ?? (await measureBytes(host, user)) ?? 0
  const database = 2 * ((await databaseSize(host, user)) ?? 0)
  const [homes, databases] = [await host.files.space(HOMES), await host.files.space(DATABASES)]
  const shared = homes.free === databases.free && homes.total === databases.total
  await refuseLack(host, HOMES, shared ? files + database : files, 'the copy')
  if (!shared) await refuseLack(host, DATABASES, database, 'the copy')
}

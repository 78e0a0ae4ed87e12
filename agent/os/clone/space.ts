import type { Host } from '#agent/host/ports.ts'
import { refuseLack } from '#agent/os/backup/fetch.ts'
import { databaseSize } from '#agent/os/database/dump.ts'
import { HOMES } from '#agent/os/site/paths.ts'
import { measureBytes } from '#agent/os/usage/measure.ts'
import { readMeasured } from '#agent/os/usage/records.ts'

const DATABASES = '/var/lib/mysql'

/** Throws conflict when a copy of a site of this server does not fit on the disk. */
export async function refuseLackForCopy(host: Host, user: string): Promise<void> {
  const known = (await readMeasured(host))[user]?.bytes
  const files = known ?? (await measureBytes(host, user)) ?? 0
  const database = 2 * ((await databaseSize(host, user)) ?? 0)
  const [homes, databases] = [await host.files.space(HOMES), await host.files.space(DATABASES)]
  const shared = homes.free === databases.free && homes.total === databases.total
  await refuseLack(host, HOMES, shared ? files + database : files, 'the copy')
  if (!shared) await refuseLack(host, DATABASES, database, 'the copy')
}

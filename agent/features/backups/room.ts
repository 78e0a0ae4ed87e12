import { measureBytes, measureFiles } from '#agent/features/metrics/usage/measure.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import type { DiskLimits } from '#agent/kernel/site/tiers.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { limitDisk, quotaMount } from '#agent/kernel/users/quota.ts'
import { forgetRoom, recordRoom } from '#agent/kernel/users/room.ts'

interface Saved {
  files: { count: number; bytes: number }
}

const BLOCK = 4096

/** Each file takes whole blocks; the number of folders and links is not recorded. */
const sizeOf = ({ count, bytes }: Saved['files']): DiskLimits => ({
  bytes: bytes + 2 * count * BLOCK,
  files: 2 * count + 10_000,
})

/**
 * Fetches the files of a backup although the site's quota counts them too, as soon as they belong to
 * it: its limits are larger until `limitDisk` is called after that. Nothing in the backup names
 * another site whose limits would change.
 */
export async function* withRoom(
  host: Host,
  site: Site,
  { files }: Saved,
  fetch: () => Progress<void>,
): Progress<void> {
  if ((await quotaMount(host)) === undefined) return yield* fetch()
  try {
    yield* larger(host, site, sizeOf(files))
    yield* fetch()
  } finally {
    await forgetRoom(host.steady ?? host, site.user)
  }
}

/** By its present record: its tier may have changed meanwhile. */
export async function limitAgain(host: Host, { domain }: Site): Promise<void> {
  const site = await findSite(host, domain)
  if (site) await limitDisk(host, site)
}

/** The same for a copy of the files of these sites. */
export async function* withRoomForCopy<T>(
  host: Host,
  site: Site,
  from: readonly Pick<Site, 'user'>[],
  copy: () => Promise<T>,
): Progress<T> {
  if ((await quotaMount(host)) === undefined) return await copy()
  const more = { bytes: 0, files: 0 }
  for (const { user } of from) {
    const [bytes, files] = [await measureBytes(host, user), await measureFiles(host, user)]
    if (bytes === null || files === null)
      yield `Warning: the files of ${user} cannot be measured: the disk quota of ${site.user} may be too small`
    more.bytes += bytes ?? 0
    more.files += files ?? 0
  }
  try {
    yield* larger(host, site, more)
    return await copy()
  } finally {
    await forgetRoom(host.steady ?? host, site.user)
  }
}

async function* larger(host: Host, site: Site, more: DiskLimits): Progress<void> {
  await recordRoom(host, site.user, more)
  const problem = await limitDisk(host, site)
  if (problem !== undefined) yield `Warning: the disk quota of ${site.user} stays: ${problem}`
}

import { measureBytes, measureFiles } from '#agent/features/metrics/usage/measure.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import type { DiskLimits } from '#agent/kernel/site/tiers.ts'
import type { Progress } from '#agent/kernel/steps/command.ts'
import { recordExtraQuota, removeExtraQuota } from '#agent/kernel/users/extra-quota.ts'
import { limitDisk, quotaMount } from '#agent/kernel/users/quota.ts'

interface BackupSize {
  files: { count: number; bytes: number }
}

const BLOCK = 4096

/** Estimates the space: files take whole blocks; folders and links are not counted. */
const sizeOf = ({ count, bytes }: BackupSize['files']): DiskLimits => ({
  bytes: bytes + 2 * count * BLOCK,
  files: 2 * count + 10_000,
})

/** Fetches the files of a backup with a larger quota until `limitDisk` is called. */
export async function* withLargerQuota(
  host: Host,
  site: Site,
  { files }: BackupSize,
  fetch: () => Progress<void>,
): Progress<void> {
  if ((await quotaMount(host)) === undefined) return yield* fetch()
  try {
    yield* raiseQuota(host, site, sizeOf(files))
    yield* fetch()
  } finally {
    await removeExtraQuota(host.steady ?? host, site.user)
  }
}

/** Sets the quota by the present record: the tier may have changed meanwhile. */
export async function reapplyQuota(host: Host, { domain }: Site): Promise<void> {
  const site = await findSite(host, domain)
  if (site) await limitDisk(host, site)
}

/** Copies the files of these sites with a larger quota. */
export async function* withLargerQuotaForCopy<T>(
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
    yield* raiseQuota(host, site, more)
    return await copy()
  } finally {
    await removeExtraQuota(host.steady ?? host, site.user)
  }
}

async function* raiseQuota(host: Host, site: Site, more: DiskLimits): Progress<void> {
  await recordExtraQuota(host, site.user, more)
  const problem = await limitDisk(host, site)
  if (problem !== undefined) yield `Warning: the disk quota of ${site.user} stays: ${problem}`
}

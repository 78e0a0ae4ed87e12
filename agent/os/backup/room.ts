import type { Host } from '#agent/host/ports.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { findSite, listSites, type Site } from '#agent/os/site/sites.ts'
import type { DiskLimits } from '#agent/os/site/tiers.ts'
import { measureBytes, measureFiles } from '#agent/os/usage/measure.ts'
import { limitDisk, quotaMount } from '#agent/os/users/quota.ts'
import type { Progress } from '#agent/steps/command.ts'

interface Saved {
  owner: { uid: number }
  files: { count: number; bytes: number }
}

const BLOCK = 4096

/** Each file takes whole blocks; the number of folders and links is not recorded. */
const sizeOf = ({ count, bytes }: Saved['files']): DiskLimits => ({
  bytes: bytes + 2 * count * BLOCK,
  files: 2 * count + 10_000,
})

/**
 * Fetches the files of a backup although the site's quota counts them too: its limits are larger
 * until `limitDisk` is called again. restic gives the files the number of their former owner first,
 * which may be that of another site of this server: its limits are larger meanwhile.
 */
export async function* withRoom(
  host: Host,
  site: Site,
  { owner, files }: Saved,
  fetch: () => Progress<void>,
): Progress<void> {
  if ((await quotaMount(host)) === undefined) return yield* fetch()
  const former = (await ownersOf(host, owner.uid)).filter(({ user }) => user !== site.user)
  for (const one of [site, ...former]) yield* larger(host, one, sizeOf(files))
  try {
    yield* fetch()
  } finally {
    for (const one of former) await limitAgain(host.steady ?? host, one)
  }
}

/** By its present record: its tier may have changed meanwhile. */
export async function limitAgain(host: Host, { domain }: Site): Promise<void> {
  const site = await findSite(host, domain)
  if (site) await limitDisk(host, site)
}

/** The same for a copy of the files of these sites. */
export async function* makeRoomForCopy(
  host: Host,
  site: Site,
  ...from: readonly Pick<Site, 'user'>[]
): Progress<void> {
  if ((await quotaMount(host)) === undefined) return
  const more = { bytes: 0, files: 0 }
  for (const { user } of from) {
    const [bytes, files] = [await measureBytes(host, user), await measureFiles(host, user)]
    if (bytes === null || files === null)
      yield `Warning: the files of ${user} cannot be measured: the disk quota of ${site.user} may be too small`
    more.bytes += bytes ?? 0
    more.files += files ?? 0
  }
  yield* larger(host, site, more)
}

async function* larger(host: Host, site: Site, more: DiskLimits): Progress<void> {
  const problem = await limitDisk(host, site, more)
  if (problem !== undefined) yield `Warning: the disk quota of ${site.user} stays: ${problem}`
}

async function ownersOf(host: Host, uid: number): Promise<Site[]> {
  const owners: Site[] = []
  for (const site of await listSites(host, 'sites')) {
    if ((await host.files.stat(docrootOf(site.user)))?.uid === uid) owners.push(site)
  }
  return owners
}

import type { Host } from '#agent/host/ports.ts'
import { docrootOf } from '#agent/os/site/paths.ts'
import { findSite, listSites, type Site } from '#agent/os/site/sites.ts'
import type { DiskLimits } from '#agent/os/site/tiers.ts'
import { measureBytes, measureFiles } from '#agent/os/usage/measure.ts'
import { limitDisk, quotaMount, releaseRooms } from '#agent/os/users/quota.ts'
import { recordRooms } from '#agent/os/users/room.ts'
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
 * until `limitDisk` is called after that. restic gives the files the number of their former owner
 * first, which may be that of another site of this server: its limits are larger meanwhile.
 */
export async function* withRoom(
  host: Host,
  site: Site,
  { owner, files }: Saved,
  fetch: () => Progress<void>,
): Progress<void> {
  if ((await quotaMount(host)) === undefined) return yield* fetch()
  const former = (await ownersOf(host, owner.uid)).filter(({ user }) => user !== site.user)
  try {
    yield* larger(host, [site, ...former], sizeOf(files))
    yield* fetch()
  } finally {
    await releaseRooms(host.steady ?? host, site.user)
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
    yield* larger(host, [site], more)
    return await copy()
  } finally {
    await releaseRooms(host.steady ?? host, site.user)
  }
}

/** The first of these sites fetches files. */
async function* larger(host: Host, sites: readonly Site[], more: DiskLimits): Progress<void> {
  const [site] = sites
  if (!site) return
  const rooms = Object.fromEntries(sites.map(({ user }) => [user, more]))
  await recordRooms(host, site.user, rooms)
  for (const one of sites) {
    const problem = await limitDisk(host, one)
    if (problem !== undefined) yield `Warning: the disk quota of ${one.user} stays: ${problem}`
  }
}

async function ownersOf(host: Host, uid: number): Promise<Site[]> {
  const owners: Site[] = []
  for (const site of await listSites(host, 'sites')) {
    if ((await host.files.stat(docrootOf(site.user)))?.uid === uid) owners.push(site)
  }
  return owners
}

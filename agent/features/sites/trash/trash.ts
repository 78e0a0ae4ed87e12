import { z } from 'zod'
import { measureBytes } from '#agent/features/metrics/usage/measure.ts'
import { readUsage } from '#agent/features/metrics/usage/records.ts'
import { reading } from '#agent/kernel/calls/reading.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import {
  type Change,
  declared,
  inOrder,
  moved,
  removed,
  removedTree,
} from '#agent/kernel/effects/change.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { HOMES, homeOf, keptHomeOf, logsOf, trashOf } from '#agent/kernel/site/paths.ts'
import { listSites, type Site } from '#agent/kernel/site/sites.ts'
import { ageOf, MAX_CLOCK_DIFFERENCE_MS } from '#shared/kernel/age.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { TrashedSite } from '#shared/servers/agent.ts'
import { trashReading } from '#shared/sites/readings.ts'
import { dumpPathOf } from './database.ts'

const factsPath = (user: string) => `${trashOf(user)}/facts.json`

const TrashFacts = z.object({ deleted_at: z.iso.datetime(), size: z.number().nonnegative() })

const DAY_MS = 24 * 3600_000
const RESERVE = 64 * 2 ** 20
const SECRET = { mode: 0o600 }

/** Throws conflict when a dump of the site's database may not fit on the disk: hex doubles it. */
export async function refuseWithoutSpace(host: Host, { domain, user }: Site): Promise<void> {
  const size = await databaseSize(host, user)
  if (size === undefined) return
  await refuseLack(host, HOMES, 2 * size, `${domain} cannot be moved to the trash`)
}

/** Throws conflict when a path of the restore is in use, or the disk is too full. */
export async function refuseUnrestorable(host: Host, { domain, user }: Site): Promise<void> {
  const kept = await host.files.stat(keptHomeOf(user))
  const home = await host.files.stat(homeOf(user))
  if (!kept && !home) {
    throw conflict(`${keptHomeOf(user)} is missing: ${domain} can only be deleted permanently`)
  }
  if (kept && home) throw conflict(`${homeOf(user)} already exists: move it and try again`)
  const dump = await host.files.stat(dumpPathOf(user))
  if (dump) await refuseLack(host, '/var/lib/mysql', 2 * dump.size, `${domain} cannot be restored`)
}

/** Moves files by a rename, with owners, modes and times. A missing path is no error. */
export const trashFiles = (host: Host, { user }: Site): Change =>
  moved(host, homeOf(user), keptHomeOf(user))

export const restoreTrashedFiles = (host: Host, { user }: Site): Change =>
  moved(host, keptHomeOf(user), homeOf(user))

/**
 * Writes the time and the size of files and dump. Runs before `trashFiles`, because the files are
 * measured in the site's own folder with its rights. For unreadable files the last size counts.
 */
export const writeTrashFacts = (host: Host, { user }: Site): Change =>
  declared([create('file', factsPath(user))], async () => {
    const files = (await measureBytes(host, user)) ?? (await readUsage(host))[user]?.bytes ?? 0
    const dump = await host.files.stat(dumpPathOf(user))
    const size = files + (dump?.size ?? 0)
    const facts = { deleted_at: new Date(host.clock.now()).toISOString(), size }
    await host.files.write(factsPath(user), `${JSON.stringify(facts)}\n`, SECRET)
  })

export async function readTrashFacts(
  host: Host,
  user: string,
): Promise<z.infer<typeof TrashFacts>> {
  return (await findTrashFacts(host, user)) ?? { deleted_at: new Date(0).toISOString(), size: 0 }
}

const findTrashFacts = async (host: Host, user: string) =>
  parseJson(TrashFacts, await host.files.read(factsPath(user)))

/** Throws conflict for a site that was deleted less than `days` days ago. */
export async function refuseTooYoung(
  host: Host,
  { domain, user }: Site,
  days: number,
): Promise<void> {
  if (days === 0) return
  const facts = await findTrashFacts(host, user)
  const age = facts && ageOf(facts.deleted_at, host.clock.now())
  const remedy = 'restore it, or delete it permanently on the page Trash'
  if (age === undefined)
    throw conflict(`It is not known for how long ${domain} has been in the trash: ${remedy}`)
  // The records of the dashboard and of this server differ by the time of the deletion.
  if (age >= days * DAY_MS - MAX_CLOCK_DIFFERENCE_MS) return
  const past = Math.floor(age / DAY_MS)
  throw conflict(`${domain} has been in the trash for ${past} days, not ${days}: ${remedy}`)
}

/** Removes the folder in the trash, and the logs, which never went there. */
export const emptyTrash = (host: Host, { user }: Site): Change =>
  inOrder(removedTree(host, 'folder', trashOf(user)), removed(host, 'folder', logsOf(user)))

/** Lists the sites in the trash by domain. */
export async function listTrash(host: Host): Promise<TrashedSite[]> {
  const places = [
    [await listSites(host, 'trash'), true],
    [await listSites(host, 'purging'), false],
  ] as const
  const found = places.flatMap(([sites, restorable]) =>
    sites.map(async ({ domain, user, php, tier, tls }) => ({
      domain,
      user,
      php,
      tier,
      tls,
      ...(await readTrashFacts(host, user)),
      restorable,
    })),
  )
  return (await Promise.all(found)).sort((one, other) => (one.domain < other.domain ? -1 : 1))
}

async function refuseLack(host: Host, path: string, bytes: number, what: string): Promise<void> {
  const { free } = await host.files.space(path)
  const needed = bytes + RESERVE
  if (free >= needed) return
  const [has, needs] = [free, needed].map((size) => Math.ceil(size / 2 ** 20))
  throw conflict(`${what}: ${has} MB are free on this server, and ${needs} MB may be needed`)
}

export const trash = reading(trashReading, async ({ host }) => ({ trash: await listTrash(host) }))

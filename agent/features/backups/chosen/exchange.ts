import { z } from 'zod'
import { apartOf, filesIn } from '#agent/features/backups/places.ts'
import { type Change, declared } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { firstMissing, outermost } from './paths.ts'
import { folderProcess, SEEN } from './sandbox.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }

/** A file or folder of the site, and where its new state comes from; null: it is removed. */
const Unit = z.object({ path: z.string(), from: z.string().nullable() })
type Unit = z.infer<typeof Unit>

/** What an exchange kept in a folder: the units, and the state that each of them had, by number. */
const listIn = (folder: string) => `${folder}/paths.json`
const keptIn = (folder: string, at: number) => `${keptFolder(folder)}/${at}`
export const keptFolder = (folder: string) => `${folder}/paths`

/** Returns the units that an exchange kept in this folder; undefined when none did. */
async function keptUnits(host: Host, folder: string): Promise<Unit[] | undefined> {
  const text = await host.files.read(listIn(folder))
  return text === undefined ? undefined : z.array(Unit).parse(JSON.parse(text))
}

export const hasExchange = (host: Host, folder: string) => host.files.stat(listIn(folder))

/** The site gets chosen paths of the files in `from`; what it has now goes to the folder `to`. */
export const exchangeFetched = (
  host: Host,
  user: string,
  paths: readonly string[],
  { from, to }: { from: string; to: string },
): Change =>
  exchanged(host, user, to, async (site) => {
    const units: string[] = []
    for (const path of outermost(paths)) units.push((await firstMissing(host, site, path)) ?? path)
    return outermost(units).map((path) => ({ path, from: `${filesIn(from)}/${path}` }))
  })

/** The site gets what an exchange kept in the folder `from`. */
export const exchangeKept = (
  host: Host,
  user: string,
  { from, to }: { from: string; to: string },
): Change =>
  exchanged(host, user, to, async (site) => {
    const units: Unit[] = []
    for (const [at, { path }] of ((await keptUnits(host, from)) ?? []).entries()) {
      const kept = (await host.files.stat(keptIn(from, at))) ? keptIn(from, at) : null
      const missing = await firstMissing(host, site, path)
      if (missing === undefined) units.push({ path, from: kept })
      else if (kept) throw conflict(`The site has no folder ${missing}: create it, then try again`)
    }
    return units
  })

/**
 * Replaces files and folders of a site, and leaves all others as they are. There are only renames:
 * the time does not depend on the size of the site.
 *
 * Meanwhile the site is in a folder that only root can enter, and the renames run in a sandbox that
 * has nothing but this folder: a link that the site made leads nowhere.
 */
function exchanged(
  host: Host,
  user: string,
  to: string,
  unitsIn: (site: string) => Promise<Unit[]>,
): Change {
  return declared([change('folder', docrootOf(user))], async () => {
    const site = apartOf(user)
    await host.files.rename(docrootOf(user), site)
    const units = await unitsIn(site)
    await host.files.mkdir(keptFolder(to), PRIVATE)
    await host.files.write(listIn(to), `${JSON.stringify(units)}\n`, SECRET)
    const moves: Move[] = []
    for (const [at, { path, from }] of units.entries()) {
      const place = `${site}/${path}`
      if (await host.files.stat(place)) moves.push([place, keptIn(to, at)])
      if (from !== null) moves.push([from, place])
    }
    await moveAll(host, user, moves)
    await host.files.rename(site, docrootOf(user))
  })
}

/** Undoes an exchange that kept the present state in `to`, also a part of it; can be repeated. */
export async function exchangeBack(host: Host, user: string, to: string): Promise<void> {
  const site = apartOf(user)
  const units = await keptUnits(host, to)
  if (units) {
    if (!(await host.files.stat(site))) await host.files.rename(docrootOf(user), site)
    await moveAll(host, user, await movesBack(host, site, to, units))
    await host.files.remove(listIn(to))
  }
  if (await host.files.stat(site)) await host.files.rename(site, docrootOf(user))
}

type Move = [from: string, to: string]

async function movesBack(
  host: Host,
  site: string,
  to: string,
  units: readonly Unit[],
): Promise<Move[]> {
  const moves: Move[] = []
  for (const [at, { path, from }] of [...units.entries()].reverse()) {
    const place = `${site}/${path}`
    // Its new state is at its place as soon as it is not where it came from.
    const isNew = from !== null && !(await host.files.stat(from))
    if (isNew && (await host.files.stat(place))) moves.push([place, from])
    if (await host.files.stat(keptIn(to, at))) moves.push([keptIn(to, at), place])
  }
  return moves
}

const MOVER = {
  programs: ['/usr/bin/xargs', '/usr/bin/mv'],
  capabilities: 'CAP_DAC_OVERRIDE CAP_FOWNER',
}

async function moveAll(host: Host, user: string, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  const folder = restoresOf(user)
  const names = moves.flat().map((path) => `${SEEN}${path.slice(folder.length)}\0`)
  const argv = ['xargs', '--null', '--max-args=2', 'mv', '--no-target-directory', '--']
  await host.shell.run(argv, { input: names.join(''), site: folderProcess(folder, MOVER) })
}

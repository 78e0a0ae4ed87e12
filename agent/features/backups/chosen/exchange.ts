import { z } from 'zod'
import { exchangeFolderOf, filesIn } from '#agent/features/backups/paths.ts'
import { type Change, declared } from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, restoresOf } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { firstMissing, outermost } from './paths.ts'
import { folderProcess, SANDBOX_FOLDER } from './sandbox.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }

/** A path of the site, and where its new state comes from; null when it is removed. */
const ExchangedPath = z.object({ path: z.string(), from: z.string().nullable() })
type ExchangedPath = z.infer<typeof ExchangedPath>

/** The list of what an exchange replaced; the previous states stand beside it by number. */
const listIn = (folder: string) => `${folder}/paths.json`
const keptIn = (folder: string, at: number) => `${keptFolder(folder)}/${at}`
export const keptFolder = (folder: string) => `${folder}/paths`

/** Returns the paths that an exchange replaced; undefined when none did. */
async function readExchange(host: Host, folder: string): Promise<ExchangedPath[] | undefined> {
  const text = await host.files.read(listIn(folder))
  return text === undefined ? undefined : z.array(ExchangedPath).parse(JSON.parse(text))
}

export const hasExchange = (host: Host, folder: string) => host.files.stat(listIn(folder))

/** Replaces chosen paths of a site by those in `from`; its present ones go to the folder `to`. */
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

/** Restores what an exchange moved to the folder `from`. */
export const exchangeKept = (
  host: Host,
  user: string,
  { from, to }: { from: string; to: string },
): Change =>
  exchanged(host, user, to, async (site) => {
    const units: ExchangedPath[] = []
    for (const [at, { path }] of ((await readExchange(host, from)) ?? []).entries()) {
      const kept = (await host.files.stat(keptIn(from, at))) ? keptIn(from, at) : null
      const missing = await firstMissing(host, site, path)
      if (missing === undefined) units.push({ path, from: kept })
      else if (kept) throw conflict(`The site has no folder ${missing}: create it, then try again`)
    }
    return units
  })

/**
 * Replaces files and folders of a site with renames, so that the time does not depend on its size.
 * Meanwhile the site is in a folder that only root can enter, and the renames run in a sandbox with
 * only this folder: a link that the site made leads nowhere.
 */
function exchanged(
  host: Host,
  user: string,
  to: string,
  unitsIn: (site: string) => Promise<ExchangedPath[]>,
): Change {
  return declared([change('folder', docrootOf(user))], async () => {
    const site = exchangeFolderOf(user)
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

/** Undoes a whole or partial exchange that moved the present state to `to`; can be repeated. */
export async function exchangeBack(host: Host, user: string, to: string): Promise<void> {
  const site = exchangeFolderOf(user)
  const units = await readExchange(host, to)
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
  units: readonly ExchangedPath[],
): Promise<Move[]> {
  const moves: Move[] = []
  for (const [at, { path, from }] of [...units.entries()].reverse()) {
    const place = `${site}/${path}`
    // The new state is in place as soon as it has left its source.
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
  const names = moves.flat().map((path) => `${SANDBOX_FOLDER}${path.slice(folder.length)}\0`)
  const argv = ['xargs', '--null', '--max-args=2', 'mv', '--no-target-directory', '--']
  await host.shell.run(argv, { input: names.join(''), site: folderProcess(folder, MOVER) })
}

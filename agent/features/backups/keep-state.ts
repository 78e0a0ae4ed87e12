import { databaseSize, dumpDatabase } from '#agent/kernel/database/dump.ts'
import { findAccount, renderAccount } from '#agent/kernel/database/kept-account.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { creationsOf, remove, replacementOf, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import { forgetRoom } from '#agent/kernel/users/room.ts'
import {
  accountIn,
  apartOf,
  dumpIn,
  factsIn,
  fetchedOf,
  filesIn,
  previousOf,
  replacedOf,
  restoreFolders,
} from './places.ts'
import type { Facts } from './replace.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }
/** How long the previous state stays. */
const KEPT_MS = 7 * 24 * 60 * 60_000

/** Until when a state is kept that is replaced now. */
export const keptUntil = (host: Host): string => new Date(host.clock.now() + KEPT_MS).toISOString()

/**
 * Provides the folder that takes the present state of a site, with what is known of it. The undo of
 * later steps needs the folder: it is removed after all of them.
 */
export function keepStep(host: Host, user: string, facts?: () => Facts): Step {
  const folder = replacedOf(user)
  return {
    name: 'keep',
    title: 'Keeping the current state',
    effects: () => creationsOf(host, 'folder', ...restoreFolders(user), folder),
    async apply() {
      for (const path of [...restoreFolders(user), folder]) await host.files.mkdir(path, PRIVATE)
      const known = facts?.()
      if (known) await host.files.write(factsIn(folder), `${JSON.stringify(known)}\n`, SECRET)
    },
    undo: removedTree(host.steady ?? host, 'folder', folder).apply,
    holds: true,
  }
}

type Save = () => Promise<void>

/**
 * Dumps the present database, and records the account with its password. `tell` gets what the dump
 * does not contain; `around` does what belongs before and after it.
 */
export const saveStep = (
  host: Host,
  user: string,
  tell: (message: string) => void,
  around: (save: Save) => Promise<void> = (save) => save(),
): Step => ({
  name: 'dump',
  title: 'Saving the current database',
  effects: [run('program', 'mariadb-dump')],
  apply: () =>
    around(async () => {
      for (const message of await savePresent(host, user)) tell(message)
    }),
})

async function savePresent(host: Host, user: string): Promise<string[]> {
  const folder = replacedOf(user)
  await host.files.write(accountIn(folder), renderAccount(await findAccount(host, user)), SECRET)
  await host.files.remove(dumpIn(folder))
  const size = await databaseSize(host, user)
  return size === undefined ? [] : dumpDatabase(host, user, { path: dumpIn(folder), size })
}

/** One rename decides: from then on the change is complete, and can be undone. */
export function recordStep(host: Host, user: string, what = 'state'): Step {
  const [replaced, previous] = [replacedOf(user), previousOf(user)]
  return {
    name: 'record',
    title: `Keeping the previous ${what} for a week`,
    effects: async () => [
      remove('folder', replaced),
      await replacementOf(host, previous, 'folder'),
    ],
    async apply() {
      if (!(await host.files.stat(replaced))) return
      await host.files.remove(previous)
      await host.files.rename(replaced, previous)
    },
    decided: async () => !(await host.files.stat(replaced)),
  }
}

export const forgetFetchedStep = (host: Host, site: Site): Step => ({
  name: 'cleanup',
  title: 'Removing the fetched data',
  effects: removedTree(host, 'folder', fetchedOf(site.user)).effects,
  apply: () => forgetFetched(host, site),
})

/**
 * Before the former database is loaded again: a full disk may be the reason of the failure. What the
 * undo of the files still needs stays.
 */
export async function makeSpace(host: Host, { user }: Site): Promise<void> {
  const replaced = replacedOf(user)
  const isNeeded =
    (await host.files.stat(filesIn(replaced))) || (await host.files.stat(apartOf(user)))
  if (!isNeeded)
    await removedTree(host, 'folder', fetchedOf(user))
      .apply()
      .catch(() => undefined)
}

/** Then sets the quota without it. */
export async function forgetFetched(host: Host, site: Site): Promise<void> {
  await removedTree(host, 'folder', fetchedOf(site.user)).apply()
  await forgetRoom(host, site.user)
  await limitDisk(host, site)
}

import { findAccount, renderAccount } from '#agent/kernel/database/account-record.ts'
import { databaseSize, dumpDatabase } from '#agent/kernel/database/dump.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { creationsOf, remove, replacementOf, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { removeExtraQuota } from '#agent/kernel/users/extra-quota.ts'
import { limitDisk } from '#agent/kernel/users/quota.ts'
import {
  accountIn,
  dumpIn,
  exchangeFolderOf,
  factsIn,
  fetchedOf,
  filesIn,
  olderIn,
  previousOf,
  replacedOf,
  restoreFolders,
} from './paths.ts'
import type { PreviousState } from './replace.ts'

const SECRET = { mode: 0o600 }
const PRIVATE = { mode: 0o700 }
const KEPT_MS = 7 * 24 * 60 * 60_000

/** Returns the time until which a state that is replaced now is kept. */
export const keptUntil = (host: Host): string => new Date(host.clock.now() + KEPT_MS).toISOString()

/** Creates the folder for the present state of a site. It is removed after all undo steps. */
export function replacedFolderStep(host: Host, user: string, facts?: () => PreviousState): Step {
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

type SaveDatabase = () => Promise<void>

/** Dumps the present database, and records the account. `tell` gets what the dump lacks. */
export const saveDatabaseStep = (
  host: Host,
  user: string,
  tell: (message: string) => void,
  around: (save: SaveDatabase) => Promise<void> = (save) => save(),
): Step => ({
  name: 'dump',
  title: 'Saving the current database',
  effects: [run('program', 'mariadb-dump')],
  apply: () =>
    around(async () => {
      for (const message of await saveCurrentDatabase(host, user)) tell(message)
    }),
})

async function saveCurrentDatabase(host: Host, user: string): Promise<string[]> {
  const folder = replacedOf(user)
  await host.files.write(accountIn(folder), renderAccount(await findAccount(host, user)), SECRET)
  await host.files.remove(dumpIn(folder))
  const size = await databaseSize(host, user)
  return size === undefined ? [] : dumpDatabase(host, user, { path: dumpIn(folder), size })
}

/**
 * Renames the folder of the replaced state: then the change is decided, and can be undone by a user.
 * The state before the last change is removed after that: until then, an undo still needs it.
 */
export function keepPreviousStep(host: Host, user: string, what = 'state'): Step {
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
      if (await host.files.stat(previous)) await host.files.rename(previous, olderIn(replaced))
      await host.files.rename(replaced, previous)
      // What is left goes with its folder.
      await host.files.remove(olderIn(previous)).catch(() => undefined)
    },
    async undo() {
      const { files } = host.steady ?? host
      if (await files.stat(olderIn(replaced))) await files.rename(olderIn(replaced), previous)
    },
    decided: async () => !(await host.files.stat(replaced)),
  }
}

export const removeFetchedStep = (host: Host, site: Site): Step => ({
  name: 'cleanup',
  title: 'Removing the fetched data',
  effects: removedTree(host, 'folder', fetchedOf(site.user)).effects,
  apply: () => removeFetched(host, site),
})

/**
 * Removes fetched data before the previous database is loaded again, in case that a full disk
 * caused the failure. What the undo of the files still needs stays.
 */
export async function freeFetchedSpace(host: Host, { user }: Site): Promise<void> {
  const replaced = replacedOf(user)
  const isNeeded =
    (await host.files.stat(filesIn(replaced))) || (await host.files.stat(exchangeFolderOf(user)))
  if (!isNeeded)
    await removedTree(host, 'folder', fetchedOf(user))
      .apply()
      .catch(() => undefined)
}

/** Removes the fetched data, and sets the quota without it. */
export async function removeFetched(host: Host, site: Site): Promise<void> {
  await removedTree(host, 'folder', fetchedOf(site.user)).apply()
  await removeExtraQuota(host, site.user)
  await limitDisk(host, site)
}

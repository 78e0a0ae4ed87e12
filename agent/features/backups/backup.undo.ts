import {
  exchangeBack,
  exchangeKept,
  hasExchange,
  keptFolder,
} from '#agent/features/backups/chosen/exchange.ts'
import {
  readReplacedTables,
  recordReplacedTables,
  restoreTables,
} from '#agent/features/backups/chosen/tables.ts'
import { forgetBaselineSteps } from '#agent/kernel/baseline/baseline.ts'
import type { SpaceUse } from '#agent/kernel/database/import.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import {
  type Change,
  declared,
  deferred,
  inOrder,
  provided,
  removed,
  removedTree,
} from '#agent/kernel/effects/change.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { domainOf, onSite } from '#agent/kernel/site/on-site.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, ready, type Step } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { accountIn, dumpIn, factsIn, filesIn, previousOf, replacedOf } from './paths.ts'
import { pauseSiteSteps, resumeSiteSteps, startSiteSteps } from './pause-site.ts'
import { replacedFolderStep, saveDatabaseStep } from './previous-state.ts'
import * as replace from './replace.ts'
import { sanitizeFiles } from './sanitize-files.ts'

/** The dump of the restore has left out the same objects: they are not reported again. */
const IGNORE_MESSAGES = () => undefined

/** Restores the state before a restore, until that state expires. */
export const backupUndo = command('backup.undo', {
  ...onSite,
  check: async ({ domain }, host) => ({ site: await getUndoable(host, domain) }),
  steps: ({ host, site }) => [ready(() => mariadbSteps(host)), ...stepsOf(host, site)],
  result: domainOf,
})

async function getUndoable(host: Host, domain: string): Promise<Site> {
  const site = await getSite(host, domain)
  if (await replace.findPreviousState(host, site.user)) return site
  throw conflict(`${domain} has no restore that can be undone`)
}

function stepsOf(host: Host, site: Site): Step[] {
  const { user } = site
  const steady = host.steady ?? host
  const [previous, replaced] = [previousOf(user), replacedOf(user)]
  return [
    ...pauseSiteSteps(host, site),
    replacedFolderStep(host, user),
    saveDatabaseStep(host, user, IGNORE_MESSAGES, async (save) => {
      if (!(await host.files.stat(accountIn(previous)))) return
      const tables = await readReplacedTables(host, previous)
      if (tables) await recordReplacedTables(host, replaced, tables)
      await save()
    }),
    {
      name: 'database',
      title: 'Restoring the previous database',
      effects: [change('database', user)],
      async apply() {
        if (!(await host.files.stat(accountIn(previous)))) return
        await restoreDatabase(host, site, previous, 'leave_some')
      },
      async undo() {
        if (!(await host.files.stat(accountIn(replaced)))) return
        await restoreDatabase(steady, site, replaced, 'use_all')
      },
    },
    {
      name: 'files',
      title: 'Restoring the previous files',
      ...deferred(async () =>
        (await hasExchange(host, previous))
          ? inOrder(
              filesSanitized(host, user, keptFolder(previous)),
              exchangeKept(host, user, { from: previous, to: replaced }),
            )
          : inOrder(
              filesSanitized(host, user, filesIn(previous)),
              replace.swapFiles(host, user, previous, replaced),
            ),
      ),
      async undo() {
        await exchangeBack(steady, user, replaced)
        await replace.swapBack(steady, user, previous, replaced)
      },
    },
    replace.alignPasswordStep(host, site),
    ...forgetBaselineSteps(host, site),
    ...startSiteSteps(host, site),
    {
      name: 'record',
      title: 'Recording that the restore is undone',
      ...removed(host, 'file', factsIn(previous)),
      decided: async () => !(await host.files.stat(factsIn(previous))),
    },
    ...resumeSiteSteps(host, site),
    {
      name: 'cleanup',
      title: 'Removing the restored state',
      ...removedTree(host, 'folder', replaced),
    },
    {
      name: 'previous',
      title: 'Removing the folder of the previous state',
      ...replace.removePreviousState(host, site),
    },
  ]
}

/** Sanitises the files again: an older agent may have checked less. */
const filesSanitized = (host: Host, user: string, path: string): Change =>
  provided(
    () => host.files.stat(path),
    declared([], () => sanitizeFiles(host, user, path)),
  )

/** Loads the whole database, or the tables that were replaced. */
async function restoreDatabase(
  host: Host,
  site: Site,
  folder: string,
  space: SpaceUse,
): Promise<void> {
  if (await readReplacedTables(host, folder)) await restoreTables(host, site, folder, space)
  else await replace.loadDatabase(host, site, dumpIn(folder), space)
}

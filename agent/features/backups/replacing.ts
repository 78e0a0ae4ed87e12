import { exchangeBack, exchangeFetched } from '#agent/features/backups/chosen/exchange.ts'
import { nameOf } from '#agent/features/backups/chosen/paths.ts'
import { bringBackTables, keepTables, loadTables } from '#agent/features/backups/chosen/tables.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { makeSpace, saveStep } from './keep-state.ts'
import { dumpIn, fetchedOf, replacedOf } from './places.ts'
import * as replace from './replace.ts'

/** The site gets the database that was fetched, or only these tables of it. */
export function databaseSteps(
  host: Host,
  site: Site,
  tables: readonly string[] | undefined,
  warn: (message: string) => void,
): Step[] {
  const { user } = site
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  const steady = host.steady ?? host
  return [
    saveStep(host, user, warn, async (save) => {
      if (tables) await keepTables(host, replaced, tables)
      await save()
    }),
    {
      name: 'database',
      title: tables ? `Replacing ${nameOf(tables, 'tables')}` : 'Replacing the database',
      effects: [change('database', user)],
      apply: () =>
        tables
          ? loadTables(host, site, { folder: fetched, tables, space: 'leave_some' })
          : replace.loadDatabase(host, site, dumpIn(fetched), 'leave_some'),
      async undo() {
        await makeSpace(steady, site)
        if (tables) await bringBackTables(steady, site, replaced, 'use_all')
        else await replace.loadDatabase(steady, site, dumpIn(replaced), 'use_all')
      },
    },
  ]
}

/** The site gets the files that were fetched: all of them, or only these paths. */
export function filesStep(host: Host, user: string, paths: readonly string[] | undefined): Step {
  const [from, to] = [fetchedOf(user), replacedOf(user)]
  const steady = host.steady ?? host
  if (!paths) {
    return {
      name: 'files',
      title: 'Replacing the files',
      ...replace.swapFiles(host, user, from, to),
      undo: () => replace.swapBack(steady, user, from, to),
    }
  }
  return {
    name: 'files',
    title: `Replacing ${nameOf(paths, 'files and folders')}`,
    ...exchangeFetched(host, user, paths, { from, to }),
    undo: () => exchangeBack(steady, user, to),
  }
}

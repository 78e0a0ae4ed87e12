import { exchangeBack, exchangeFetched } from '#agent/features/backups/chosen/exchange.ts'
import { describeSelection } from '#agent/features/backups/chosen/paths.ts'
import {
  loadTables,
  recordReplacedTables,
  restoreTables,
} from '#agent/features/backups/chosen/tables.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { dumpIn, fetchedOf, replacedOf } from './paths.ts'
import { freeFetchedSpace, saveDatabaseStep } from './previous-state.ts'
import * as replace from './replace.ts'

/** Replaces the database by the fetched one, or only these tables of it. */
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
    saveDatabaseStep(host, user, warn, async (save) => {
      if (tables) await recordReplacedTables(host, replaced, tables)
      await save()
    }),
    {
      name: 'database',
      title: tables ? `Replacing ${describeSelection(tables, 'tables')}` : 'Replacing the database',
      effects: [change('database', user)],
      apply: () =>
        tables
          ? loadTables(host, site, { folder: fetched, tables, space: 'leave_some' })
          : replace.loadDatabase(host, site, dumpIn(fetched), 'leave_some'),
      async undo() {
        await freeFetchedSpace(steady, site)
        if (tables) await restoreTables(steady, site, replaced, 'use_all')
        else await replace.loadDatabase(steady, site, dumpIn(replaced), 'use_all')
      },
    },
  ]
}

/** Replaces the files by the fetched ones, or only these paths. */
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
    title: `Replacing ${describeSelection(paths, 'files and folders')}`,
    ...exchangeFetched(host, user, paths, { from, to }),
    undo: () => exchangeBack(steady, user, to),
  }
}

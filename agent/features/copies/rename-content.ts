import {
  bringBackTables,
  keepTables,
  keptTables,
  loadTables,
} from '#agent/features/backups/chosen/tables.ts'
import { keepStep, saveStep } from '#agent/features/backups/keep-state.ts'
import { chosenIn, dumpIn, fetchedOf, replacedOf } from '#agent/features/backups/places.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { proveAddress } from '#agent/features/copies/rename/address.ts'
import { countChangesIn } from '#agent/features/copies/rename/changes.ts'
import { bringBackConfig, readdressConfig } from '#agent/features/copies/rename/config.ts'
import type { Renaming } from '#agent/features/copies/rename/target.ts'
import { prepareFetched } from '#agent/features/copies/staging/files.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { endTemporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import { removedTree } from '#agent/kernel/effects/change.ts'
import { change, create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import { type Progress, type Step, value } from '#agent/kernel/steps/command.ts'
import { flushStep } from './push-steps.ts'
import type { Rename } from './rename-following.ts'

/** The tables whose addresses have changed. */
const rewritten = value<string[]>('The addresses were not changed')

/** No program of the site runs: its database and its configuration get the new address. */
export function contentSteps({ host, former, target, gives, get, warn }: Rename): Step[] {
  const { user } = target
  const steady = host.steady ?? host
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  const flush = flushStep(host, target)
  const tell = (message: string) => warn({ code: 'left_out', message })
  return [
    keepStep(host, user),
    saveStep(host, user, tell, async (save) => {
      // What a client of a temporary user writes after the dump would be lost.
      await endTemporaryOf(host, user)
      await save()
    }),
    {
      name: 'rewrite',
      title: 'Changing the addresses in the saved database',
      effects: [create('folder', fetched)],
      apply: gives(rewritten, () => rewrite(host, { former, target })),
      undo: removedTree(steady, 'folder', fetched).apply,
    },
    {
      name: 'database',
      title: 'Replacing the tables with changed addresses',
      effects: [change('database', user)],
      async apply() {
        const names = get(rewritten)
        const chosen = { folder: fetched, tables: names, space: 'leave_some' } as const
        if (names.length > 0) await loadTables(host, target, chosen)
      },
      async undo() {
        if ((await keptTables(steady, replaced))?.length)
          await bringBackTables(steady, former, replaced, 'use_all')
      },
    },
    {
      name: 'config',
      title: 'Changing the address in configuration files',
      effects: [change('folder', docrootOf(user))],
      async *apply() {
        const files = await readdressConfig(host, former, target)
        if (files.length > 0) yield `Changed ${files.join(', ')}`
      },
      undo: () => bringBackConfig(steady, former, target),
    },
    {
      name: 'address',
      title: 'Checking the address of WordPress',
      effects: [run('program', 'wp eval')],
      apply: () => proveAddress(host, target),
    },
    { ...flush, undo: () => flushed(flush) },
  ]
}

/** Only tables with changes are replaced; the others stay as they are. */
async function* rewrite(host: Host, { former, target }: Renaming): Progress<string[]> {
  const { user } = target
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  const saved = dumpIn(replaced)
  const changes = await countChangesIn(host, saved, former, target)
  const changed = changes.tables.filter(({ columns }) => columns.length > 0)
  const names = changed.map(({ table }) => table)
  await keepTables(host, replaced, names)
  await prepareFetched(host, user)
  if (names.length > 0)
    await loadDump(host, saved, former, target, { path: chosenIn(fetched), tables: names })
  const { replaced: count, left } = changes
  const at = new Date(host.clock.now()).toISOString()
  const addresses = { replaced: count, left }
  await writeReport(host, user, { at, files: 0, bytes: 0, tables: names.length, addresses })
  yield `${count} addresses in ${names.length} tables`
  return names
}

/** The cache must not keep what was read with the new address. */
async function flushed({ apply }: Pick<Step, 'apply'>): Promise<void> {
  const work = apply()
  if (work instanceof Promise) return work
  for await (const _ of work ?? []);
}

import {
  loadTables,
  recordReplacedTables,
  restoreTables,
} from '#agent/features/backups/chosen/tables.ts'
import { withLargerQuotaForCopy } from '#agent/features/backups/larger-quota.ts'
import { chosenIn, dumpIn, fetchedOf, replacedOf } from '#agent/features/backups/paths.ts'
import {
  freeFetchedSpace,
  removeFetched,
  saveDatabaseStep,
} from '#agent/features/backups/previous-state.ts'
import { refuseReplaced, refuseReplacing } from '#agent/features/backups/replace.ts'
import type { writeReport } from '#agent/features/copies/clone/report.ts'
import {
  fetchSiteFiles,
  keepOwnFiles,
  prepareFetched,
  WITHOUT_CONFIG,
} from '#agent/features/copies/staging/files.ts'
import * as options from '#agent/features/copies/staging/kept-options.ts'
import { changedOnLive } from '#agent/features/copies/staging/tables.ts'
import { copyDatabase } from '#agent/features/wordpress/addresses/load.ts'
import { complaintOf, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import * as baseline from '#agent/kernel/baseline/baseline.ts'
import { sameFiles } from '#agent/kernel/baseline/live-files.ts'
import { databaseDigests, dumpDigests, type TableDigest } from '#agent/kernel/database/digests.ts'
import { change, create, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { sizeOf } from '#agent/kernel/host/report-progress.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  type CommandRun,
  type Progress,
  type Step,
  stepResult,
} from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'

export type PushRun = CommandRun<'site.push', { site: Site }>
type PushParams = PushRun['params']

type PushCopyReport = Parameters<typeof writeReport>[2]
export const copied = stepResult<PushCopyReport>('Nothing was copied')
/** The time at which the live site got the files, before any program of it ran. */
export const filesAt = stepResult<string>('No files were copied')

const NOTHING = { replaced: 0, left: [] }

/** Checks the tables before the copy, which takes longer. */
export const fetchStep = ({ host, site: live, params, gives }: PushRun): Step => ({
  name: 'fetch',
  title: `Copying from ${params.from}`,
  effects: [run('program', 'mariadb-dump'), create('folder', fetchedOf(live.user))],
  apply: gives(copied, async function* () {
    const staging = await getSite(host, params.from)
    const restored = await refuseReplacing(host, staging)
    const result = yield* fetchContent(host, { live, staging }, params)
    await refuseReplaced(host, staging, restored, 'copy')
    return result
  }),
  async undo() {
    const steady = host.steady ?? host
    await baseline.forgetBaseline(steady, nextBaselineOf(params.from))
    await removeFetched(steady, live)
  },
})

async function* fetchContent(
  host: Host,
  { live, staging }: Record<'live' | 'staging', Site>,
  params: PushParams,
): Progress<PushCopyReport> {
  const { tables, files, from } = params
  if (tables.length > 0) await refuseChanged(host, await databaseDigests(host, live), params)
  const folder = await prepareFetched(host, live.user)
  await baseline.forgetBaseline(host, nextBaselineOf(from))
  const at = new Date(host.clock.now()).toISOString()
  const facts = { at, files: 0, bytes: 0, tables: tables.length, addresses: NOTHING }
  let { addresses, bytes }: PushCopyReport = facts
  if (tables.length > 0) {
    const dump = await copyDatabase(host, staging, live, { path: chosenIn(folder), tables })
    refuseMissing(tables, dump.digests, from)
    addresses = dump.addresses
    await writeNextBaseline(host, live, params, dump.digests)
    yield `Copied ${tables.length} tables`
  }
  if (files) {
    bytes = yield* withLargerQuotaForCopy(host, live, [staging, live], async () => {
      const size = await fetchSiteFiles(host, staging, live, WITHOUT_CONFIG)
      await keepOwnFiles(host, live)
      return size
    })
    yield `Copied the files: ${sizeOf(bytes)}`
  }
  return { ...facts, addresses, bytes }
}

/** Throws conflict with the code `tables_changed` and the names of the tables. */
async function refuseChanged(
  host: Host,
  present: readonly TableDigest[],
  { domain, from, tables, overwrite }: PushParams,
): Promise<void> {
  const known = await baseline.findBaseline(host, from, domain)
  const changed = changedOnLive(present, known, tables).filter((name) => !overwrite.includes(name))
  if (changed.length === 0) return
  const some = changed.slice(0, 20).join(', ')
  const names = changed.length > 20 ? `${some} and ${changed.length - 20} more` : some
  throw conflict(
    `${domain} has changes that would be lost in: ${names}. Leave these tables out, or name them in overwrite`,
    'tables_changed',
  )
}

function refuseMissing(
  tables: readonly string[],
  found: readonly TableDigest[],
  from: string,
): void {
  const missing = tables.find((name) => !found.some(({ table }) => table === name))
  if (missing !== undefined) throw conflict(`${from} does not have the table ${missing}`)
}

/** No program of the live site runs: this second check of the tables is final. */
export function tableSteps({ host, site: live, params, warn }: PushRun): Step[] {
  const { user } = live
  const tell = (message: string) => warn({ code: 'left_out', message })
  const { tables } = params
  const steady = host.steady ?? host
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  return [
    saveDatabaseStep(host, user, tell, async (save) => {
      await recordReplacedTables(host, replaced, tables)
      await save()
      await refuseChanged(host, await dumpDigests(host, user, dumpIn(replaced)), params)
    }),
    {
      name: 'database',
      title: `Replacing ${tables.length === 1 ? tables[0] : `${tables.length} tables`}`,
      effects: [change('database', user)],
      async apply() {
        const kept = await options.optionTables(host, user, tables)
        if (kept.length > 0) await options.keepOptions(host, user, kept)
        await loadTables(host, live, { folder: fetched, tables, space: 'leave_some' })
        if (kept.length > 0) await options.restoreOptions(host, user, kept)
      },
      async undo() {
        await freeFetchedSpace(steady, live)
        await restoreTables(steady, live, replaced, 'use_all')
        await options.removeKeptOptions(steady, user)
      },
    },
  ]
}

/**
 * Flushes an object cache, which may have rows of the previous tables, before PHP runs, and again
 * after an undo, whose rows it may lack.
 */
export const flushStep = (host: Host, site: Site): Step => ({
  name: 'objects',
  title: `Flushing the object cache of ${site.domain}`,
  effects: [run('program', 'wp cache flush')],
  async *apply() {
    const output = await flushObjects(host, site)
    if (output.code !== 0) yield `Warning: the object cache was not flushed: ${complaintOf(output)}`
  },
  undo: async () => void (await flushObjects(host.steady ?? host, site)),
})

const flushObjects = (host: Host, site: Site) =>
  runWpCli(host, site, ['--skip-plugins', '--skip-themes', 'cache', 'flush'])

const nextBaselineOf = (domain: string) => `${domain}.next`

/** Writes the baseline after the push, which counts as soon as the push is decided. */
async function writeNextBaseline(
  host: Host,
  live: Site,
  { domain, from, tables }: PushParams,
  staging: readonly TableDigest[],
): Promise<void> {
  const before = await baseline.findBaseline(host, from, domain)
  if (!before) return
  const pushed = await dumpDigests(host, live.user, chosenIn(fetchedOf(live.user)))
  const replacing = (old: readonly TableDigest[], now: readonly TableDigest[]) => [
    ...old.filter(({ table }) => !tables.includes(table)),
    ...now.filter(({ table }) => tables.includes(table)),
  ]
  const next = { live: replacing(before.live, pushed), staging: replacing(before.staging, staging) }
  await baseline.writeBaseline(host, nextBaselineOf(from), { ...before, ...next })
}

export const baselineStep = ({
  host,
  site: live,
  params: { from, files },
  find,
}: PushRun): Step => ({
  name: 'baseline',
  title: 'Recording the tables and files that both sites have',
  effects: [],
  async apply() {
    await baseline.replaceBaseline(host, nextBaselineOf(from), from)
    if (!files) return
    const at = find(filesAt)
    const same = at === undefined ? undefined : await sameFiles(host, live, at)
    await baseline.recordSameFiles(host, { domain: from, of: live.domain }, same)
  },
})

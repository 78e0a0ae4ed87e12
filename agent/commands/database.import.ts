import type { Host } from '#agent/host/ports.ts'
import { refuseLack } from '#agent/os/backup/fetch.ts'
import { keepStep, keptUntil, recordStep, saveStep } from '#agent/os/backup/keep-state.ts'
import { dumpIn, replacedOf } from '#agent/os/backup/places.ts'
import * as replace from '#agent/os/backup/replace.ts'
import { pauseSteps, resumeSteps } from '#agent/os/backup/switch.ts'
import { databaseSize } from '#agent/os/database/dump.ts'
import { objectsIn } from '#agent/os/database/foreign-objects.ts'
import { mariadbSteps } from '#agent/os/database/mariadb.ts'
import { HOMES } from '#agent/os/site/paths.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import { type Imported, importUpload } from '#agent/os/site-database/import.ts'
import { forgetUpload, markTried, partsOf } from '#agent/os/site-database/uploads.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { forgetSteps } from './separate-step.ts'

type Params = ParamsOf<'database.import'>
/** What the operation finds out while it runs. */
interface Learned {
  facts?: replace.Facts
  imported?: Imported
}

/** Tables with their indexes, against their dump; and a dump, against its compressed file. */
const [GROWTH, PACKED] = [2, 5]

/** The present database is saved first; one rename of a folder decides. */
export const databaseImport: Command<'database.import'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? stepsOf(host, site, params) : []
  },
  async finished({ domain }, host) {
    const site = await findSite(host, domain)
    const facts = site && (await replace.findPrevious(host, site.user))
    return facts && { domain, ...facts, bytes: 0 }
  },
  async plan(params, host) {
    const site = await fit(host, params)
    return [...(await mariadbSteps(host)), ...stepsOf(host, site, params)]
  },
  async *run(params, { host, announce, perform, warn }) {
    const site = await fit(host, params)
    await refuseLackFor(host, site, params)
    const learned: Learned = {}
    const leftOut = (message: string) => warn({ code: 'left_out', message })
    const steps = [...(await mariadbSteps(host)), ...stepsOf(host, site, params, learned, leftOut)]
    announce(steps)
    const reason = yield* perform(steps)
    if (reason !== undefined) warn({ code: 'cleanup_pending', message: reason })
    const { facts, imported } = learned
    if (!facts || !imported) throw new Error('The import has no result')
    if (!imported.isWhole) {
      const message = 'The dump does not end with "Dump completed": its file may be cut off'
      warn({ code: 'dump_without_end', message })
    }
    return { domain: site.domain, ...facts, bytes: imported.bytes }
  },
}

/** For the saved state, and for the tables of the dump. */
async function refuseLackFor(host: Host, { user }: Site, params: Params): Promise<void> {
  const { bytes } = await partsOf(host, { ...params, user })
  const present = (await databaseSize(host, user)) ?? 0
  await refuseLack(host, HOMES, 2 * present, 'the import')
  await refuseLack(
    host,
    '/var/lib/mysql',
    GROWTH * (params.packed ? PACKED : 1) * bytes,
    'the import',
  )
}

async function fit(host: Host, { domain }: Params): Promise<Site> {
  const site = await getSite(host, domain)
  if (site.moving?.closed)
    throw conflict(`${domain} moves to another server: import the dump there`)
  const [object] = await objectsIn(host, site.user)
  if (object) {
    const what = `a ${object.kind} (${object.name})`
    throw conflict(`The database has ${what}, which a failed import would lose: remove it first`)
  }
  return site
}

function stepsOf(
  host: Host,
  site: Site,
  params: Params,
  learned: Learned = {},
  warn: (message: string) => void = () => undefined,
): Step[] {
  const { user } = site
  const steady = host.steady ?? host
  return [
    ...pauseSteps(host, site),
    keepStep(host, user, () => factsOf(host, learned)),
    saveStep(host, user, warn),
    {
      name: 'database',
      title: 'Importing the dump',
      effects: replace.planLoad(user),
      async *apply() {
        const { paths, bytes } = await partsOf(host, { ...params, user })
        await markTried(host, user, params.upload)
        yield `Importing an upload of ${Math.ceil(bytes / 1e6)} MB`
        const upload = { paths, bytes, packed: params.packed }
        learned.imported = await importUpload(host, site, upload, params.replace)
        yield `Imported ${Math.ceil(learned.imported.bytes / 1e6)} MB of SQL`
      },
      undo: () => replace.loadDatabase(steady, site, dumpIn(replacedOf(user)), 'use_all'),
    },
    ...forgetSteps(host, site),
    ...resumeSteps(host, site),
    recordStep(host, user, 'database'),
    {
      name: 'cleanup',
      title: 'Removing the upload',
      ...forgetUpload(host, user, params.upload),
    },
  ]
}

function factsOf(host: Host, learned: Learned): replace.Facts {
  learned.facts = { at: new Date(host.clock.now()).toISOString(), until: keptUntil(host) }
  return learned.facts
}

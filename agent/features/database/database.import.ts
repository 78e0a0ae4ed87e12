import { refuseLack } from '#agent/features/backups/fetch.ts'
import { keepStep, keptUntil, recordStep, saveStep } from '#agent/features/backups/keep-state.ts'
import { dumpIn, replacedOf } from '#agent/features/backups/places.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { type Imported, importUpload } from '#agent/features/database/site/import.ts'
import { forgetUpload, markTried, partsOf } from '#agent/features/database/site/uploads.ts'
import { forgetSteps } from '#agent/kernel/baseline/baseline.ts'
import { databaseSize } from '#agent/kernel/database/dump.ts'
import { objectsIn } from '#agent/kernel/database/foreign-objects.ts'
import { mariadbSteps } from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite, warnOfCleanup } from '#agent/kernel/site/on-site.ts'
import { HOMES } from '#agent/kernel/site/paths.ts'
import { getSite, type Site } from '#agent/kernel/site/sites.ts'
import {
  command,
  line,
  type Progress,
  ready,
  type Step,
  value,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'

type Params = ParamsOf<'database.import'>
const imported = value<Imported>('The import has no result')

/** Tables with their indexes, against their dump; and a dump, against its compressed file. */
const [GROWTH, PACKED] = [2, 5]

/** The present database is saved first; one rename of a folder decides. */
export const databaseImport = command('database.import', {
  ...onSite,
  check: async (params, host) => ({ site: await fit(host, params) }),
  steps: ({ params, host, site, gives, warn }) => [
    line(() => refuseLackFor(host, site, params)),
    ready(() => mariadbSteps(host)),
    ...stepsOf(host, site, params, {
      apply: gives(imported, () => importDump(host, site, params)),
      tell: (message) => warn({ code: 'left_out', message }),
    }),
  ],
  unfinished: warnOfCleanup,
  async result({ host, site: { domain, user }, find, warn }) {
    const facts = await replace.findPrevious(host, user)
    if (!facts) throw new Error(imported.missing)
    const { bytes, isWhole } = find(imported) ?? { bytes: 0, isWhole: true }
    if (!isWhole) {
      const message = 'The dump does not end with "Dump completed": its file may be cut off'
      warn({ code: 'dump_without_end', message })
    }
    return { domain, ...facts, bytes }
  },
})

async function* importDump(host: Host, site: Site, params: Params): Progress<Imported> {
  const { user } = site
  const { paths, bytes } = await partsOf(host, { ...params, user })
  await markTried(host, user, params.upload)
  yield `Importing an upload of ${Math.ceil(bytes / 1e6)} MB`
  const upload = { paths, bytes, packed: params.packed }
  const result = await importUpload(host, site, upload, params.replace)
  yield `Imported ${Math.ceil(result.bytes / 1e6)} MB of SQL`
  return result
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
  { apply, tell }: Pick<Step, 'apply'> & { tell: (message: string) => void },
): Step[] {
  const { user } = site
  const steady = host.steady ?? host
  return [
    ...pauseSteps(host, site),
    keepStep(host, user, () => ({
      at: new Date(host.clock.now()).toISOString(),
      until: keptUntil(host),
    })),
    saveStep(host, user, tell),
    {
      name: 'database',
      title: 'Importing the dump',
      effects: [change('database', user)],
      apply,
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

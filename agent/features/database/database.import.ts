import { refuseLack } from '#agent/features/backups/fetch.ts'
import { keepStep, keptUntil, recordStep, saveStep } from '#agent/features/backups/keep-state.ts'
import { accountIn, dumpIn, replacedOf } from '#agent/features/backups/places.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { pauseSteps, resumeSteps } from '#agent/features/backups/switch.ts'
import { forgetUpload, markTried, partsOf } from '#agent/features/database/site/uploads.ts'
import { forgetSteps } from '#agent/kernel/baseline/baseline.ts'
import { releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { databaseSize, timeFor } from '#agent/kernel/database/dump.ts'
import { objectsIn } from '#agent/kernel/database/foreign-objects.ts'
import { importStream } from '#agent/kernel/database/import.ts'
import { parseAccount } from '#agent/kernel/database/kept-account.ts'
import {
  createEmptyDatabase,
  mariadbSteps,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { FeederFailed } from '#agent/kernel/sandbox/feeders.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
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

const GB = 2 ** 30
/** A packed dump of text becomes up to twenty times as large; a bomb a thousand times. */
const MAX_GROWTH = 50
/** The last line that mariadb-dump and mysqldump write. */
const END = /^-- Dump completed/m

interface Upload {
  paths: readonly string[]
  bytes: number
  packed: boolean
}

interface Imported {
  bytes: number
  /** The text ends like that of a whole dump. */
  isWhole: boolean
}

/**
 * Runs the statements of an uploaded dump with the rights of the site, whose account nobody else uses
 * meanwhile. `replace`: into an empty database. The account and its password stay.
 */
async function importUpload(
  host: Host,
  site: Site,
  upload: Upload,
  replace: boolean,
): Promise<Imported> {
  const { user } = site
  const kept = parseAccount(await host.files.read(accountIn(replacedOf(user))))
  if (replace) {
    await removeDatabase(host, user).apply()
    await createEmptyDatabase(host, user, kept)
  }
  await reserveAccount(host, user)
  const most = upload.packed ? Math.max(GB, MAX_GROWTH * upload.bytes) : upload.bytes + 1
  const timeout_ms = timeFor(most)
  const fed = await importStream(host, user, (load) =>
    load(textOf(host, user, upload, { most, timeout_ms }), timeout_ms).catch(refusePacked),
  )
  if (fed.bytes >= most) throw conflict('The dump is far too large for its file')
  await releaseAccount(host, site, kept?.password_hash)
  return { bytes: fed.bytes, isWhole: END.test(fed.end) }
}

type Program = NonNullable<RunOptions['input_from']>

/**
 * Root only reads its own files; what is in them is unpacked with the rights of the site. The progress
 * is that of the upload, whose size is known: the programs after it have no more than their pipes.
 */
function textOf(
  host: Host,
  user: string,
  { paths, bytes, packed }: Upload,
  { most, timeout_ms }: { most: number; timeout_ms: number },
): Program {
  const cat: Program = { argv: ['cat', '--', ...paths], options: { timeout_ms } }
  const after = (argv: string[], input_from: Program, more: Pick<RunOptions, 'seen'> = {}) => ({
    argv,
    options: {
      ...asSite({ user }, { network: false, home: false, timeout_ms, ...more }),
      input_from,
    },
  })
  const decoded = after(['base64', '--decode'], cat)
  const progress = { seen: reportProgress(host, 'Importing the dump', bytes) }
  const head = ['head', `--bytes=${most}`]
  if (!packed) return after(head, decoded, progress)
  return after(head, after(['gzip', '--decompress', '--stdout'], decoded, progress))
}

/** Two programs before the last one: gzip. */
function refusePacked(error: unknown): never {
  if (!(error instanceof FeederFailed)) throw error
  throw conflict('The uploaded file is not a complete gzip file, or is far too large unpacked')
}

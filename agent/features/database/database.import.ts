import { refuseLack } from '#agent/features/backups/fetch.ts'
import { accountIn, dumpIn, replacedOf } from '#agent/features/backups/paths.ts'
import {
  pauseSiteSteps,
  resumeSiteSteps,
  startSiteSteps,
} from '#agent/features/backups/pause-site.ts'
import {
  keepPreviousStep,
  keptUntil,
  replacedFolderStep,
  saveDatabaseStep,
} from '#agent/features/backups/previous-state.ts'
import * as replace from '#agent/features/backups/replace.ts'
import { markTried, partsOf, uploadRemoved } from '#agent/features/database/site/uploads.ts'
import { forgetBaselineSteps } from '#agent/kernel/baseline/baseline.ts'
import { releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { parseAccount } from '#agent/kernel/database/account-record.ts'
import { databaseSize, timeFor } from '#agent/kernel/database/dump.ts'
import { objectsIn } from '#agent/kernel/database/foreign-objects.ts'
import { importStream } from '#agent/kernel/database/import.ts'
import {
  createEmptyDatabase,
  mariadbSteps,
  removeDatabase,
} from '#agent/kernel/database/mariadb.ts'
import { change } from '#agent/kernel/effects/effects.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { FeederFailed } from '#agent/kernel/sandbox/feeder-failed.ts'
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
  stepResult,
} from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'

type ImportParams = ParamsOf<'database.import'>
const imported = stepResult<ImportResult>('The import has no result')

/** Tables with indexes compared with their dump, and a dump with its packed file. */
const [GROWTH, PACKED] = [2, 5]

/** Saves the present database first; one rename of a folder decides. */
export const databaseImport = command('database.import', {
  ...onSite,
  check: async (params, host) => ({ site: await checked(host, params) }),
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
    const facts = await replace.findPreviousState(host, user)
    if (!facts) throw new Error(imported.missing)
    const { bytes, isWhole } = find(imported) ?? { bytes: 0, isWhole: true }
    if (!isWhole) {
      const message = 'The dump does not end with "Dump completed": its file may be cut off'
      warn({ code: 'dump_without_end', message })
    }
    return { domain, ...facts, bytes }
  },
})

async function* importDump(host: Host, site: Site, params: ImportParams): Progress<ImportResult> {
  const { user } = site
  const { paths, bytes } = await partsOf(host, { ...params, user })
  await markTried(host, user, params.upload)
  yield `Importing an upload of ${Math.ceil(bytes / 1e6)} MB`
  const upload = { paths, bytes, packed: params.packed }
  const result = await importUpload(host, site, upload, params.replace)
  yield `Imported ${Math.ceil(result.bytes / 1e6)} MB of SQL`
  return result
}

/** Refuses an import without space for the saved state and for the tables of the dump. */
async function refuseLackFor(host: Host, { user }: Site, params: ImportParams): Promise<void> {
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

async function checked(host: Host, { domain }: ImportParams): Promise<Site> {
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
  params: ImportParams,
  { apply, tell }: Pick<Step, 'apply'> & { tell: (message: string) => void },
): Step[] {
  const { user } = site
  const steady = host.steady ?? host
  return [
    ...pauseSiteSteps(host, site),
    replacedFolderStep(host, user, () => ({
      at: new Date(host.clock.now()).toISOString(),
      until: keptUntil(host),
    })),
    saveDatabaseStep(host, user, tell),
    {
      name: 'database',
      title: 'Importing the dump',
      effects: [change('database', user)],
      apply,
      undo: () => replace.loadDatabase(steady, site, dumpIn(replacedOf(user)), 'use_all'),
    },
    ...forgetBaselineSteps(host, site),
    ...startSiteSteps(host, site),
    keepPreviousStep(host, user, 'database'),
    ...resumeSiteSteps(host, site),
    {
      name: 'cleanup',
      title: 'Removing the upload',
      ...uploadRemoved(host, user, params.upload),
    },
  ]
}

const GB = 2 ** 30
/** The limit of the growth of a packed dump: about twenty for text, a thousand for a bomb. */
const MAX_GROWTH = 50
/** The last line that mariadb-dump and mysqldump write. */
const END = /^-- Dump completed/m

interface Upload {
  paths: readonly string[]
  bytes: number
  packed: boolean
}

interface ImportResult {
  bytes: number
  /** True when the text ends like that of a whole dump. */
  isWhole: boolean
}

/**
 * Runs the statements of an uploaded dump with the rights of the site, whose account nobody else
 * uses meanwhile; `replace` starts with an empty database. The account and its password stay.
 */
async function importUpload(
  host: Host,
  site: Site,
  upload: Upload,
  replace: boolean,
): Promise<ImportResult> {
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
    load(textOf(host, user, upload, { most, timeout_ms }), timeout_ms).catch(refuseDamagedUpload),
  )
  if (fed.bytes >= most) throw conflict('The dump is far too large for its file')
  await releaseAccount(host, site, kept?.password_hash)
  return { bytes: fed.bytes, isWhole: END.test(fed.end) }
}

type InputProgram = NonNullable<RunOptions['input_from']>

/** Reads files as root, and unpacks them with the rights of the site. */
function textOf(
  host: Host,
  user: string,
  { paths, bytes, packed }: Upload,
  { most, timeout_ms }: { most: number; timeout_ms: number },
): InputProgram {
  const cat: InputProgram = { argv: ['cat', '--', ...paths], options: { timeout_ms } }
  const after = (
    argv: string[],
    input_from: InputProgram,
    more: Pick<RunOptions, 'seen'> = {},
  ) => ({
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

/** Throws conflict if gzip failed, the second program before the last one. */
function refuseDamagedUpload(error: unknown): never {
  if (!(error instanceof FeederFailed)) throw error
  throw conflict('The uploaded file is not a complete gzip file, or is far too large unpacked')
}

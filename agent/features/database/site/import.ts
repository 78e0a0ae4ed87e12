import { accountIn, replacedOf } from '#agent/features/backups/places.ts'
import { releaseAccount, reserveAccount } from '#agent/kernel/database/account.ts'
import { timeFor } from '#agent/kernel/database/dump.ts'
import { importStream } from '#agent/kernel/database/import.ts'
import { parseAccount } from '#agent/kernel/database/kept-account.ts'
import { createEmptyDatabase, removeDatabase } from '#agent/kernel/database/mariadb.ts'
import type { Host, RunOptions } from '#agent/kernel/host/ports.ts'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { FeederFailed } from '#agent/kernel/sandbox/feeders.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { conflict } from '#shared/kernel/errors.ts'

const GB = 2 ** 30
/** A packed dump of text becomes up to twenty times as large; a bomb a thousand times. */
const MAX_GROWTH = 50
/** The last line that mariadb-dump and mysqldump write. */
const END = /^-- Dump completed/m

export interface Upload {
  paths: readonly string[]
  bytes: number
  packed: boolean
}

export interface Imported {
  bytes: number
  /** The text ends like that of a whole dump. */
  isWhole: boolean
}

/**
 * Runs the statements of an uploaded dump with the rights of the site, whose account nobody else uses
 * meanwhile. `replace`: into an empty database. The account and its password stay.
 */
export async function importUpload(
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

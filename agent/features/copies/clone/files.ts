import { sanitizeFiles } from '#agent/features/backups/sanitize-files.ts'
import { refuseUnfit } from '#agent/features/backups/unfit-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { emptyRoot } from '#agent/kernel/sandbox/empty-root.ts'
import { FeederFailed, refuseFailedFeeder } from '#agent/kernel/sandbox/feeder-failed.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { withSliceInUse } from '#agent/kernel/sandbox/slice.ts'
import { EXCLUDED_PATHS } from '#agent/kernel/site/content-paths.ts'
import { docrootOf, HOMES, homeOf } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'

type FileOwner = { user: string }

const DAY_MS = 24 * 60 * 60_000
/** tar(1): some files changed or vanished while they were read. */
const CHANGED = 1
/** The path at which the reader sees the folder of the original. */
const SITE = '/site'
const PUBLIC = 'public'
/** Renames the folder to that of the document root, for `--exclude` and `--extract`. */
const RENAMED = `--transform=s,^${PUBLIC},.,S`

/** The path at which the writer sees a folder that is not its document root. */
export const INCOMING = `${HOMES}/.incoming`

interface CopyFilesOptions {
  /** A folder below one of root, owned by the new site; its document root by default. */
  into?: string
  /** Paths in the document root that are left out beside the caches. */
  without?: readonly string[]
}

export const writingTo = (folder: string | undefined) =>
  folder === undefined ? {} : { writes: [`${folder}:${INCOMING}`] }

/**
 * Copies the files of a site without caches, with links, modes, times and holes. They are read as
 * root in an empty file system, and written with the rights of the new site, which owns all of
 * them. A document root that is a link is not followed. Returns the number of bytes.
 */
export async function copyFiles(
  host: Host,
  from: FileOwner,
  to: FileOwner,
  { into, without = [] }: CopyFilesOptions = {},
): Promise<number> {
  const timeout_ms = DAY_MS
  if ((await host.files.stat(docrootOf(from.user)))?.kind !== 'directory') {
    throw conflict(`${docrootOf(from.user)} is not a folder: its files are not copied`)
  }
  // tar(1) reads a file without its holes.
  await refuseUnfit(host, from.user, ['deep'])
  const caches = EXCLUDED_PATHS.filter((path) => path.startsWith(`${PUBLIC}/`))
  const excluded = [...caches, ...without.map((path) => `${PUBLIC}/${path}`)]
  const read = [
    'tar',
    '--create',
    '--file=-',
    '--sparse',
    `--directory=${SITE}`,
    RENAMED,
    '--anchored',
    ...excluded.map((path) => `--exclude=${path}`),
    '--',
    PUBLIC,
  ]
  const write = [
    'tar',
    '--extract',
    '--file=-',
    '--preserve-permissions',
    '--no-same-owner',
    '--delay-directory-restore',
    `--directory=${into === undefined ? docrootOf(to.user) : INCOMING}`,
  ]
  const input_from = { argv: read, options: { site: readerOf(from.user), timeout_ms } }
  const options = asSite(to, { ...writingTo(into), input_from, network: false, timeout_ms })
  const output = await withSliceInUse(host, to.user, () => host.shell.try(write, options))
  try {
    refuseFailedFeeder(output, [0, CHANGED])
  } catch (error) {
    if (!(error instanceof FeederFailed)) throw error
    throw new Error(`The files of the site could not be read: ${firstLine(error.fed.stderr)}`)
  }
  if (output.code === 0) {
    await sanitizeFiles(host, to.user, into ?? docrootOf(to.user))
    return output.fed?.bytes ?? 0
  }
  throw new Error(`The files could not be written: ${firstLine(output.stderr)}`)
}

const readerOf = (user: string) => ({
  user: 'root',
  slice: 'system.slice',
  directives: [
    ...emptyRoot({
      programs: ['/usr/bin/tar'],
      reads: [`${homeOf(user)}:${SITE}`],
      capabilities: 'CAP_DAC_READ_SEARCH',
    }),
    'PrivateNetwork=yes',
    'RestrictAddressFamilies=AF_UNIX',
  ],
  launcher: [],
})

/** Returns tar's own reason, with the name of a file. */
const firstLine = (stderr: string) =>
  (stderr.trim().split('\n')[0] ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, 300) || 'no reason'

import { makeHarmless } from '#agent/features/backups/harmless.ts'
import { refuseUnfit } from '#agent/features/backups/unfit.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { emptyRoot } from '#agent/kernel/sandbox/empty-root.ts'
import { FeederFailed, refuseFailedFeeder } from '#agent/kernel/sandbox/feeders.ts'
import { asSite } from '#agent/kernel/sandbox/run.ts'
import { inUse } from '#agent/kernel/sandbox/slice.ts'
import { EXCLUDED } from '#agent/kernel/site/content.ts'
import { docrootOf, HOMES, homeOf } from '#agent/kernel/site/paths.ts'
import { conflict } from '#shared/kernel/errors.ts'

type Owner = { user: string }

const DAY_MS = 24 * 60 * 60_000
/** tar(1): some files changed or vanished while they were read. */
const CHANGED = 1
/** Where the reader sees the folder of the original. */
const SITE = '/site'
const PUBLIC = 'public'
/** The names below the document root, as `--exclude` and `--extract` see them. */
const RENAMED = `--transform=s,^${PUBLIC},.,S`

/** Where the writer sees a folder that is not its document root. */
export const INCOMING = `${HOMES}/.incoming`

interface Copied {
  /** A folder below one of root, owned by the new site; default: its document root. */
  into?: string
  /** Paths in the document root that are left out beside the caches. */
  without?: readonly string[]
}

export const writingTo = (folder: string | undefined) =>
  folder === undefined ? {} : { writes: [`${folder}:${INCOMING}`] }

/**
 * Copies the files of a site without caches, with links, modes, times and holes. They are read as
 * root in an empty file system, and written with the rights of the new site: it owns all of them.
 * A document root that is a link is not read: only its own name is given to tar. Returns the bytes
 * that were copied.
 */
export async function copyFiles(
  host: Host,
  from: Owner,
  to: Owner,
  { into, without = [] }: Copied = {},
): Promise<number> {
  const timeout_ms = DAY_MS
  if ((await host.files.stat(docrootOf(from.user)))?.kind !== 'directory') {
    throw conflict(`${docrootOf(from.user)} is not a folder: its files are not copied`)
  }
  // tar(1) reads a file without its holes.
  await refuseUnfit(host, from.user, ['deep'])
  const caches = EXCLUDED.filter((path) => path.startsWith(`${PUBLIC}/`))
  const excluded = [...caches, ...without.map((path) => `${PUBLIC}/${path}`)]
  const read = [
    ...['tar', '--create', '--file=-', '--sparse', `--directory=${SITE}`, RENAMED, '--anchored'],
    ...excluded.map((path) => `--exclude=${path}`),
    ...['--', PUBLIC],
  ]
  const write = [
    ...['tar', '--extract', '--file=-', '--preserve-permissions', '--no-same-owner'],
    ...[
      '--delay-directory-restore',
      `--directory=${into === undefined ? docrootOf(to.user) : INCOMING}`,
    ],
  ]
  const input_from = { argv: read, options: { site: readerOf(from.user), timeout_ms } }
  const options = asSite(to, { ...writingTo(into), input_from, network: false, timeout_ms })
  const output = await inUse(host, to.user, () => host.shell.try(write, options))
  try {
    refuseFailedFeeder(output, [0, CHANGED])
  } catch (error) {
    if (!(error instanceof FeederFailed)) throw error
    throw new Error(`The files of the site could not be read: ${firstLine(error.fed.stderr)}`)
  }
  if (output.code === 0) {
    await makeHarmless(host, to.user, into ?? docrootOf(to.user))
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

/** tar's own reason, with the name of a file. */
const firstLine = (stderr: string) =>
  (stderr.trim().split('\n')[0] ?? '').replace(/[^\x20-\x7e]/g, '?').slice(0, 300) || 'no reason'

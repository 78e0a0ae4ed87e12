import { z } from 'zod'
import {
  publishedChecksums,
  RELEASE_LOCALE,
  RELEASE_VERSION,
  type WordpressRelease,
} from '#agent/features/wordpress/checksums.ts'
import { coreFolder } from '#agent/features/wordpress/core.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { ProofReport } from '#shared/backups/proof.ts'
import { type HiddenSite, tryAsHiddenSite } from './run-as-hidden-site.ts'
import { wpCli } from './wordpress.ts'

const LIMIT_MS = 5 * 60_000

type CoreComparison = Pick<ProofReport, 'core' | 'core_list'> & { differing: number }

const ReleaseFound = z.object({
  version: z.string().regex(RELEASE_VERSION),
  locale: z.string().regex(RELEASE_LOCALE).catch('en_US'),
})

/** Compares the files of WordPress with the published MD5, or else the server's own copy. */
export async function checkCore(host: Host, hidden: HiddenSite): Promise<CoreComparison> {
  const release = await findRelease(host, hidden)
  if (!release) return { core: 'unchecked', core_list: undefined, differing: 0 }
  const published = await publishedChecksums(host, release)
  if (typeof published === 'string') {
    return { ...(await compareWithCopy(host, hidden, release)), core_list: published }
  }
  return { ...(await compareWithList(host, hidden, published)), core_list: 'compared' }
}

/** Reads the version from the files, without running them. */
async function findRelease(host: Host, hidden: HiddenSite): Promise<WordpressRelease | undefined> {
  const { stdout } = await wpCli(host, hidden, ['core', 'version', '--extra'])
  const factOf = (name: string) => new RegExp(`^${name}:\\s+(\\S+)$`, 'm').exec(stdout)?.[1]
  const found = { version: factOf('WordPress version'), locale: factOf('Package language') }
  return ReleaseFound.safeParse(found).data
}

type Result = Pick<CoreComparison, 'core' | 'differing'>
const UNCHECKED: Result = { core: 'unchecked', differing: 0 }
const resultOf = (differing: number): Result => ({
  core: differing > 0 ? 'differs' : 'same',
  differing,
})

/** The paths that a site may change. */
const CHANGEABLE = [
  'wp-content',
  'wp-config-sample.php',
  'readme.html',
  'license.txt',
  'liesmich.html',
  '.htaccess',
  '.user.ini',
]

async function compareWithList(
  host: Host,
  hidden: HiddenSite,
  published: ReadonlyMap<string, string>,
): Promise<Result> {
  const folder = docrootOf(hidden.original)
  const lines = [...published]
    .filter(([path]) => !CHANGEABLE.includes(path))
    .map(([path, md5]) => `${md5}  ${folder}/${path}\n`)
  const argv = ['md5sum', '--check', '--quiet', '--strict']
  const limits = { input: lines.join(''), timeout_ms: LIMIT_MS }
  const { code, stdout } = await tryAsHiddenSite(host, hidden, argv, limits)
  if (code > 1) return UNCHECKED
  const differing = stdout.split('\n').filter((line) => line.startsWith(folder)).length
  return code === 1 && differing === 0 ? UNCHECKED : resultOf(differing)
}

async function compareWithCopy(
  host: Host,
  hidden: HiddenSite,
  { version }: WordpressRelease,
): Promise<Result> {
  const copy = await coreFolder(host, version)
  if (!copy) return UNCHECKED
  // The package of a language has its name in version.php.
  const excluded = [...CHANGEABLE, 'version.php'].map((name) => `--exclude=${name}`)
  const folders = [copy, docrootOf(hidden.original)]
  const argv = ['diff', '--brief', '--recursive', '--no-dereference', ...excluded, '--', ...folders]
  const output = await tryAsHiddenSite(host, hidden, argv, { reads: [copy], timeout_ms: LIMIT_MS })
  if (output.code > 1) return UNCHECKED
  return resultOf(output.stdout.split('\n').filter((line) => isChange(line, copy)).length)
}

/** Returns whether a line reports a changed or missing file; additional files are no change. */
const isChange = (line: string, copy: string) =>
  line.startsWith('Files ') || line.startsWith(`Only in ${copy}`)

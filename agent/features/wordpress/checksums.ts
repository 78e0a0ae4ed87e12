import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const LIMIT_MS = 10_000
const MAX_FILES = 20_000

/** Matches letters, digits and a few signs, which a line of md5sum(1) has unchanged. */
const PATH = /^(?!.*\.\.)[\w][\w./@+-]{0,500}$/
const MD5 = /^[0-9a-f]{32}$/
const Checksums = z
  .record(z.string(), z.string().regex(MD5))
  .transform((all) => Object.entries(all).filter(([path]) => !path.startsWith('wp-content/')))
  .refine((files) => files.length <= MAX_FILES && files.every(([path]) => PATH.test(path)))
/** False when the version is not published, or not in this language. */
const Published = z.object({ checksums: z.union([Checksums, z.literal(false)]) })

export interface WordpressRelease {
  version: string
  /** The locale of the package, such as `de_DE`. */
  locale: string
}

export const RELEASE_VERSION = /^\d[\w.-]{0,31}$/
export const RELEASE_LOCALE = /^[a-z]{2,3}(_[A-Za-z0-9]{2,12}){0,2}$/

/** Returns the address of the list: a file per release, or a query of wordpress.org's service. */
function checksumsAt({ settings }: Host, { version, locale }: WordpressRelease): string {
  const base = settings.wordpress_checksums_url
  if (base.startsWith('file:')) return `${base}/${version}-${locale}.json`
  return `${base}/?${new URLSearchParams({ version, locale })}`
}

/**
 * Returns the MD5 of each file of a release, by its path, without themes and plugins, or why there
 * are none: `unknown` to the source, or `unreachable`, also if its answer is no list.
 */
export async function publishedChecksums(
  host: Host,
  release: WordpressRelease,
): Promise<ReadonlyMap<string, string> | 'unknown' | 'unreachable'> {
  const url = checksumsAt(host, release)
  const answer = await host.net.fetch(url, { timeout_ms: LIMIT_MS }).catch(() => undefined)
  const published = answer && parseJson(Published, new TextDecoder().decode(answer))
  if (!published) return 'unreachable'
  return published.checksums ? new Map(published.checksums) : 'unknown'
}

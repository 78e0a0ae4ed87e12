import type { Host } from '#agent/kernel/host/ports.ts'

/** WordPress has 30 MB and 4,000 files; a far larger one is no WordPress. */
export const MAX_ARCHIVE = 256 << 20
const MAX_UNPACKED = 512 << 20
const MAX_ENTRIES = 20_000
const LISTING_MS = 120_000

/** A line of `tar --list --verbose --numeric-owner`: a folder or a file below `wordpress/`. */
const ENTRY = /^[-d][rwx-]{9} +\d+\/\d+ +(\d+) \d{4}-\d\d-\d\d \d\d:\d\d (wordpress\/[^\\]{0,512})$/

export const archiveOf = (base: string) => `${base}/latest.tar.gz`

/** The digest's kind, by its length. */
export const kindOf = (digest: string) => (digest.length === 64 ? 'sha256' : 'sha1')

/**
 * The digest that the archive must have: the pinned one, else the SHA-256 that the source publishes
 * beside it, else the SHA-1, the only one of wordpress.org.
 */
export async function publishedAt(host: Host, base: string, attempts: number): Promise<string> {
  const { wordpress_sha256: pinned } = host.settings
  if (pinned !== undefined) return pinned
  const better = await checksumAt(host, `${archiveOf(base)}.sha256`, 64).catch(() => undefined)
  if (better !== undefined) return better
  return retried(host, attempts, () => checksumAt(host, `${archiveOf(base)}.sha1`, 40))
}

async function checksumAt(host: Host, url: string, digits: number): Promise<string> {
  const published = new TextDecoder().decode(await host.net.fetch(url, { timeout_ms: 10_000 }))
  const found = /^[0-9a-f]+/.exec(published.trim())?.[0]
  if (found?.length !== digits) throw new Error(`${url} is not a checksum`)
  return found
}

/** Throws for too large archives, and for links, devices and paths to elsewhere. */
export async function refuseUnfit({ shell }: Host, archive: string): Promise<void> {
  const argv = ['tar', '--list', '--verbose', '--numeric-owner', '--gzip', '--file', archive]
  const { stdout } = await shell.run(argv, { timeout_ms: LISTING_MS })
  const lines = stdout.split('\n').filter((line) => line !== '')
  if (lines.length > MAX_ENTRIES)
    throw new Error(`The archive has more than ${MAX_ENTRIES} entries`)
  let bytes = 0
  for (const line of lines) {
    const [, size, path = ''] = ENTRY.exec(line) ?? []
    if (size === undefined || path.split('/').includes('..')) {
      throw new Error(`The archive has an unexpected entry: ${line.slice(0, 200)}`)
    }
    bytes += Number(size)
  }
  if (bytes > MAX_UNPACKED)
    throw new Error(`The archive unpacks to more than ${MAX_UNPACKED >> 20} MiB`)
}

/** Retries after 1, 2 and 4 seconds: a mirror may fail briefly. */
export async function retried<T>(host: Host, attempts: number, work: () => Promise<T>) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts) throw error
      await host.clock.sleep(500 * 2 ** attempt)
    }
  }
}

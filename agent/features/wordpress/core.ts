import { z } from 'zod'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Progress, Step } from '#agent/kernel/steps/command.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Effect } from '#shared/kernel/plan.ts'

const FRESH_MS = 3_600_000
const RETRY_MS = 600_000
const KEPT_VERSIONS = 3
/** The name of a folder into which an archive is unpacked. */
const DRAFT = /^\.[a-z0-9]{8}$/

/** The newest WordPress in the cache: `cache/wordpress/<version>/`, unpacked and world-readable. */
interface CachedCore {
  version: string
  /** The digest of the archive: SHA-256, or SHA-1 where the source publishes nothing better. */
  digest: string
  /** The time of the last check of the source, in ms. */
  at: number
}

const CachedCoreFile = z.object({ version: z.string(), digest: z.string(), at: z.number() })

const cacheOf = ({ settings }: Host) => `${settings.state_dir}/cache/wordpress`

/**
 * Keeps the newest WordPress ready and returns its folder. The source is checked at most once an
 * hour; if it is unreachable, the cached copy is used (and it is retried after ten minutes), or
 * else a `latest.tar.gz` put there by hand. A download must match the source's checksum.
 */
export async function* provideCore(host: Host): Progress<string> {
  const kept = await readCachedCore(host)
  if (kept && isFresh(host, kept)) return folderOf(host, kept)
  for (const path of [host.settings.state_dir, `${host.settings.state_dir}/cache`, cacheOf(host)]) {
    await host.files.mkdir(path, { mode: 0o711 })
  }
  const spare = kept !== undefined || (await hasCopy(host))
  try {
    return yield* fromSource(host, host.settings.wordpress_url, kept, spare ? 1 : 4)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (!spare) throw unavailable(host, reason)
    if (!kept) return yield* fromSource(host, `file://${cacheOf(host)}`, undefined, 1)
    yield `WordPress ${kept.version} from the cache is used: ${reason}`
    await writeCachedCore(host, { ...kept, at: host.clock.now() - FRESH_MS + RETRY_MS })
    return folderOf(host, kept)
  }
}

/** Returns the step that checks and downloads; none while the cache is fresh. */
export async function coreSteps(host: Host): Promise<Step[]> {
  const kept = await readCachedCore(host)
  if (kept && isFresh(host, kept)) return []
  const apply = async function* (): Progress<void> {
    yield* provideCore(host)
  }
  const effects = () => effectsByChecksum(host)
  return [{ name: 'wordpress', title: 'Preparing WordPress', effects, apply }]
}

/** The effects of `provideCore`, by the checksum that the source publishes now. */
async function effectsByChecksum(host: Host): Promise<Effect[]> {
  const kept = await readCachedCore(host)
  const note = [await effects.replacementOf(host, notePath(host))]
  const sources = [host.settings.wordpress_url]
  if (!kept && (await hasCopy(host))) sources.push(`file://${cacheOf(host)}`)
  let problem = ''
  for (const base of sources) {
    try {
      const digest = await publishedAt(host, base, 1)
      if (kept?.digest === digest) return note
      const folders = [`${host.settings.state_dir}/cache`, cacheOf(host)]
      const [missing] = await effects.creationsOf(host, 'folder', ...folders)
      const changed = missing ?? effects.change('folder', cacheOf(host))
      return [effects.run('download', archiveOf(base)), changed]
    } catch (error) {
      problem ||= error instanceof Error ? error.message : String(error)
    }
  }
  if (kept) return note
  throw unavailable(host, problem)
}

function unavailable(host: Host, reason: string): Error {
  const files = 'latest.tar.gz and latest.tar.gz.sha256'
  return new Error(`WordPress is not available (${reason}): put ${files} into ${cacheOf(host)}`)
}

async function* fromSource(
  host: Host,
  base: string,
  kept: CachedCore | undefined,
  attempts: number,
): Progress<string> {
  yield `Checking ${base} for the newest WordPress`
  const url = archiveOf(base)
  const digest = await publishedAt(host, base, attempts)
  const at = host.clock.now()
  if (kept?.digest === digest) {
    await writeCachedCore(host, { ...kept, at })
    return folderOf(host, kept)
  }
  yield 'Downloading WordPress'
  return await host.exclusive('wordpress', async () => {
    const meanwhile = await readCachedCore(host)
    if (meanwhile?.digest === digest) return folderOf(host, meanwhile)
    const version = await unpack(host, url, digest, attempts)
    await writeCachedCore(host, { version, digest, at })
    await removeOld(host, version)
    return folderOf(host, { version })
  })
}

async function unpack(host: Host, url: string, digest: string, attempts: number): Promise<string> {
  const draft = `${cacheOf(host)}/.${host.random.name(8)}`
  const archive = `${draft}/archive.tar.gz`
  try {
    await host.files.mkdir(draft, { mode: 0o700 })
    await withRetries(host, attempts, async () => {
      const options = { most: MAX_ARCHIVE }
      const found = await host.net.download(url, archive, kindOf(digest), options)
      if (found !== digest) throw new Error(`${url} does not have the published checksum`)
    })
    await refuseUnfit(host, archive)
    await host.shell.run(['tar', '-xzf', archive, '-C', draft, '--no-same-owner'])
    await host.shell.run(['chmod', '-R', 'u=rwX,go=rX', `${draft}/wordpress`])
    // A power failure would leave empty files under the name of the version.
    await host.shell.run(['sync', '--file-system', '--', draft])
    const version = await versionIn(host, `${draft}/wordpress`)
    await host.files.remove(folderOf(host, { version }))
    await host.files.rename(`${draft}/wordpress`, folderOf(host, { version }))
    return version
  } finally {
    await host.files.remove(draft)
  }
}

/**
 * Removes what interrupted downloads left, and all versions but the newest ones: a site may be made
 * from the one before, and a backup may be proven with another.
 */
async function removeOld(host: Host, current: string): Promise<void> {
  const names = (await host.files.list(cacheOf(host))).map(({ name }) => name)
  const versions = names
    .filter((name) => /^\d/.test(name) && name !== current)
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
  const drafts = names.filter((name) => DRAFT.test(name))
  for (const name of [...drafts, ...versions.slice(KEPT_VERSIONS - 1)])
    await host.files.remove(`${cacheOf(host)}/${name}`)
}

async function versionIn({ files }: Host, folder: string): Promise<string> {
  const text = (await files.read(`${folder}/wp-includes/version.php`)) ?? ''
  const version = /^\$wp_version = '(\d[\w.-]*)';/m.exec(text)?.[1]
  if (version === undefined) throw new Error('The archive does not contain WordPress')
  return version
}

/** Returns the folder of a version, if this server has it. */
export async function coreFolder(host: Host, version: string): Promise<string | undefined> {
  const folder = folderOf(host, { version })
  return (await host.files.stat(folder)) && folder
}

const folderOf = (host: Host, { version }: Pick<CachedCore, 'version'>) =>
  `${cacheOf(host)}/${version}`
const notePath = (host: Host) => `${cacheOf(host)}/latest.json`

/** Returns whether the check is recent; a date in the future was written by a wrong clock. */
function isFresh({ clock }: Host, { at }: CachedCore): boolean {
  const age = clock.now() - at
  return age >= 0 && age < FRESH_MS
}

async function hasCopy(host: Host): Promise<boolean> {
  return (await host.files.stat(`${cacheOf(host)}/latest.tar.gz`)) !== undefined
}

async function readCachedCore(host: Host): Promise<CachedCore | undefined> {
  const kept = parseJson(CachedCoreFile, await host.files.read(notePath(host)))
  return kept && (await host.files.stat(folderOf(host, kept))) && kept
}

const writeCachedCore = (host: Host, kept: CachedCore) =>
  host.files.write(notePath(host), `${JSON.stringify(kept)}\n`, { mode: 0o600 })

/** The limits of the archive. WordPress has 30 MB and 4,000 files; far more is none. */
const MAX_ARCHIVE = 256 << 20
const MAX_UNPACKED = 512 << 20
const MAX_ENTRIES = 20_000
const LISTING_MS = 120_000

/** A line of `tar --list --verbose --numeric-owner`: a folder or a file below `wordpress/`. */
const ENTRY = /^[-d][rwx-]{9} +\d+\/\d+ +(\d+) \d{4}-\d\d-\d\d \d\d:\d\d (wordpress\/[^\\]{0,512})$/

const archiveOf = (base: string) => `${base}/latest.tar.gz`

/** Returns the kind of a digest by its length. */
const kindOf = (digest: string) => (digest.length === 64 ? 'sha256' : 'sha1')

/**
 * Returns the digest that the archive must have: the pinned one, else the SHA-256 that the source
 * publishes beside it, else the SHA-1, the only one of wordpress.org.
 */
async function publishedAt(host: Host, base: string, attempts: number): Promise<string> {
  const { wordpress_sha256: pinned } = host.settings
  if (pinned !== undefined) return pinned
  const better = await checksumAt(host, `${archiveOf(base)}.sha256`, 64).catch(() => undefined)
  if (better !== undefined) return better
  return withRetries(host, attempts, () => checksumAt(host, `${archiveOf(base)}.sha1`, 40))
}

async function checksumAt(host: Host, url: string, digits: number): Promise<string> {
  const published = new TextDecoder().decode(await host.net.fetch(url, { timeout_ms: 10_000 }))
  const found = /^[0-9a-f]+/.exec(published.trim())?.[0]
  if (found?.length !== digits) throw new Error(`${url} is not a checksum`)
  return found
}

/** Throws for too large archives, and for links, devices and paths outside of the folder. */
async function refuseUnfit({ shell }: Host, archive: string): Promise<void> {
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
async function withRetries<T>(host: Host, attempts: number, work: () => Promise<T>) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts) throw error
      await host.clock.sleep(500 * 2 ** attempt)
    }
  }
}

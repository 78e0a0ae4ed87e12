import { type Change, deferred, removedTree } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { PART_BYTES, type UploadRequest } from '#shared/database/site-database.ts'
import { conflict } from '#shared/kernel/errors.ts'

/** The folder of uploads of root. A part is a file with base64, as files are written as text. */
const UPLOADS = '/var/lib/hosting-agent/uploads'
const PRIVATE = { mode: 0o700 }
const SECRET = { mode: 0o600 }
const SPARE = 2 * 2 ** 30
/** The maximum number of uploads of one site at once. */
const MAX_UPLOADS = 3
/** The time without a new part after which an upload counts as abandoned. */
const ABANDONED_MS = 2 * 60_000
const TRIED_FILE = 'tried'
const FULL_PART_CHARACTERS = (PART_BYTES / 3) * 4

const folderOf = (user: string) => `${UPLOADS}/${user}`
const uploadOf = (user: string, upload: string) => `${folderOf(user)}/${upload}`
const partOf = (user: string, upload: string, part: number) =>
  `${uploadOf(user, upload)}/${String(part).padStart(5, '0')}`

/**
 * Stores one part of a dump; the same part again replaces it. A new upload begins with its first
 * part, and removes abandoned ones of the site. `importing` are uploads of running imports, which
 * stay as they are. Throws conflict for one of these, for a new one meanwhile, for a later part of
 * an unknown one, for too many uploads at once, and where disk space is short.
 */
export async function storePart(
  host: Host,
  { domain, upload, part, data }: UploadRequest,
  importing: readonly string[] = [],
): Promise<{ part: number }> {
  const { user } = await getSite(host, domain)
  if (importing.includes(upload))
    throw conflict('This upload is being imported: send another dump as a new upload')
  const { free } = await host.files.space('/var/lib')
  if (free < SPARE) {
    throw conflict(
      `Only ${Math.floor(free / 2 ** 20)} MB are free on this server: the upload is refused`,
    )
  }
  return serialised(host, user, async () => {
    if (!(await host.files.stat(uploadOf(user, upload)))) {
      if (part > 0) throw conflict('This upload no longer exists: upload the dump again')
      if (importing.length > 0)
        throw conflict(`An import into the database of ${domain} is running: wait for its end`)
      await removeAbandoned(host, { user, domain })
    }
    for (const path of [UPLOADS, folderOf(user), uploadOf(user, upload)])
      await host.files.mkdir(path, PRIVATE)
    await host.files.write(partOf(user, upload, part), data, SECRET)
    return { part }
  })
}

async function removeAbandoned(
  host: Host,
  { user, domain }: { user: string; domain: string },
): Promise<void> {
  let others = 0
  for (const { name } of await host.files.list(folderOf(user))) {
    if (await isUploaded(host, uploadOf(user, name))) others += 1
    else await host.files.remove(uploadOf(user, name))
  }
  if (others < MAX_UPLOADS) return
  throw conflict(
    `${MAX_UPLOADS} dumps for ${domain} are being uploaded: try again 2 minutes after they ended`,
  )
}

/** Returns whether more parts may come, in any order; a clock set back ends none early. */
async function isUploaded(host: Host, folder: string): Promise<boolean> {
  const names = (await host.files.list(folder)).map(({ name }) => name)
  if (names.includes(TRIED_FILE)) return false
  let latest = 0
  for (const name of names) {
    const part = await host.files.stat(`${folder}/${name}`)
    latest = Math.max(latest, part?.mtime_ms ?? 0)
  }
  return Math.abs(host.clock.now() - latest) < ABANDONED_MS
}

/** Marks that the import has begun: the upload stays for another attempt. */
export const markTried = (host: Host, user: string, upload: string): Promise<void> =>
  host.files.write(`${uploadOf(user, upload)}/${TRIED_FILE}`, '', SECRET)

/** Returns the files of a whole upload, in order. Throws conflict for a missing or a short part. */
export async function partsOf(
  host: Host,
  { user, upload, part_count: parts }: { user: string; upload: string; part_count: number },
): Promise<{ paths: string[]; bytes: number }> {
  const paths = Array.from({ length: parts }, (_, at) => partOf(user, upload, at))
  let size = 0
  for (const [at, path] of paths.entries()) {
    const stat = await host.files.stat(path)
    if (!stat) throw conflict(`Part ${at} of the upload is missing: upload the dump again`)
    if (at < parts - 1 && stat.size !== FULL_PART_CHARACTERS)
      throw conflict(`Part ${at} of the upload is not complete: upload the dump again`)
    size += stat.size
  }
  return { paths, bytes: Math.floor((size / 4) * 3) }
}

/** Removes an upload, and the folder of the site after its last one. */
export function uploadRemoved(host: Host, user: string, upload: string): Change {
  const change = deferred(async () => {
    const uploads = await host.files.list(folderOf(user))
    const isLast = uploads.every(({ name }) => name === upload)
    return removedTree(host, 'folder', isLast ? folderOf(user) : uploadOf(user, upload))
  })
  return { ...change, apply: () => serialised(host, user, change.apply) }
}

const serialised = <T>(host: Host, user: string, work: () => Promise<T>): Promise<T> =>
  host.exclusive(`uploads of ${user}`, work)

/** Removes, at the start of the agent, uploads that were not imported. */
export const removeAllUploads = (host: Host): Promise<void> => host.files.remove(UPLOADS)

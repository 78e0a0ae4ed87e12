import type { Host } from '#agent/host/ports.ts'
import { type Change, removedTree } from '#agent/os/effects/change.ts'
import { getSite } from '#agent/os/site/sites.ts'
import { conflict } from '#shared/errors.ts'
import { PART_BYTES, type UploadRequest } from '#shared/site-database.ts'

/** Root's alone. A part is a file with base64, since it is written and read as text. */
const UPLOADS = '/var/lib/hosting-agent/uploads'
const PRIVATE = { mode: 0o700 }
const SECRET = { mode: 0o600 }
const SPARE = 2 * 2 ** 30
const FULL = (PART_BYTES / 3) * 4

const folderOf = (user: string) => `${UPLOADS}/${user}`
const uploadOf = (user: string, upload: string) => `${folderOf(user)}/${upload}`
const partOf = (user: string, upload: string, part: number) =>
  `${uploadOf(user, upload)}/${String(part).padStart(5, '0')}`

/**
 * Stores one part of a dump; the same part again replaces it. The first part of an upload removes
 * earlier uploads of the site. Throws conflict where disk space is short.
 */
export async function storePart(
  host: Host,
  { domain, upload, part, data }: UploadRequest,
): Promise<{ part: number }> {
  const { user } = await getSite(host, domain)
  const { free } = await host.files.space('/var/lib')
  if (free < SPARE) {
    throw conflict(`Only ${Math.floor(free / 2 ** 20)} MB are free on this server: no upload`)
  }
  if (part === 0) await host.files.remove(folderOf(user))
  for (const path of [UPLOADS, folderOf(user), uploadOf(user, upload)])
    await host.files.mkdir(path, PRIVATE)
  await host.files.write(partOf(user, upload, part), data, SECRET)
  return { part }
}

/** The files of a whole upload, in order. Throws conflict for a missing or a short part. */
export async function partsOf(
  host: Host,
  { user, upload, part_count: parts }: { user: string; upload: string; part_count: number },
): Promise<{ paths: string[]; bytes: number }> {
  const paths = Array.from({ length: parts }, (_, at) => partOf(user, upload, at))
  let size = 0
  for (const [at, path] of paths.entries()) {
    const stat = await host.files.stat(path)
    if (!stat) throw conflict(`Part ${at} of the upload is missing: upload the dump again`)
    if (at < parts - 1 && stat.size !== FULL)
      throw conflict(`Part ${at} of the upload is not whole: upload the dump again`)
    size += stat.size
  }
  return { paths, bytes: Math.floor((size / 4) * 3) }
}

export const forgetUploads = (host: Host, user: string): Change =>
  removedTree(host, 'folder', folderOf(user))

/** At the start of the agent: uploads that were not imported. */
export const forgetAllUploads = (host: Host): Promise<void> => host.files.remove(UPLOADS)

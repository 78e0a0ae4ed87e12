import { MAX_PARTS, PART_BYTES } from '#shared/database/site-database.ts'
import { callSite, type SitePlace, siteWork } from './site-call.ts'
import { confirmed } from './site-work.ts'

/** A dump in a file of the user, and the name of its upload. */
export interface Dump {
  file: File
  upload: string
}

/** Names an upload at random, without randomUUID, which browsers have on encrypted pages only. */
export function dumpIn(file: File): Dump {
  const bytes = crypto.getRandomValues(new Uint8Array(8))
  const upload = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { file, upload }
}

const countOf = ({ size }: File) => Math.ceil(size / PART_BYTES)

/** Returns why a file cannot be uploaded; undefined when it can. */
export function problemOf(file: File): string | undefined {
  if (file.size === 0) return 'The file is empty'
  if (countOf(file) > MAX_PARTS) return 'The file is too large: compress it with gzip'
  return undefined
}

/**
 * Uploads a dump to the server of the site in parts, until `signal` aborts it. Reports how many bytes
 * have arrived.
 */
export async function uploadDump(
  site: SitePlace,
  { file, upload }: Dump,
  { onProgress, signal }: { onProgress: (bytes: number) => void; signal: AbortSignal },
): Promise<void> {
  for (let part = 0; part < countOf(file); part++) {
    const bytes = await file.slice(part * PART_BYTES, (part + 1) * PART_BYTES).arrayBuffer()
    const body = { upload, part, data: base64Of(new Uint8Array(bytes)) }
    signal.throwIfAborted()
    await callSite(site, 'POST database/uploads', { body, signal })
    onProgress(Math.min(file.size, (part + 1) * PART_BYTES))
  }
  signal.throwIfAborted()
}

const CHUNK = 0x8000

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (let from = 0; from < bytes.length; from += CHUNK)
    text += String.fromCharCode(...bytes.subarray(from, from + CHUNK))
  return btoa(text)
}

interface Options {
  replace: boolean
  without_backup: boolean
}

/** Imports an uploaded dump; a name that ends in .gz means that it is compressed. */
export const importDump = (site: SitePlace, { file, upload }: Dump, options: Options) =>
  confirmed(
    siteWork(site, 'POST database/import', {
      upload,
      part_count: countOf(file),
      packed: /\.gz$/i.test(file.name),
      ...options,
    }),
  )

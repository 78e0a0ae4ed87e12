import type { Store, StoredFile } from './store.ts'

const HASH = /^[0-9a-f]{64}$/
const HOUR_MS = 60 * 60_000
/** restic refreshes its lock every five minutes, and stops when it could not for half an hour. */
const STALE_MS = HOUR_MS
/** A file that is being uploaded has a name of its own, or less than its whole content. */
const UPLOAD_MS = 24 * HOUR_MS
/** The nonce of an encrypted text. */
const NONCE = 16

export interface Swept {
  /** Without what was taken out. */
  files: StoredFile[]
  problems: string[]
}

/**
 * Takes out what stops restic: files that are not what their names say, and locks that nobody has
 * refreshed for an hour, by the clock of the storage.
 */
export async function sweep(
  store: Store,
  repository: string,
  { now, dry_run }: { now: number; dry_run: boolean },
): Promise<Swept> {
  const files = await store.files(repository)
  const stale = files.filter(({ folder, at }) => folder === 'locks' && now - at > STALE_MS)
  const garbage = files.filter((file) => !stale.includes(file) && isGarbage(file))
  const old = garbage.filter((file) => now - file.at > UPLOAD_MS || isShort(file))
  const gone = new Set(dry_run ? [] : [...old, ...stale])
  for (const file of gone) await store.takeOut(repository, file)
  return {
    files: files.filter((file) => !gone.has(file)),
    problems: garbage.map((file) => garbageMessage(file, gone.has(file))),
  }
}

/** Whether its content has another digest than its name says, or is too short. */
const isGarbage = (file: StoredFile) =>
  !HASH.test(file.name) || (file.sha256 !== undefined && file.sha256 !== file.name) || isShort(file)

/** Whole, and shorter than any encrypted text: restic ends with a panic at it. */
const isShort = ({ folder, name, size, sha256 }: StoredFile) =>
  folder !== 'keys' && sha256 === name && size < NONCE

export function garbageMessage({ folder, name }: StoredFile, isOut: boolean): string {
  const path = `${folder}/${name.replace(/[^\w.-]/g, '?').slice(0, 80)}`
  return isOut
    ? `Removed garbage: ${path}`
    : `${path} is garbage, or is being written: a run removes it when it is a day old`
}

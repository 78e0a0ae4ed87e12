import type { BackupParts } from '#shared/backups/backup-parts.ts'

/** What of a backup is restored: paths below the public folder, and tables. */
export interface Chosen {
  paths: readonly string[]
  tables: readonly string[]
}

export const NOTHING: Chosen = { paths: [], tables: [] }

const MAX_PATHS = 100

/** Undefined while nothing is chosen, or more than one restore takes. */
export function partsOf({ paths, tables }: Chosen): BackupParts | undefined {
  if (paths.length + tables.length === 0 || paths.length > MAX_PATHS) return undefined
  return {
    files: paths.length > 0,
    database: tables.length > 0,
    ...(paths.length > 0 && { paths: [...paths] }),
    ...(tables.length > 0 && { tables: [...tables] }),
  }
}

export const joined = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`

/** The chosen path that contains this one, or is it. */
export const chosenAbove = (paths: readonly string[], path: string): string | undefined =>
  paths.find((one) => path === one || path.startsWith(`${one}/`))

/** A chosen folder replaces what was chosen in it. */
export function withPath(paths: readonly string[], path: string, isChosen: boolean): string[] {
  const others = paths.filter((one) => one !== path)
  return isChosen ? [...others.filter((one) => !one.startsWith(`${path}/`)), path] : others
}

/** The folders from the public one to this one, as names with their paths. */
export function trailOf(folder: string): { name: string; path: string }[] {
  const names = folder === '' ? [] : folder.split('/')
  return [
    { name: 'public', path: '' },
    ...names.map((name, at) => ({ name, path: names.slice(0, at + 1).join('/') })),
  ]
}

/** A name in one visible line. */
export const visible = (name: string): string => name.replace(/\p{Cc}/gu, '\ufffd')

import { createHash } from 'node:crypto'

/** The folders of a repository whose files are named after the SHA-256 of their content. */
export const FOLDERS = ['keys', 'snapshots', 'index', 'locks'] as const

export interface StoredFile {
  folder: (typeof FOLDERS)[number]
  name: string
  size: number
  /** The time by the clock of the storage. */
  at: number
  /** The SHA-256 of the content; undefined when it could not be read. */
  sha256: string | undefined
}

/** A place with repositories, and how restic reaches them. */
export interface Store {
  name: string
  repositories(): Promise<string[]>
  files(repository: string): Promise<StoredFile[]>
  /** Reads the text of a small file. */
  read(repository: string, file: StoredFile): Promise<string>
  takeOut(repository: string, file: StoredFile): Promise<void>
  restic(repository: string): Promise<ResticCall>
  /** Removes packs whose writer was killed a day ago or earlier: no restic reads them. */
  removeDrafts(repository: string): Promise<void>
  /** Writes the texts of the last run where agents read them: as keys of a repository. */
  report(texts: readonly string[]): Promise<void>
}

/** Returns the name of a report beside the repositories. */
export const reportKey = (text: string): string => createHash('sha256').update(text).digest('hex')

interface ResticCall {
  /** The beginning of its argv, such as a program that changes the user. */
  launcher: readonly string[]
  options: readonly string[]
  env: Record<string, string>
}

import { createHash } from 'node:crypto'

/** The folders of a repository whose files are named after the SHA-256 of their content. */
export const FOLDERS = ['keys', 'snapshots', 'index', 'locks'] as const

export interface StoredFile {
  folder: (typeof FOLDERS)[number]
  name: string
  size: number
  /** By the clock of the storage. */
  at: number
  /** The SHA-256 of the content; undefined when it could not be read. */
  sha256: string | undefined
}

/** A place with repositories, and how restic reaches them. */
export interface Store {
  name: string
  repositories(): Promise<string[]>
  files(repository: string): Promise<StoredFile[]>
  /** The text of a small file. */
  read(repository: string, file: StoredFile): Promise<string>
  /** Takes a file out of the repository. */
  takeOut(repository: string, file: StoredFile): Promise<void>
  restic(repository: string): Promise<ResticCall>
  /** Removes packs whose writer was killed a day ago or earlier: no restic reads them. */
  removeDrafts(repository: string): Promise<void>
  /**
   * Writes the texts of the last run, in the place of earlier ones, where agents read them: as keys
   * of a repository that has nothing else.
   */
  report(texts: readonly string[]): Promise<void>
}

/** Beside the repositories. */
export const reportKey = (text: string): string => createHash('sha256').update(text).digest('hex')

interface ResticCall {
  /** The beginning of its argv, such as a program that changes the user. */
  launcher: readonly string[]
  options: readonly string[]
  env: Record<string, string>
}

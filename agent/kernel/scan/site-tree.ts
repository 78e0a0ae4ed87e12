import type { FolderEntry, Stat } from '#agent/kernel/host/ports.ts'

/**
 * Reads below a folder that a site's user can write. No component may be a link: each is opened
 * with O_NOFOLLOW below the previous one, so a race cannot lead outside. Synchronous: nothing else
 * in the process runs with the rights of the site. Returns undefined for missing, foreign and
 * refused files, and those beyond the scan's budget; `stat` distinguishes a link from a missing
 * file.
 */
export interface SiteTree {
  /** Returns the first `most` bytes of a regular file, as UTF-8. */
  head(path: string, most: number): string | undefined
  list(path: string): FolderEntry[] | undefined
  stat(path: string): Stat | undefined
  /** Returns the real path of its root. */
  where(): string | undefined
}

export type OpenTree = (root: string) => SiteTree

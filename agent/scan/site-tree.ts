import type { Entry, Stat } from '#agent/host/ports.ts'

/**
 * Reading below a folder that a site's user can write. No component may be a link: each is opened
 * with O_NOFOLLOW below the one before, so a race cannot lead outside. Synchronous, so that nothing
 * else of the process runs with the rights of the site. Everything missing, foreign, refused or
 * beyond the budget of the scan is undefined; `stat` tells a link from what is not there.
 */
export interface SiteTree {
  /** The first `most` bytes of a regular file, as UTF-8. */
  head(path: string, most: number): string | undefined
  list(path: string): Entry[] | undefined
  stat(path: string): Stat | undefined
  /** The real path of its root. */
  where(): string | undefined
}

export type OpenTree = (root: string) => SiteTree

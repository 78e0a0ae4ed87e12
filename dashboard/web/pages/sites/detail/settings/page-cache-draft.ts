import type { PageCache } from '#shared/sites/site-settings.ts'
import { linesOf } from './lines.ts'

/** The default. */
export const ALL_PAGES: PageCache = { enabled: true, paths: [], cookies: [] }

/** As they are typed: one in each line. */
export interface ExclusionsDraft {
  paths: string
  cookies: string
}

export const exclusionsOf = (cache: PageCache | null): ExclusionsDraft => ({
  paths: (cache?.paths ?? []).join('\n'),
  cookies: (cache?.cookies ?? []).join('\n'),
})

/** Returns the page cache settings of a draft; null when they are the default. */
export function pageCacheOf(
  enabled: boolean,
  { paths, cookies }: ExclusionsDraft,
): PageCache | null {
  const page_cache = { enabled, paths: linesOf(paths), cookies: linesOf(cookies) }
  return JSON.stringify(page_cache) === JSON.stringify(ALL_PAGES) ? null : page_cache
}

/** The last day of security fixes of each PHP version: php.net/supported-versions, 2026-11. */
const ENDS: Record<string, string> = {
  '5.2': '2011-01-06',
  '5.3': '2014-08-14',
  '5.4': '2015-09-03',
  '5.5': '2016-07-21',
  '5.6': '2018-12-31',
  '7.0': '2019-01-10',
  '7.1': '2019-12-01',
  '7.2': '2020-11-30',
  '7.3': '2021-12-06',
  '7.4': '2022-11-28',
  '8.0': '2023-11-26',
  '8.1': '2025-12-31',
  '8.2': '2026-12-31',
  '8.3': '2027-12-31',
  '8.4': '2028-12-31',
  '8.5': '2029-12-31',
}

/** All versions, oldest first. */
export const PHP_VERSIONS: readonly string[] = Object.keys(ENDS)

/** The PHP version of each Debian release, for those that the agent can provision. */
export const SHIPPED_PHP: Partial<Record<string, string>> = { '12': '8.2', '13': '8.4' }

/** The versions that Debian maintains until the end of a release. Source: wiki.debian.org/LTS. */
const DEBIAN: Partial<Record<string, { php: string | undefined; ends: string }>> = {
  '11': { php: '7.4', ends: '2026-08-31' },
  '12': { php: SHIPPED_PHP['12'], ends: '2028-06-30' },
  '13': { php: SHIPPED_PHP['13'], ends: '2030-06-30' },
}

/** Returns the last day of security fixes, `YYYY-MM-DD`; undefined if not announced yet. */
export function supportEnds(php: string, os: string): string | undefined {
  const shipped = DEBIAN[debianOf(os)]
  const ends = ENDS[php]
  return shipped?.php === php && (ends === undefined || shipped.ends > ends) ? shipped.ends : ends
}

/** Returns the release of Debian in the name of a system, such as 12; empty for another system. */
export const debianOf = (os: string): string => /^Debian GNU\/Linux (\d+)\b/.exec(os)?.[1] ?? ''

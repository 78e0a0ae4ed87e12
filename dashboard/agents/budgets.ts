/**
 * What the agent of one server can make this dashboard read, store and list, however hostile it is.
 * .github/docs/api.md has the same figures.
 */

/** Entries of one answer that are read; the rest is only counted. */
export const MOST_FOUND = 20_000
/** Bytes of such an answer. */
export const MOST_FOUND_BYTES = 32 << 20
/** New sites that are imported on one day (UTC), found on the server or in its trash. */
export const MOST_IMPORTS_A_DAY = 2_000
/** Imported sites on record at any time. */
export const MOST_IMPORTS = 10_000

/** Sites of one server whose health changes in the records in one minute; the others wait for the next. */
export const MOST_HEALTH_CHANGES = 2_000

/** How the two are reported. */
export const BUDGET = '2,000 a day and 10,000 in all'

/** One operation prints this number of lines: half of what the dashboard keeps. */
export const LINES = 10_000

const named = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at}.example`)

/** The sites differ in what database.maintain prints: all lines, one, or one before it waits. */
export const DOMAINS = {
  talking: named('talking', 10),
  short: named('short', 1),
  waiting: named('waiting', 1),
}

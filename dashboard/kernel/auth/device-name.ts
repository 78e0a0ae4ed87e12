/** The browsers, each before those whose names it also claims to be. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOP(?:R|T|iOS)\//],
  ['Vivaldi', /\bVivaldi\//],
  ['Samsung Internet', /\bSamsungBrowser\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Headless)?(?:Chrome|CriOS|Chromium)\//],
  ['Safari', /\bVersion\/[\d.]+.* Safari\//],
  ['curl', /^curl\//],
]
/** The systems, in the same order: Android also names Linux, and an iPad may name macOS. */
const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b|\bMacintosh\b/],
  ['Linux', /\bLinux\b|\bX11\b/],
]

const nameIn = (table: typeof BROWSERS, text: string) =>
  table.find(([, pattern]) => pattern.test(text))?.[0]

/**
 * Returns the words for a User-Agent, such as `Firefox on Linux`. Anybody can send any text: only
 * the words of the tables are returned.
 */
export function deviceNameOf(user_agent: string): string {
  const browser = nameIn(BROWSERS, user_agent)
  const system = nameIn(SYSTEMS, user_agent)
  if (browser !== undefined && system !== undefined) return `${browser} on ${system}`
  return browser ?? (system === undefined ? 'Unknown device' : `A browser on ${system}`)
}

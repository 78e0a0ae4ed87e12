/** A case is a test as it ended, with the reason of its skip or failure. */
export type Case = {
  file: string
  name: string
  status: 'passed' | 'failed' | 'skipped'
  reason: string
  /** Whether a wait ended. Those of Bun, Playwright and our tests throw TimeoutError. */
  waited?: true
}

const CASE = /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g
const REASON = /\s*\[skip: ([^\]]*)\]/

/**
 * Returns the tests in a report of `bun test --reporter=junit`. Hooks stand there as `(unnamed)`:
 * one that failed counts, one that was skipped does not.
 */
export function readReport(xml: string): Case[] {
  const cases = [...xml.matchAll(CASE)].map(([, head = '', body = '']) => readCase(head, body))
  return cases.filter(({ name, status }) => status === 'failed' || !name.endsWith('(unnamed)'))
}

/** Returns the seconds of each file in a report. */
export function secondsIn(xml: string): Record<string, number> {
  const suites = [...xml.matchAll(/<testsuite ([^>]*)>/g)].map(([, head = '']) => head)
  // Groups of tests are suites, too: theirs is the time of their file, again.
  const files = suites.filter((head) => attribute(head, 'name') === attribute(head, 'file'))
  return Object.fromEntries(
    files.map((head) => [attribute(head, 'file'), Number(attribute(head, 'time'))]),
  )
}

/**
 * Whether a report has only characters of XML 1.0 (section 2.2): other programs read it, too, and
 * names of tests can have any character.
 */
export const isReadable = (xml: string) =>
  /^[\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u.test(xml)

function readCase(head: string, body: string): Case {
  const full = [attribute(head, 'classname'), attribute(head, 'name')].filter(Boolean).join(' › ')
  const of = (status: Case['status'], reason = ''): Case => ({
    file: attribute(head, 'file'),
    name: full.replace(REASON, ''),
    status,
    reason,
  })
  if (body.includes('<failure')) {
    const failure = of('failed', attribute(body, 'message').trim().split('\n')[0])
    return attribute(body, 'type') === 'TimeoutError' ? { ...failure, waited: true } : failure
  }
  if (!body.includes('<skipped')) return of('passed')
  const todo = attribute(body, 'message') === 'TODO'
  return of('skipped', full.match(REASON)?.[1] ?? (todo ? 'not written yet' : 'no reason given'))
}

function attribute(text: string, name: string): string {
  return decode(text.match(new RegExp(`(?:^|\\s)${name}="([^"]*)"`))?.[1] ?? '')
}

function decode(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}

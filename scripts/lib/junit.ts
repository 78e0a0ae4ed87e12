/** One test as it ended. `reason` is why it was skipped, or the first line of its failure. */
export type Case = {
  file: string
  name: string
  status: 'passed' | 'failed' | 'skipped'
  reason: string
}

const CASE = /<testcase ([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g
const REASON = /\s*\[skip: ([^\]]*)\]/

/**
 * The tests in a report of `bun test --reporter=junit`. Hooks stand there as `(unnamed)`: one that
 * failed counts, one that was skipped does not.
 */
export function readReport(xml: string): Case[] {
  const cases = [...xml.matchAll(CASE)].map(([, head = '', body = '']) => readCase(head, body))
  return cases.filter(({ name, status }) => status === 'failed' || !name.endsWith('(unnamed)'))
}

function readCase(head: string, body: string): Case {
  const full = [attribute(head, 'classname'), attribute(head, 'name')].filter(Boolean).join(' › ')
  const of = (status: Case['status'], reason = ''): Case => ({
    file: attribute(head, 'file'),
    name: full.replace(REASON, ''),
    status,
    reason,
  })
  if (body.includes('<failure')) {
    return of('failed', attribute(body, 'message').trim().split('\n')[0])
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

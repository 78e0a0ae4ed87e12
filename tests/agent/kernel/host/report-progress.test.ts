import { expect, test } from 'bun:test'
import { reportProgress } from '#agent/kernel/host/report-progress.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

/** The lines for these seconds and bytes. */
function linesOf(seen: readonly (readonly [number, number])[], total?: number): string[] {
  const host = fakeHost()
  const lines: string[] = []
  let now = 0
  const clock = { ...host.clock, elapsed: () => now }
  const report = reportProgress(
    { ...host, clock, tell: (line) => lines.push(line) },
    'Importing',
    total,
  )
  for (const [seconds, bytes] of seen) {
    now = seconds * 1000
    report(bytes)
  }
  return lines
}

test('tells each five seconds how far a program is, and how long it takes by its rate', () => {
  const seen = [1, 5, 6, 9, 10, 40].map((seconds) => [seconds, seconds * 1e8] as const)

  expect(linesOf(seen, 4e9)).toEqual([
    'Importing: 500 MB of 4.0 GB (12 %), about 35 s left',
    'Importing: 1.0 GB of 4.0 GB (25 %), about 30 s left',
    'Importing: 4.0 GB of 4.0 GB (100 %)',
  ])
})

test('tells the bytes alone while the size is not known, or was another one', () => {
  expect(linesOf([[5, 2e9]])).toEqual(['Importing: 2.0 GB until now'])
  expect(linesOf([[5, 2e9]], 1e9)).toEqual(['Importing: 2.0 GB until now'])
  expect(linesOf([[5, 0]], 1e9)).toEqual(['Importing: 0 B of 1.0 GB (0 %)'])
})

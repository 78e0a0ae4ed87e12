import { expect, test } from 'bun:test'
import { asTestFile } from '#scripts/test/files.ts'
import { planFull, planGate, planQuick } from '#scripts/test/plan.ts'

const FIRST_LINES: Record<string, string> = {
  'tests/system/life.test.ts': '// tier: core',
  'tests/system/mail.test.ts': '// tier: gate',
  'tests/system/scan.test.ts': '// tier: gate',
  'tests/system/kills.test.ts': '// tier: full, interrupts',
  'tests/system/faults.test.ts': '// tier: full, interrupts',
  'tests/browser/login.test.ts': '// tier: core',
  'tests/browser/mail.test.ts': '// tier: gate',
  'tests/agent/a.test.ts': '',
  'tests/dashboard/a.test.ts': '',
  'tests/dashboard/long.test.ts': '// tier: gate',
}
const files = Object.entries(FIRST_LINES).map(([path, line]) => asTestFile(path, `${line}\n`))
const recorded = Object.fromEntries(
  files.map(({ path }, at) => [path, { seconds: 10 * (at + 1) }] as const),
)

test('a gate runs its core, then what the change reaches, and then the rest by turns', () => {
  const reach = ({ path }: { path: string }) => (path.includes('kills') ? 'agent/x.ts' : undefined)
  const jobs = planGate(files, recorded, reach, 1)

  expect(jobs.filter(({ within_ms }) => !within_ms).map(({ title }) => title)).toEqual([
    'agent',
    'dashboard',
    'web',
    'dashboard/a',
    'dashboard/long',
    'agent/a',
    'browser/login',
    'biome ci .',
    'tsc',
    'knip',
    'third-party notices',
    'system/life',
  ])
  const chosen = jobs.filter(({ within_ms }) => within_ms)
  expect(chosen[0]).toMatchObject({
    title: 'system/kills',
    because: 'agent/x.ts',
    within_ms: 780_000,
  })
  expect(chosen.at(-1)).toMatchObject({
    title: 'system/faults',
    because: 'its turn',
    within_ms: 690_000,
  })
  expect(chosen.map(({ title }) => title).sort()).toEqual([
    'browser/mail',
    'system/faults',
    'system/kills',
    'system/mail',
    'system/scan',
  ])
})

test('a quick run has the checks and the fast parts, without their files that take long', () => {
  expect(planQuick(files).map(({ title }) => title)).toEqual([
    'dashboard/a',
    'agent/a',
    'biome ci .',
    'tsc',
    'knip',
    'third-party notices',
  ])
})

test('another commit has another order, and the same commit the same one', () => {
  const order = (turn: number) =>
    planGate(files, recorded, () => 'everything', turn).map(({ title }) => title)
  const orders = new Set(Array.from({ length: 20 }, (_, turn) => order(turn).join()))

  expect(order(7)).toEqual(order(7))
  expect(orders.size).toBeGreaterThan(2)
})

test('shards have everything once between them, and take about the same time', () => {
  const all = planFull(files, recorded).filter(({ part }) => part !== 'build')
  const shards = [1, 2, 3].map((number) =>
    planFull(files, recorded, { number, of: 3 }).filter(({ part }) => part !== 'build'),
  )
  const sums = shards.map((jobs) => jobs.reduce((sum, { seconds }) => sum + seconds, 0))

  expect(
    shards
      .flat()
      .map(({ title }) => title)
      .sort(),
  ).toEqual(all.map(({ title }) => title).sort())
  expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(130)
})

test('a file of a part with tiers names its tier, and whether it interrupts', () => {
  expect(asTestFile('tests/system/a.test.ts', '// tier: full, interrupts\n')).toMatchObject({
    tier: 'full',
    interrupts: true,
  })
  expect(() => asTestFile('tests/browser/a.test.ts', "import 'x'\n")).toThrow(
    'tests/browser/a.test.ts: the first line must be // tier: core, gate or full',
  )
})

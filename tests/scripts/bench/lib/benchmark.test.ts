import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { describeFigure, describeRuns, figureOf, figuresIn } from '#scripts/bench/lib/benchmark.ts'

const create = (goal: { at_most: number }) =>
  figureOf('site.create', 1500, 'ms', { against: 1200, ...goal })

describe('a figure', () => {
  test('is limited by its ratio to what it is compared with', () => {
    expect(create({ at_most: 1.25 })).toEqual({
      name: 'site.create',
      unit: 'ms',
      ours: 1500,
      against: 1200,
      ratio: 1.25,
      goal: 'at most 1.25 ×',
      met: true,
    })
  })

  test('misses a goal that its ratio exceeds', () => {
    const { goal, met } = create({ at_most: 1.24 })
    expect({ goal, met }).toEqual({ goal: 'at most 1.24 ×', met: false })
  })

  test('is limited by its own value when nothing is compared', () => {
    expect(figureOf('freeze', 5.1, 's', { at_most: 5 })).toEqual({
      ...{ name: 'freeze', unit: 's', ours: 5.1, against: null, ratio: null },
      ...{ goal: 'at most 5 s', met: false },
    })
  })

  test('can have another ratio, which a goal limits from below', () => {
    expect(figureOf('scan', 4, 'ms', { against: 800, ratio: 200, at_least: 201 })).toEqual({
      name: 'scan',
      unit: 'ms',
      ours: 4,
      against: 800,
      ratio: 200,
      goal: 'at least 201 ×',
      met: false,
    })
  })

  test('is read from the lines of a program that prints other lines, too', () => {
    const figure = create({ at_most: 2 })
    const output = `plain    1,200 ms\nfigure   ${JSON.stringify(figure)}\nfigures of others\n`
    expect(figuresIn(output)).toEqual([figure])
  })

  test('is refused when a part is missing', () => {
    expect(() => figuresIn('figure   {"name":"site.create"}')).toThrow('expected')
  })

  test.each([
    [create({ at_most: 2 }), 'site.create: 1.25 × (1,500 against 1,200 ms)'],
    [figureOf('share', 0.01912, '%', { at_most: 1 }), 'share: 0.019 %'],
    [figureOf('first', 0, 's', { at_most: 1 }), 'first: 0 s'],
    [
      figureOf('freeze', 12.34, 's', { at_most: 5 }),
      '**missed, freeze: 12.3 s, goal at most 5 s**',
    ],
  ])('is described as %#', (figure, described) => {
    expect(describeFigure(figure)).toBe(described)
  })
})

describe('a benchmark', () => {
  const run = (body: string) => {
    const module = join(import.meta.dir, '../../../../scripts/bench/lib/benchmark.ts')
    const code = `const { benchmark, report } = await import('${module}')
      await benchmark(async () => { ${body} }, async () => console.log('ended'))`
    const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, '-e', code])
    return { output: String(stdout).split('\n').slice(1), error: String(stderr), exitCode }
  }

  test('ends with success when all goals are met', () => {
    expect(run("report('first', 1, 's', { at_most: 2 })")).toEqual({
      output: ['first: 1 s', 'ended', ''],
      error: '',
      exitCode: 0,
    })
  })

  test('ends with a failure that names each missed goal, after all of it', () => {
    const goals =
      "report('first', 3, 's', { at_most: 2 }); report('second', 1, 's', { at_most: 2 })"
    expect(run(goals)).toMatchObject({ error: 'error: missed: first\n', exitCode: 1 })
  })

  test('ends what it started when it throws', () => {
    expect(run("console.log('begins'); throw new Error('an answer is wrong')")).toEqual({
      output: ['ended', ''],
      error: 'error: an answer is wrong\n',
      exitCode: 1,
    })
  })
})

describe('the figures of several runs', () => {
  const sync = (ours: number) => figureOf('sync', ours, 'ms', { against: 1000, at_most: 2 })
  const share = (ours: number) => figureOf('share', ours, '%', { at_least: 50 })

  test('are described by the worst one of each, with their spread', () => {
    expect(describeRuns([sync(1900), share(60), sync(2100), share(55)])).toEqual([
      '**missed, sync: 2.1 × (2,100 against 1,000 ms), goal at most 2 ×** [2 runs: 1.9 to 2.1 ×]',
      'share: 55 % [2 runs: 55 to 60 %]',
    ])
  })

  test('are described as before when there is one run', () => {
    expect(describeRuns([sync(1900), share(60)])).toEqual([
      'sync: 1.9 × (1,900 against 1,000 ms)',
      'share: 60 %',
    ])
  })
})

import { describe, expect, test } from 'bun:test'
import { describeFigure, describeRuns, figureOf, figuresIn } from '#scripts/bench/lib/figure.ts'

const create = { name: 'site.create', unit: 'ms', ours: 1500, against: 1200 }

describe('a figure', () => {
  test('is limited by its ratio to what it is compared with', () => {
    expect(figureOf({ ...create, at_most: 1.25 })).toEqual({
      ...create,
      ratio: 1.25,
      goal: 'at most 1.25 ×',
      met: true,
    })
  })

  test('misses a goal that its ratio exceeds', () => {
    const { goal, met } = figureOf({ ...create, at_most: 1.24 })
    expect({ goal, met }).toEqual({ goal: 'at most 1.24 ×', met: false })
  })

  test('is limited by its own value when nothing is compared', () => {
    expect(figureOf({ name: 'freeze', unit: 's', ours: 5.1, at_most: 5 })).toEqual({
      ...{ name: 'freeze', unit: 's', ours: 5.1, against: null, ratio: null },
      ...{ goal: 'at most 5 s', met: false },
    })
  })

  test('can have another ratio, which a goal limits from below', () => {
    const scan = { name: 'scan', unit: 'ms', ours: 4, against: 800, ratio: 200 }
    expect(figureOf({ ...scan, at_least: 201 })).toEqual({
      ...scan,
      goal: 'at least 201 ×',
      met: false,
    })
  })

  test('is read from the lines of a program that prints other lines, too', () => {
    const figure = figureOf({ ...create, at_most: 2 })
    const output = `plain    1,200 ms\nfigure   ${JSON.stringify(figure)}\nfigures of others\n`
    expect(figuresIn(output)).toEqual([figure])
  })

  test('is refused when a part is missing', () => {
    expect(() => figuresIn('figure   {"name":"site.create"}')).toThrow('expected')
  })

  test.each([
    [{ ...create, at_most: 2 }, 'site.create: 1.25 × (1,500 against 1,200 ms)'],
    [{ name: 'share', unit: '%', ours: 0.01912, at_most: 1 }, 'share: 0.019 %'],
    [{ name: 'first', unit: 's', ours: 0, at_most: 1 }, 'first: 0 s'],
    [
      { name: 'freeze', unit: 's', ours: 12.34, at_most: 5 },
      '**missed, freeze: 12.3 s, goal at most 5 s**',
    ],
  ])('is described as %#', (measured, described) => {
    expect(describeFigure(figureOf(measured))).toBe(described)
  })
})

describe('the figures of several runs', () => {
  const sync = (ours: number) =>
    figureOf({ name: 'sync', unit: 'ms', ours, against: 1000, at_most: 2 })
  const share = (ours: number) => figureOf({ name: 'share', unit: '%', ours, at_least: 50 })

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

// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startLayoutHost } from '#tests/support/system/layouts/host.ts'
import { readLayouts } from '#tests/support/system/layouts/layout.ts'
import { runStages, type Verdicts } from '#tests/support/system/layouts/stages.ts'

const MINUTES = 60_000

/**
 * Servers as people set them up, one folder each: what the agent finds there, what the web server
 * itself says of it, and what wp-cli says of each WordPress, are the same.
 */
unless(lab.available()).describe('servers that somebody else has set up', () => {
  const layouts = readLayouts()
  let verdicts: Verdicts = new Map()
  let strangers: string[] = []

  beforeAll(async () => {
    const host = await startLayoutHost()
    const result = await runStages(host, layouts)
    verdicts = result.verdicts
    strangers = result.strangers
  }, 12 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test.each(layouts.filter(({ broken }) => broken === undefined).map(({ name }) => name))(
    '%s',
    (name) => {
      expect(verdicts.get(name)).toEqual([])
    },
  )

  test.each(layouts.filter(({ broken }) => broken !== undefined).map(({ name }) => name))(
    'detects the wrong expectation %s',
    (name) => {
      const broken = layouts.find((layout) => layout.name === name)?.broken ?? ''
      expect(verdicts.get(name)).toContainEqual(expect.stringContaining(broken))
    },
  )

  test('finds no site that no layout has', () => {
    expect(strangers).toEqual([])
  })
})

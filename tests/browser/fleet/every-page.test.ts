// tier: core
import { beforeAll, describe, expect, test } from 'bun:test'
import { FLAWLESS, useTab } from '#tests/support/browser/every-page.ts'
import { PLACES, routesOfPages, startBulk } from '#tests/support/browser/places.ts'
import { useDemo } from '#tests/support/demo.ts'

test('there is an address for every route', async () => {
  expect(Object.keys(PLACES).sort()).toEqual((await routesOfPages()).sort())
})

describe('is accessible, fits a phone, and respects the security policy: with a fleet', () => {
  const demo = useDemo()
  beforeAll(() => startBulk(demo.client()))
  const tab = useTab(demo)

  test.each(Object.keys(PLACES))('%s', async (route) => {
    expect(await tab.visit(route)).toEqual(FLAWLESS)
  })
})

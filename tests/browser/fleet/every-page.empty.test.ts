// tier: gate
import { describe, expect, test } from 'bun:test'
import { FLAWLESS, useTab } from '#tests/support/browser/every-page.ts'
import { PLACES } from '#tests/support/browser/places.ts'
import { useDashboard } from '#tests/support/running.ts'

describe('is accessible, fits a phone, and respects the security policy: with nothing', () => {
  const tab = useTab(useDashboard())

  test.each(Object.keys(PLACES))('%s', async (route) => {
    expect(await tab.visit(route)).toEqual(FLAWLESS)
  })
})

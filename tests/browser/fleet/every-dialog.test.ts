// tier: gate
import { describe, expect, test } from 'bun:test'
import { DIALOGS } from '#tests/support/browser/dialogs.ts'
import { FLAWLESS, useTab } from '#tests/support/browser/every-page.ts'
import { useDemo } from '#tests/support/demo.ts'

describe('is accessible, fits a phone, and respects the security policy', () => {
  const tab = useTab(useDemo())
  // Those of one page together: it is loaded once.
  const byPage = Object.entries(DIALOGS).toSorted(([, one], [, other]) =>
    one.path.localeCompare(other.path),
  )

  test.each(byPage)('%s', async (_, dialog) => {
    expect(await tab.opened(dialog)).toEqual(FLAWLESS)
  })
})

// tier: gate
import { describe } from 'bun:test'
import { everyPage } from '#tests/support/browser/every-page.ts'
import { useDashboard } from '#tests/support/running.ts'

describe('is accessible, fits a phone, and respects the security policy: with nothing', () => {
  everyPage(useDashboard())
})

import { describe } from 'bun:test'
import { everyPage } from '#tests/support/browser/every-page.ts'
import { useDashboard } from '#tests/support/running.ts'

describe('is accessible, fits a phone, and keeps to its own origin and rules: with nothing', () => {
  everyPage(useDashboard())
})

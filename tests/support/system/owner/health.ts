import { expect, test } from 'bun:test'
import { MINUTES } from '#tests/support/system/world.ts'
import type { Owner } from './owner.ts'

/** WordPress's complaints about a server without the Internet. */
const OF_THE_LAB = [
  'Could not reach WordPress.org',
  /^Unable to determine the status of the current PHP version/,
  'Background updates may not be working properly',
]

export function isHealthy(owner: () => Owner): void {
  test(
    'Site Health reports no problem of the server',
    async () => {
      const page = await owner().page()
      await page.goto('/wp-admin/site-health.php')
      await page
        .locator('.site-health-progress-wrapper:not(.loading)')
        .waitFor({ timeout: 3 * MINUTES })

      const said = (kind: string) =>
        page
          .locator(`#health-check-issues-${kind} .health-check-accordion-trigger .title`)
          .allTextContents()
      const issues = [...(await said('critical')), ...(await said('recommended'))]
      const known = (issue: string) =>
        OF_THE_LAB.some((one) => (one instanceof RegExp ? one.test(issue) : one === issue))

      expect(issues.filter((issue) => !known(issue.trim()))).toEqual([])
      expect(await said('good')).toEqual(
        expect.arrayContaining([
          'Your site can perform loopback requests',
          'Opcode cache is enabled',
          'Page cache is detected and the server response time is good',
        ]),
      )
    },
    5 * MINUTES,
  )
}

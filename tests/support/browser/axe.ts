import { type AxeResults, source } from 'axe-core'
import type { Page } from 'playwright-core'

/**
 * axe-core's findings on a page in its present state, one line for each element. Its code is
 * injected by the test and not by the page, whose content security policy stays unchanged.
 */
export async function violationsOf(page: Page): Promise<string[]> {
  const isThere = await page.evaluate(() => 'axe' in window)
  if (!isThere) await page.evaluate(source)
  const { violations } = (await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] })",
  )) as AxeResults
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary = '' }) => {
      const [, ...reasons] = failureSummary.split('\n')
      return `${id} ${target.join(' ')}: ${reasons.map((line) => line.trim()).join('; ')}`
    }),
  )
}

import type { Page } from 'playwright-core'

/** But for what is shown as an example of it. */
const LOADING = ['[role="status"][aria-label="Loading"]', '[aria-busy="true"]']
  .map((selector) => `${selector}:not([data-examples] *)`)
  .join(', ')

/** Waits until a page shows what it has to show: its title is there and nothing is being loaded. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction((loading) => !document.querySelector(loading), LOADING)
  await painted(page)
}

/** Waits until what has changed is on the screen. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

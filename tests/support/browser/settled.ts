import type { Page } from 'playwright-core'

/** Except for examples of a loading state. */
const LOADING = ['[role="status"][aria-label="Loading"]', '[aria-busy="true"]']
  .map((selector) => `${selector}:not([data-examples] *)`)
  .join(', ')

/** Waits until a page is complete: its title is there and nothing is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.waitForFunction((loading) => !document.querySelector(loading), LOADING)
  await painted(page)
}

/** Waits until a change is on the screen. */
export async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

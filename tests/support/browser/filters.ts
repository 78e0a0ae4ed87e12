import type { Page } from 'playwright-core'

/** Chooses one value of a filter that is not set yet. */
export async function addFilter(page: Page, filter: string, value: string): Promise<void> {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const popup = page.getByRole('dialog', { name: 'Add filter' })
  await popup.getByRole('button', { name: filter, exact: true }).click()
  await popup.getByText(value, { exact: true }).click()
  await page.keyboard.press('Escape')
  await popup.waitFor({ state: 'detached' })
}

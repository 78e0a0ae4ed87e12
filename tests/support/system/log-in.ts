import type { Page } from 'playwright-core'

/** Logs a person in on `wp-login.php`, which the page shows, and waits for the bar of WordPress. */
export async function logIn(page: Page, login: string, password: string): Promise<void> {
  // A moment after the page, its script focuses one of the fields and may empty it.
  await page.waitForFunction(() => document.activeElement?.matches('#user_login, #user_pass'))
  await page.fill('#user_login', login)
  await page.fill('#user_pass', password)
  await page.click('#wp-submit')
  await page.locator('#wpadminbar, #login_error').first().waitFor()
  const [error] = await page.locator('#login_error').allTextContents()
  if (error !== undefined) throw new Error(error)
}

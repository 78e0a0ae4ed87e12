import type { Locator, Page } from 'playwright-core'

const MOST_STOPS = 120

/** Presses Tab until the focus is on `target`, like a user without a mouse. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`No way by Tab to ${target}`)
}

/** Presses a button or follows a link by keyboard. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Chooses one of several options by arrow keys, once the focus is on the chosen one. */
export async function chooseRadio(page: Page, name: string, value: string): Promise<void> {
  await tabTo(page, page.locator(`input[type=radio][name=${name}]:checked`))
  const wanted = page.locator(`input[type=radio][name=${name}][value=${value}]`)
  for (let steps = 0; steps < 10; steps++) {
    if (await wanted.isChecked()) return
    await page.keyboard.press('ArrowDown')
  }
  throw new Error(`No way by arrows to ${name} ${value}`)
}

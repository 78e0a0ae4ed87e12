import type { Locator, Page } from 'playwright-core'

const MOST_STOPS = 120

/** Goes on from where the focus is until it is on `target`, as somebody without a mouse does. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MOST_STOPS; stops++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`No way by Tab to ${target}`)
}

/** Presses a button or follows a link without a mouse. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Chooses one of several by arrows, once the focus is on the one that is chosen. */
export async function chooseRadio(page: Page, name: string, value: string): Promise<void> {
  await tabTo(page, page.locator(`input[type=radio][name=${name}]:checked`))
  const wanted = page.locator(`input[type=radio][name=${name}][value=${value}]`)
  for (let steps = 0; steps < 10; steps++) {
    if (await wanted.isChecked()) return
    await page.keyboard.press('ArrowDown')
  }
  throw new Error(`No way by arrows to ${name} ${value}`)
}

import type { Page } from 'playwright-core'
import { painted, settled } from './settled.ts'

/** A tab only leads to a page with an address of its own. */
const CONTROLS = 'main button:enabled:not([role=tab]), main input[type=checkbox]:enabled'
const STEP_MS = 3_000

/** The refusals of a role that the pages of a browser receive from now on, such as `POST /api/keys/rotate`. */
export function watchRefusals(page: Page): string[] {
  const refusals: string[] = []
  page.on('response', (response) => {
    const { pathname } = new URL(response.url())
    if (response.status() === 403) refusals.push(`${response.request().method()} ${pathname}`)
  })
  return refusals
}

/**
 * Presses each enabled button, menu item and checkbox of a page, one of those whose names begin with
 * the same words, and closes what it has opened. A dialog is opened, but its form is not sent.
 */
export async function pressAll(page: Page, path: string): Promise<void> {
  const controls = page.locator(CONTROLS)
  const pressed = new Set<string>()
  for (;;) {
    const names = await controls.evaluateAll(namesOf)
    const at = names.findIndex((name) => !pressed.has(name))
    if (at < 0) return
    pressed.add(names[at] ?? '')
    if (!(await press(page, controls.nth(at)))) continue
    const items = await page.getByRole('menuitem').count()
    for (let item = 0; item < items; item++) {
      if (item > 0) await press(page, controls.nth(at))
      await press(page, page.getByRole('menuitem').nth(item))
      await close(page, path)
    }
    await close(page, path)
  }
}

/** Runs in the page: the first two words of the name of each control. */
function namesOf(controls: Element[]): string[] {
  return controls.map((control) => {
    const label = control.getAttribute('aria-label') ?? control.closest('label')?.textContent
    const words = (label || control.textContent || '').trim().split(/[\s:]+/)
    return words.slice(0, 2).join(' ')
  })
}

async function press(page: Page, control: ReturnType<Page['locator']>): Promise<boolean> {
  if (!(await control.isVisible())) return false
  const isPressed = await control.click({ timeout: STEP_MS }).then(
    () => true,
    // It was replaced, or something lies above it.
    () => false,
  )
  await painted(page)
  return isPressed
}

/** Closes dialogs and menus, and returns to the page if it was left. */
async function close(page: Page, path: string): Promise<void> {
  await settled(page)
  for (let turn = 0; turn < 3; turn++) {
    const open = page.locator('[role=dialog][data-open], [role=menu][data-open]')
    if ((await open.count()) === 0) break
    await page.keyboard.press('Escape')
    await painted(page)
  }
  const { pathname, search } = new URL(page.url())
  if (`${pathname}${search}` === path) return
  await page.goto(path)
  await settled(page)
}

import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Used } from '#tests/support/running.ts'
import type { DIALOGS } from './dialogs.ts'
import { inspect } from './inspect.ts'
import { useBrowser } from './pages.ts'
import { PLACES } from './places.ts'
import { settled } from './settled.ts'
import { type Traffic, watchTraffic } from './traffic.ts'

const FLAWLESS = { light: [], dark: [], too_wide: [], problems: [], elsewhere: [], costly: [] }

/**
 * One tab visits every page, as a person would; its requests are reported page by page. Then it
 * opens every dialog and closes it with Escape.
 */
export function everyPage(used: Used, dialogs: typeof DIALOGS = {}): void {
  const open = useBrowser(used)
  let page: Page
  let problems: string[]
  let traffic: Traffic

  beforeAll(async () => {
    const opened = await open('/login')
    page = opened.page
    problems = opened.problems
    traffic = watchTraffic(page, used.running().url)
  })

  const goTo = async (path: string) => {
    for (const list of [problems, traffic.elsewhere, traffic.costly]) list.length = 0
    await page.goto(path)
    await settled(page)
  }

  test.each(Object.keys(PLACES))('%s', async (route) => {
    await goTo((await PLACES[route]?.(used.client())) ?? '')

    expect({ ...(await inspect(page)), problems, ...traffic }).toEqual(FLAWLESS)
  })

  test.each(Object.entries(dialogs))('%s', async (_, { path, open }) => {
    await goTo(path)
    await open(page)
    const dialog = page.getByRole('dialog')
    await dialog.waitFor()

    expect({ ...(await inspect(page)), problems, ...traffic }).toEqual(FLAWLESS)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })
}

import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { DIALOGS } from '#tests/support/browser/dialogs.ts'
import { inspect } from '#tests/support/browser/inspect.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { beginBulk, PLACES, routesOfPages } from '#tests/support/browser/places.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { type Traffic, watchTraffic } from '#tests/support/browser/traffic.ts'
import { useDemo } from '#tests/support/demo.ts'
import { type Used, useDashboard } from '#tests/support/running.ts'

const FLAWLESS = { light: [], dark: [], too_wide: [], problems: [], elsewhere: [], costly: [] }

test('there is an address for every route', async () => {
  expect(Object.keys(PLACES).sort()).toEqual((await routesOfPages()).sort())
})

/**
 * One tab goes from page to page, as a person would; what it loads is told page by page. Then what
 * opens over the pages, which is gone with Escape.
 */
function everyPage(used: Used, dialogs: typeof DIALOGS = {}): void {
  const open = useBrowser(used)
  let page: Page
  let problems: string[]
  let traffic: Traffic

  beforeAll(async () => {
    const opened = await open('/login', { signedIn: true, reducedMotion: 'reduce' })
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

describe('is accessible, fits a phone, and keeps to its own origin and rules: with a fleet', () => {
  const demo = useDemo()
  beforeAll(() => beginBulk(demo.client()))
  everyPage(demo, DIALOGS)
})

describe('is accessible, fits a phone, and keeps to its own origin and rules: with nothing', () => {
  everyPage(useDashboard())
})

import type { Page } from 'playwright-core'
import { isGate } from '#tests/support/turns.ts'
import { violationsOf } from './axe.ts'
import { painted } from './settled.ts'

/** The rules whose outcome depends on the theme; the full suite tries all in both. */
const OF_COLORS = ['color-contrast', 'link-in-text-block']
const PHONES = [390, 320]

/** The problems of a page, as lists that should be empty. */
export interface Inspection {
  /** By axe-core. */
  light: string[]
  dark: string[]
  /** Phone widths at which the page scrolls sideways. */
  too_wide: number[]
}

/** The inspection of a page without problems. */
export const CLEAN = { light: [], dark: [], too_wide: [] } satisfies Inspection

/** The same with the problems that its browser reported. */
export const FLAWLESS = { ...CLEAN, problems: [] }

/** Checks a page that has settled in a context with `reducedMotion`. */
export async function inspect(page: Page): Promise<Inspection> {
  await inTheme(page, 'light')
  const light = await violationsOf(page)
  await inTheme(page, 'dark')
  const dark = await violationsOf(page, isGate ? OF_COLORS : undefined)
  return { light, dark, too_wide: await tooWide(page) }
}

async function inTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme })
  await page.waitForFunction((wanted) => document.documentElement.dataset.theme === wanted, theme)
  await painted(page)
}

async function tooWide(page: Page): Promise<number[]> {
  const before = page.viewportSize()
  const found: number[] = []
  for (const width of PHONES) {
    await page.setViewportSize({ width, height: 800 })
    await painted(page)
    const scrolled = await page.evaluate(() => document.documentElement.scrollWidth)
    if (scrolled > width) found.push(width)
  }
  if (before) await page.setViewportSize(before)
  return found
}

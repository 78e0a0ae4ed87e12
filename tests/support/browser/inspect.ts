import type { Page } from 'playwright-core'
import { inTurn } from '#tests/support/turns.ts'
import { violationsOf } from './axe.ts'
import { painted } from './settled.ts'

/** A gate inspects the pages in one of them. */
const THEMES = ['light', 'dark'] as const
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
export const CLEAN: Inspection = { light: [], dark: [], too_wide: [] }

/** The same with the problems that its browser reported. */
export const FLAWLESS = { ...CLEAN, problems: [] }

/** Checks a page that has settled in a context with `reducedMotion`. */
export async function inspect(page: Page): Promise<Inspection> {
  const found: Inspection = structuredClone(CLEAN)
  for (const theme of inTurn(THEMES, 'themes')) {
    await inTheme(page, theme)
    found[theme] = await violationsOf(page)
  }
  found.too_wide = await tooWide(page)
  return found
}

async function inTheme(page: Page, theme: (typeof THEMES)[number]): Promise<void> {
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

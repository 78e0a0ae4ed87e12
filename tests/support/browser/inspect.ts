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
  /** The phone widths at which the page scrolls sideways, each with the elements that do not fit. */
  too_wide: [width: number, elements: string[]][]
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

async function tooWide(page: Page): Promise<Inspection['too_wide']> {
  const before = page.viewportSize()
  const found: Inspection['too_wide'] = []
  for (const width of PHONES) {
    await page.setViewportSize({ width, height: 800 })
    await painted(page)
    const elements = await page.evaluate(overflowing)
    if (elements) found.push([width, elements])
  }
  if (before) await page.setViewportSize(before)
  return found
}

/** Runs in the page. Returns the beginnings of the innermost elements that make it scroll sideways. */
function overflowing(): string[] | undefined {
  if (document.documentElement.scrollWidth <= innerWidth) return
  const isClipped = (element: Element): boolean =>
    element !== document.body &&
    (getComputedStyle(element).overflowX !== 'visible' ||
      (element.parentElement !== null && isClipped(element.parentElement)))
  const outside = [...document.body.querySelectorAll('*')].filter(
    (each) =>
      each.getBoundingClientRect().right > innerWidth &&
      each.parentElement !== null &&
      !isClipped(each.parentElement),
  )
  return outside
    .filter((each) => !outside.some((other) => other !== each && each.contains(other)))
    .map((each) => each.outerHTML.slice(0, 200))
}

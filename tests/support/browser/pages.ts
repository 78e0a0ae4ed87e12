import { afterAll, afterEach, beforeAll, beforeEach, setDefaultTimeout } from 'bun:test'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Client } from '#tests/support/client.ts'
import { ADMIN } from '#tests/support/processes.ts'
import type { Used } from '#tests/support/running.ts'
import { launch } from './index.ts'

const TEST_MS = 120_000
/** For one step: this machine may be busy. */
const STEP_MS = 60_000

interface OpenOptions extends Omit<BrowserContextOptions, 'baseURL'> {
  /** Default: signed in as the first user. */
  signedIn?: boolean
}

/** A page, and its problems: script errors, refusals of the content security policy. */
export interface Opened {
  page: Page
  problems: string[]
}

/**
 * One browser for the tests of this file. `open` opens an address of the dashboard in a session of
 * its own, as for a person who has logged in.
 */
export function useBrowser({ client, running }: Used) {
  setDefaultTimeout(TEST_MS)
  let browser: Browser | undefined
  let opened: BrowserContext[] = []
  beforeAll(async () => {
    browser = await launch({ program: 'chromium-headless-shell' })
  }, TEST_MS)
  // An abandoned page keeps following events: only those of all tests stay open.
  beforeEach(() => {
    opened = []
  })
  afterEach(async () => {
    await Promise.all(opened.map((context) => context.close()))
  })
  afterAll(() => browser?.close())
  return async (path: string, options: OpenOptions = {}): Promise<Opened> => {
    if (!browser) throw new Error('The browser runs between beforeAll and afterAll only')
    const { signedIn = true, ...rest } = options
    const { url } = running()
    const context = await browser.newContext({
      baseURL: url,
      viewport: { width: 1280, height: 800 },
      locale: 'en-GB',
      ...rest,
    })
    opened.push(context)
    if (signedIn) await context.addCookies(sessionOf(client()))
    context.setDefaultTimeout(STEP_MS)
    const page = await context.newPage()
    const problems = watch(page)
    await page.goto(path)
    return { page, problems }
  }
}

/** The session of a client that has logged in, for a browser. */
export function sessionOf({ base: url, cookie = '' }: Client) {
  const [name = '', value = ''] = cookie.split('=')
  return name === '' ? [] : [{ name, value, url, sameSite: 'Strict' as const }]
}

/** Errors of the console and of the page itself, and answers of 500 and above. */
export function watch(page: Page): string[] {
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isAnswer) problems.push(message.text())
  })
  page.on('response', (response) => {
    if (response.status() >= 500) problems.push(`${response.status()} ${response.url()}`)
  })
  return problems
}

/** Fills in the login page as the first user. */
export async function signIn(page: Page, { email, password } = ADMIN): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

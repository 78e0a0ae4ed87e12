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

/** One for all files of this program, which ends it. */
let browser: Promise<Browser> | undefined

/**
 * A browser for the tests of this file. `open` opens an address of the dashboard in a session of
 * its own, as for a person who has logged in.
 */
export function useBrowser({ client, running }: Used) {
  setDefaultTimeout(TEST_MS)
  let opened: Session[] = []
  const free: Session[] = []
  const all: Session[] = []
  beforeAll(async () => {
    browser ??= launch({ program: 'chromium-headless-shell' })
    await browser
  }, TEST_MS)
  // An abandoned page keeps following events: only those of all tests stay open.
  beforeEach(() => {
    opened = []
  })
  afterEach(async () => {
    await Promise.all(opened.map(empty))
    free.push(...opened)
  })
  afterAll(() => Promise.all(all.map(({ context }) => context.close())))
  const sessionWith = async (options: BrowserContextOptions) => {
    const key = JSON.stringify(options)
    const at = free.findIndex((session) => session.key === key)
    const [known] = at < 0 ? [] : free.splice(at, 1)
    if (known) return known
    const created = await startSession(browser, key, options)
    all.push(created)
    return created
  }
  return async (path: string, { signedIn = true, ...rest }: OpenOptions = {}): Promise<Opened> => {
    const session = await sessionWith({ baseURL: running().url, ...rest })
    opened.push(session)
    const { context } = session
    if (signedIn) await context.addCookies(sessionOf(client()))
    const page = await context.newPage()
    const problems = watch(page)
    await page.goto(path)
    return { page, problems }
  }
}

/**
 * What one person has open. A later test gets it again, emptied: the browser keeps the files of the
 * pages, and the first page keeps their compiled scripts, which take most of the time of a start.
 */
interface Session {
  /** Its options. */
  key: string
  context: BrowserContext
  first: Page
}

async function startSession(
  running: typeof browser,
  key: string,
  options: BrowserContextOptions,
): Promise<Session> {
  if (!running) throw new Error('The browser runs between beforeAll and afterAll only')
  const context = await (await running).newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    // Without animations, drawing takes less time, and colours change at once.
    reducedMotion: 'reduce',
    ...options,
  })
  context.setDefaultTimeout(STEP_MS)
  const first = await context.newPage()
  await first.goto('/health')
  return { key, context, first }
}

/** Closes what the test has opened, and removes what its pages have stored. */
async function empty({ context, first }: Session): Promise<void> {
  const others = context.pages().filter((page) => page !== first)
  await Promise.all(others.map((page) => page.close()))
  await first.evaluate(() => localStorage.clear())
  await context.clearCookies()
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

/** The button with exactly this name. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Fills in the login page as the first user. */
export async function signIn(page: Page, { email, password } = ADMIN): Promise<void> {
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page, Request } from 'playwright-core'
import type { MarkedRow } from '#dashboard/db/marks.ts'
import { LOGIN_PATH } from '#shared/login-path.ts'
import { press } from '#tests/support/browser/keyboard.ts'
import * as lab from '#tests/support/lab/index.ts'
import { markedWith } from '#tests/support/marks.ts'
import { ADMIN, type Dashboard } from '#tests/support/system/dashboard.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

/** The page of a site in a real dashboard, whose server and site are real, too. */
export interface Shown {
  domain: string
  php: string
  host: lab.Host
  dashboard: Dashboard
  page: Page
}

/** A login of a token that was used already, and what its sender sees then. */
const REFUSED = { length: 43, status: 403, path: '/wp-login.php' }

const SOON = { timeout_ms: MINUTES }

/** By the button on the page of a site into its WordPress, and what its token is worth later. */
export function opensWordpress(shown: () => Shown): void {
  const home = () => `https://${shown().domain}/`
  const button = (name: string) => shown().page.getByRole('button', { name, exact: true })

  test(
    'a button logs in to WordPress in a new tab, whose token is refused later',
    async () => {
      const { tab, sent, greeted } = await opened(shown(), button('Log in to WordPress'))
      const visitor = await stranger(shown())

      expect(greeted).toBe(await firstAdministrator(shown()))
      expect(new URL(tab.url()).search).toBe('')
      expect(await again(visitor, sent)).toEqual(REFUSED)
      await visitor.context().close()
      await tab.close()
    },
    2 * MINUTES,
  )

  test(
    'after half an hour it asks for the password, and logs in as the chosen user',
    async () => {
      const { page } = shown()
      const user = ['user', 'create', 'ed', 'ed@example.test', '--role=editor']
      await wp(shown(), [...user, '--display_name=Ed Weber'])
      isHalfAnHourLater(shown().dashboard)

      await press(page, button('Log in to WordPress'))
      const dialog = page.getByRole('dialog', { name: `Log in to ${shown().domain}` })
      await dialog.getByLabel('Your password of this dashboard').fill(ADMIN.password)
      await dialog.getByLabel('WordPress user').selectOption({ label: 'ed – Ed Weber (editor)' })
      const { tab, greeted } = await opened(shown(), dialog.getByRole('button', { name: 'Log in' }))
      await dialog.waitFor({ state: 'detached' })

      expect(greeted).toBe('Ed Weber')
      await tab.close()
    },
    2 * MINUTES,
  )

  test(
    'a page cache and an object cache neither keep a login nor show it to others',
    async () => {
      const { page } = shown()
      const settings = `${new URL(page.url()).pathname}?tab=php`
      await page.goto(settings)
      await button('Switch object cache on').click()
      await page.getByRole('dialog').getByLabel('Memory').selectOption('16')
      await button('Apply object cache').click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const visitor = await stranger(shown())
      expect(await lab.poll(() => isCached(visitor, home()), SOON)).toBe(true)
      expect(await lab.poll(() => hasObjects(page, settings), SOON)).toBe(true)

      const { tab, sent, greeted } = await opened(shown(), button('Log in to WordPress'))
      const own = await tab.goto(home())

      expect(greeted).toBe(await firstAdministrator(shown()))
      expect([cacheOf(own), await tab.locator('#wpadminbar').count()]).toEqual(['BYPASS', 1])
      expect(await again(visitor, sent)).toEqual(REFUSED)
      // The login page has left one, with which visitors get no stored page.
      await visitor.context().clearCookies()
      expect(await lab.poll(() => isCached(visitor, home()), SOON)).toBe(true)
      expect(await visitor.locator('#wpadminbar').count()).toBe(0)
      await visitor.context().close()
      await tab.close()
    },
    3 * MINUTES,
  )
}

/** The new tab after the login, the request that brought its token, and whom WordPress greets. */
async function opened({ domain, page }: Shown, button: Locator) {
  const context = page.context()
  await context.clearCookies({ domain })
  const [tab, sent] = await Promise.all([
    context.waitForEvent('page'),
    context.waitForEvent('request', (request) => request.url().endsWith(LOGIN_PATH)),
    press(page, button),
  ])
  await tab.waitForURL(`https://${domain}/wp-admin/`)
  const greeted = tab.locator('#wp-admin-bar-my-account .display-name').first()
  return { tab, sent, greeted: await greeted.textContent() }
}

/** Somebody who has seen the request sends it once more, and then opens wp-admin. */
async function again(visitor: Page, sent: Request) {
  const token = new URLSearchParams(sent.postData() ?? '').get('token') ?? ''
  await visitor.setContent(`<form method="post" action="${sent.url()}"><input name="token"></form>`)
  await visitor.fill('input', token)
  const [answer] = await Promise.all([
    visitor.waitForResponse((response) => response.url() === sent.url()),
    visitor.press('input', 'Enter'),
  ])
  await visitor.getByText('This login was used already').waitFor()
  await visitor.goto(new URL('/wp-admin/', sent.url()).href)
  return { length: token.length, status: answer.status(), path: new URL(visitor.url()).pathname }
}

/** Another person, without cookies. */
async function stranger({ page }: Shown): Promise<Page> {
  const browser = page.context().browser()
  if (!browser) throw new Error('The browser is closed')
  return (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
}

const cacheOf = (answer: Awaited<ReturnType<Page['goto']>>) => answer?.headers()['x-cache']
const isCached = async (visitor: Page, url: string) => cacheOf(await visitor.goto(url)) === 'HIT'

/** The card shows its state of when the page was opened. */
async function hasObjects(page: Page, settings: string): Promise<boolean> {
  await page.goto(settings)
  const numbers = page.getByText(/ of 16 MB, [1-9][\d,]* objects/)
  return numbers.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  )
}

async function wp({ host, php }: Shown, args: string[]): Promise<string> {
  const user = (await host.must(['ls', '/srv/www'])).trim()
  return wpCli(host, { user, docroot: `/srv/www/${user}/public` }, php, args)
}

async function firstAdministrator(shown: Shown): Promise<string> {
  const query = ['--role=administrator', '--orderby=ID', '--number=1', '--field=display_name']
  return (await wp(shown, ['user', 'list', ...query])).trim()
}

/** As far as the sessions of the dashboard know. */
function isHalfAnHourLater({ data_dir }: Dashboard): void {
  const database = new Database(join(data_dir, 'dashboard.db'))
  const confirmed_at = new Date(Date.now() - 30 * MINUTES).toISOString()
  const marks = markedWith(readFileSync(join(data_dir, 'seal-secret'), 'utf8').trim())
  database.run('pragma busy_timeout = 5000')
  const rows = database.query<MarkedRow<'sessions'>, []>('select * from sessions').all()
  for (const row of rows) {
    const mark = marks.of('sessions', { ...row, confirmed_at })
    const values = [confirmed_at, mark, row.jti]
    database.run('update sessions set confirmed_at = ?, mark = ? where jti = ?', values)
  }
  database.close()
}

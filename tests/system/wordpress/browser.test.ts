// tier: gate

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page, Request } from 'playwright-core'
import type { MarkedRow } from '#dashboard/kernel/db/marks.ts'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildWeb } from '#scripts/build-web.ts'
import { gzipBeside } from '#scripts/lib/gzip-beside.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'
import { launch, PATIENCE_MS } from '#tests/support/browser/index.ts'
import { signIn, watch } from '#tests/support/browser/pages.ts'
import * as lab from '#tests/support/lab/index.ts'
import { offerMore } from '#tests/support/lab/install-more.ts'
import { markedWith } from '#tests/support/marks.ts'
import { unless } from '#tests/support/skip.ts'
import { OBJECT_CACHES } from '#tests/support/system/cached-site.ts'
import { ADMIN, type Dashboard, startDashboard } from '#tests/support/system/dashboard.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { wpCli } from '#tests/support/system/wp-cli.ts'

const MAX_STOPS = 120

/** Presses Tab until the focus is on `target`, like a user without a mouse. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stops = 0; stops < MAX_STOPS; stops++) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`No way by Tab to ${target}`)
}

/** Presses a button or follows a link by keyboard. */
async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Chooses one of several options by arrow keys, once the focus is on the chosen one. */
async function chooseRadio(page: Page, name: string, value: string): Promise<void> {
  await tabTo(page, page.locator(`input[type=radio][name=${name}]:checked`))
  const wanted = page.locator(`input[type=radio][name=${name}][value=${value}]`)
  for (let steps = 0; steps < 10; steps++) {
    if (await wanted.isChecked()) return
    await page.keyboard.press('ArrowDown')
  }
  throw new Error(`No way by arrows to ${name} ${value}`)
}

/** The page of a site in a real dashboard, whose server and site are real, too. */
interface Shown {
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
function opensWordpress(shown: () => Shown): void {
  const home = () => `https://${shown().domain}/`
  const button = (name: string) => shown().page.getByRole('button', { name, exact: true })

  test('a button logs in to WordPress in a new tab, whose token is refused later', async () => {
    const { tab, sent, greeted } = await opened(shown(), button('Log in to WordPress'))
    const visitor = await stranger(shown())

    expect(greeted).toBe(await firstAdministrator(shown()))
    expect(new URL(tab.url()).search).toBe('')
    expect(await again(visitor, sent)).toEqual(REFUSED)
    await visitor.context().close()
    await tab.close()
  })

  test('after ten minutes it asks for the password, and logs in as the chosen user', async () => {
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
  })

  test('a page cache and an object cache neither keep a login nor show it to others', async () => {
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
  })
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

const DOMAIN = 'shop.example.test'
const SETTINGS = `AGENT_LISTEN=[::]:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
`

/** While it is there, PHP waits, also in the sandbox of a site, which sees little of /run. */
const HOLD = '/usr/local/share/hold'
const PHP = `#!/bin/sh
while [ -e ${HOLD} ]; do sleep 0.1; done
exec /usr/bin/php8.2.debian "$@"
`

/** Without TLS the browser ignores this header, and reports that. */
const isWrong = (problem: string) => !problem.startsWith('The Cross-Origin-Opener-Policy header')

/** One tab and a real Debian server, from the first login on; the tests build on each other. */
unless(lab.available()).describe('a server and a site in the browser', () => {
  let host: lab.Host
  let dashboard: Dashboard
  let browser: Browser
  let page: Page
  let problems: string[]

  beforeAll(async () => {
    await gzipBeside((await buildAgent('.')).file)
    await buildWeb('.')
    const { netns, address } = await lab.switchUp()
    host = await lab.startHost({
      name: 'shown',
      suite: 'bookworm',
      init: 'systemd',
      image: await packaged('bookworm'),
      binds: [{ from: await wordpressMirror(), to: '/srv/mirror', readonly: true }],
    })
    await offerMore(host, 'bookworm', [OBJECT_CACHES.bookworm])
    await host.must(['apt-get', 'install', '-y', '-q', 'curl'])
    await host.must(['mv', '/usr/bin/php8.2', '/usr/bin/php8.2.debian'])
    await host.put('/usr/bin/php8.2', PHP, 0o755)
    await host.put('/etc/hosting-agent/agent.env', SETTINGS, 0o600)
    const env = { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow' }
    dashboard = await startDashboard(netns, { address, env })
    browser = await launch({
      program: 'chromium-headless-shell',
      netns,
      resolve: { [address]: address, [DOMAIN]: host.address },
    })
    const context = await browser.newContext({
      baseURL: `http://${address}:3000`,
      viewport: { width: 1280, height: 800 },
      ignoreHTTPSErrors: true,
      reducedMotion: 'reduce',
    })
    context.setDefaultTimeout(PATIENCE_MS)
    page = await context.newPage()
    problems = watch(page)
  }, 10 * MINUTES)

  afterAll(async () => {
    await browser?.close()
    await dashboard?.stop()
    await lab.switchDown()
  }, 10 * MINUTES)

  const heading = (name: string) => page.getByRole('heading', { level: 1, name })
  const isNow = (status: string) => page.getByText(status, { exact: true }).first().waitFor()

  test('a server is added by pasting one line, and is online automatically', async () => {
    await page.goto('/')
    await signIn(page, ADMIN)
    await heading('Overview').waitFor()
    await page.keyboard.type('gs')
    await press(page, page.getByRole('link', { name: 'Add a server' }).first())
    await tabTo(page, page.getByLabel('Hostname'))
    await page.keyboard.type(host.address)
    await tabTo(page, page.getByLabel('Name', { exact: true }))
    await page.keyboard.type('web-1')
    await page.keyboard.press('Enter')
    await heading('web-1').waitFor()

    const [line = '', code = ''] = await page.locator('code.select-all').allTextContents()
    const pasted = await host.exec(['bash', '-c', line], {
      input: `${code}\n`,
      timeout_ms: 3 * MINUTES,
    })

    expect([pasted.code, pasted.stderr]).toEqual([0, ''])
    await isNow('online')
    expect(problems.filter(isWrong)).toEqual([])
    const path = `/api/servers/${page.url().split('/').at(-1)}/provision`
    await dashboard.stream('POST', path, { php_versions: ['8.2'] })
  })

  test('a site is created by keyboard alone; a reload and a crash of the agent lose nothing', async () => {
    await page.keyboard.type('go')
    await heading('Overview').waitFor()
    await page.keyboard.type('c')
    await tabTo(page, page.getByLabel('Domain'))
    await page.keyboard.type(DOMAIN)
    await tabTo(page, page.getByRole('radio', { name: /^web-1/ }))
    await page.keyboard.press('Space')
    await chooseRadio(page, 'tls', 'self-signed')
    await press(page, page.getByRole('button', { name: 'Review plan' }))
    const plan = page.locator('summary', { hasText: 'Plan: ' })
    await plan.waitFor({ timeout: 3 * MINUTES })
    await press(page, plan)
    await page.getByText('Creating the system user').first().waitFor()

    await host.must(['touch', HOLD])
    await press(page, page.getByRole('button', { name: 'Create site' }))
    const installing = page.locator('li[aria-current=step]', { hasText: 'Installing WordPress' })
    await installing.waitFor()
    await page.reload()
    await installing.waitFor()
    await host.must(['systemctl', 'kill', '--signal=KILL', 'hosting-agent'])
    await host.must(['rm', HOLD])

    await page
      .getByText('The agent was restarted in the middle of the operation')
      .first()
      .waitFor({ timeout: 3 * MINUTES })
    await press(page, page.getByRole('button', { name: 'Retry' }))
    await isNow('active')
    expect(problems.filter(isWrong)).toEqual([])
  })

  test('the site and its login exist', async () => {
    const visitor = await page.context().newPage()
    await visitor.goto(`https://${DOMAIN}/`)
    expect(await visitor.title()).toContain(DOMAIN)
    await visitor.goto(`https://${DOMAIN}/wp-login.php`)
    await visitor.getByLabel('Username or Email Address').waitFor()
    await visitor.close()
  })

  opensWordpress(() => ({ domain: DOMAIN, php: '8.2', host, dashboard, page }))

  test('a site moves to the trash after one question, and is restored', async () => {
    await press(page, page.getByRole('button', { name: `More actions of ${DOMAIN}` }))
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('End')
    await page.locator(':focus', { hasText: 'Delete site…' }).waitFor()
    await page.keyboard.press('Enter')
    await page
      .getByRole('dialog')
      .getByText(/^Plan: \d+ steps/)
      .waitFor()
    await press(page, page.getByRole('button', { name: 'Move to trash' }))
    await isNow('trashed')
    // Not in the browser: playwright confuses its own objects when a navigation is closed.
    await expect(get(host, `https://${DOMAIN}/`)).rejects.toThrow('curl')

    await page.keyboard.type('gt')
    await press(page, page.getByRole('button', { name: `Restore ${DOMAIN}` }))
    await page.getByText('The trash is empty').waitFor()
    await page.goBack()
    await isNow('active')
    const visitor = await page.context().newPage()
    await visitor.goto(`https://${DOMAIN}/`)
    expect(await visitor.title()).toContain(DOMAIN)
    expect(problems.filter(isWrong)).toEqual([])
  })
})

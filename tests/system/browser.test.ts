// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Browser, Page } from 'playwright-core'
import { buildAgent } from '#scripts/build-agent.ts'
import { buildWeb } from '#scripts/build-web.ts'
import { gzipBeside } from '#scripts/lib/gzip-beside.ts'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import { launch, PATIENCE_MS } from '#tests/support/browser/index.ts'
import { chooseRadio, press, tabTo } from '#tests/support/browser/keyboard.ts'
import { signIn, watch } from '#tests/support/browser/pages.ts'
import * as lab from '#tests/support/lab/index.ts'
import { offerMore } from '#tests/support/lab/install-more.ts'
import { unless } from '#tests/support/skip.ts'
import { OBJECT_CACHES } from '#tests/support/system/cached-site.ts'
import { ADMIN, type Dashboard, startDashboard } from '#tests/support/system/dashboard.ts'
import { opensWordpress } from '#tests/support/system/everyday/wp-login.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { get } from '#tests/support/system/requests.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const DOMAIN = 'shop.example.test'
const SETTINGS = `AGENT_LISTEN=[::]:8443
AGENT_WORDPRESS_URL=file:///srv/mirror
AGENT_WP_CLI_URL=file:///srv/mirror/wp-cli.phar
`

/** While it is there, PHP waits: an operation is in its middle for as long as a test wants. */
const HOLD = '/run/hold'
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
    browser = await launch({ netns, resolve: { [address]: address, [DOMAIN]: host.address } })
    const context = await browser.newContext({
      baseURL: `http://${address}:3000`,
      viewport: { width: 1280, height: 800 },
      ignoreHTTPSErrors: true,
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

  test(
    'a server is added by pasting one line, and is online automatically',
    async () => {
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
    },
    5 * MINUTES,
  )

  test(
    'a site is created by keyboard alone; a reload and a crash of the agent lose nothing',
    async () => {
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
    },
    5 * MINUTES,
  )

  test('the site and its login exist', async () => {
    const visitor = await page.context().newPage()
    await visitor.goto(`https://${DOMAIN}/`)
    expect(await visitor.title()).toContain(DOMAIN)
    await visitor.goto(`https://${DOMAIN}/wp-login.php`)
    await visitor.getByLabel('Username or Email Address').waitFor()
    await visitor.close()
  })

  opensWordpress(() => ({ domain: DOMAIN, php: '8.2', host, dashboard, page }))

  test(
    'a site moves to the trash after one question, and is restored',
    async () => {
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
    },
    5 * MINUTES,
  )
})

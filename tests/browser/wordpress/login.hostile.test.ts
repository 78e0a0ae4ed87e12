// tier: gate
import { expect, test } from 'bun:test'
import { changesOf, useLogins } from '#tests/support/browser/logins.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const logins = useLogins(dashboard, open)
const { posted } = logins

/** What a stolen server wants the dashboard to do to another one, or to itself. */
const CALLS = [
  '/api/servers/2/sites/4/db-password',
  '/api/servers/1/enrolment',
  '/api/keys/rotate',
  '/api/auth/logout-everywhere',
]
const FOREIGN = ['http://evil.example/phish', 'http://evil.example/.well-known/hosting-login']

test.each([...CALLS, ...FOREIGN])(
  'a server that answers with %s gets nothing posted, and the page says why',
  async (address) => {
    logins.url = new URL(address, dashboard.running().url).href
    const { page } = await logins.open()
    const changes = changesOf(page)

    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Log in to WordPress' }).click(),
    ])
    await page
      .getByText('The server returned the address of another site for the login')
      .first()
      .waitFor()

    expect({ isClosed: tab.isClosed(), changes, posted }).toEqual({
      isClosed: true,
      changes: [`POST /api/servers/1${logins.path}/wordpress-login`],
      posted: [],
    })
  },
)

test.each([...CALLS, 'javascript:alert(1)', 'data:text/html,x'])(
  'the new tab itself sends nothing to %s',
  async (address) => {
    const { page } = await logins.open()
    const answer = { url: new URL(address, dashboard.running().url).href, token: 'secret' }
    await page.route('**/wordpress-login', (route) =>
      route.fulfill({ json: { ...answer, user: 'anna', expires_at: '2030-01-01T00:00:00Z' } }),
    )
    const changes = changesOf(page)

    const [tab] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('button', { name: 'Log in to WordPress' }).click(),
    ])
    await tab.getByText('Nothing was sent there.').waitFor()

    expect({ changes, posted }).toEqual({
      changes: [`POST /api/servers/1${logins.path}/wordpress-login`],
      posted: [],
    })
  },
)

test('a form of our own page changes nothing', async () => {
  const { page } = await open('/')
  const statuses: unknown[] = []
  page.on('response', (answer) => {
    if (answer.request().method() === 'POST') statuses.push(answer.status())
  })

  for (const call of CALLS) {
    await page.goto('/')
    await page.evaluate((action) => {
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', action })
      document.body.append(form)
      form.submit()
    }, call)
    await page.waitForURL(`**${call}`)
  }

  expect(statuses).toEqual(CALLS.map(() => 403))
  expect((await dashboard.client().get('/api/auth/me')).status).toBe(200)
})

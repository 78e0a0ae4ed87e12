// tier: core
import { expect, test } from 'bun:test'
import { signIn, useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

test('opens the requested page after signing in', async () => {
  const { page, problems } = await open('/servers?status=online', { signedIn: false })
  await page.waitForURL('**/login?*')

  await signIn(page)

  await page.waitForURL('**/servers?status=online')
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
  expect(problems).toEqual([])
})

test('says why signing in failed', async () => {
  const { page } = await open('/login', { signedIn: false })

  await signIn(page, { email: 'nobody@example.com', password: 'wrong password' })

  expect(await page.getByRole('alert').textContent()).toBe('Invalid email or password')
})

test('shows the typed password on request', async () => {
  const { page, problems } = await open('/login', { signedIn: false })
  const password = page.getByLabel('Password', { exact: true })
  await password.fill('not so secret')
  expect(await password.getAttribute('type')).toBe('password')

  await page.getByRole('button', { name: 'Show what is typed' }).click()

  expect(await password.getAttribute('type')).toBe('text')
  expect(problems).toEqual([])
})

test('says that the session has ended during work', async () => {
  const { page } = await open('/', { signedIn: false })
  await signIn(page)
  await page.getByRole('link', { name: 'Servers' }).click()
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
  await page.context().clearCookies()

  await page.getByText('Your session has ended').waitFor()
  await signIn(page)
  await page.getByRole('heading', { level: 1, name: 'Servers' }).waitFor()
})

test('signs out, and asks for a login from then on', async () => {
  const { page } = await open('/', { signedIn: false })
  await signIn(page)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')

  await page.goto('/sites')

  await page.waitForURL('**/login?to=%2Fsites')
})

test.each([
  'http://evil.example/x',
  'https://evil.example/x',
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/.//evil.example',
  'javascript:document.title="evil"',
  'data:text/html,evil',
])('stays on the dashboard after signing in with %j in the address', async (to) => {
  const { page } = await open(`/login?${new URLSearchParams({ to })}`, { signedIn: false })
  const requested = new Set<string>()
  page.on('request', (request) => requested.add(new URL(request.url()).origin))

  await signIn(page)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()

  const { url } = dashboard.running()
  expect({ requested: [...requested], at: page.url() }).toEqual({
    requested: [url],
    at: `${url}/`,
  })
})

// tier: gate
import { expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

const heading = (name: string) => ({ level: 1, name })

test('an unknown address shows a page of the dashboard with a link to the overview', async () => {
  const { page, problems } = await open('/nowhere/at/all')
  await page.getByRole('heading', heading('Page not found')).waitFor()

  await page.getByRole('link', { name: 'Go to overview' }).click()

  await page.getByRole('heading', heading('Overview')).waitFor()
  for (const path of ['/operations/none', '/operations/bulk/none', '/sites/7', '/servers/7']) {
    await page.goto(path)
    await page.getByRole('heading', heading('Page not found')).waitFor()
  }
  expect(problems).toEqual([])
})

test('a page that cannot be loaded says so, and loads when the dashboard is back', async () => {
  const { page } = await open('/')
  await page.getByRole('heading', heading('Overview')).waitFor()
  await page.route('**/*', (route) => route.abort('connectionrefused'))

  await page.getByRole('link', { name: 'Activity' }).click()

  await page.getByRole('heading', heading('Dashboard unreachable')).waitFor()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('The dashboard does not answer').waitFor()
  await page.unroute('**/*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', heading('Activity')).waitFor()
})

test('a page stays when an invisible part of its frame cannot be loaded', async () => {
  const { page } = await open('/')
  await page.route(/\/assets\/(feed|password-prompt)-/, (route) => route.abort('connectionrefused'))
  const failed = ['/feed-', '/password-prompt-'].map((name) =>
    page.waitForEvent('requestfailed', (request) => request.url().includes(name)),
  )
  await page.reload()
  await page.getByRole('heading', heading('Overview')).waitFor()
  await Promise.all(failed)

  for (const name of ['Activity', 'Trash', 'Overview']) {
    await page.getByRole('link', { name, exact: true }).click()
    await page.getByRole('heading', heading(name)).waitFor()
  }
})

test('a slow page shows that it is loading', async () => {
  const { page, problems } = await open('/')
  await page.getByRole('heading', heading('Overview')).waitFor()
  const go = Promise.withResolvers<void>()
  await page.route('**/assets/**', async (route) => {
    await go.promise
    await route.continue()
  })

  await page.getByRole('link', { name: 'Trash' }).click()

  await page.getByText('Loading the page').waitFor({ state: 'attached' })
  await page.getByText('The dashboard has not answered yet').waitFor()
  go.resolve()
  await page.getByRole('heading', heading('Trash')).waitFor()
  await page.getByText('Loading the page').waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

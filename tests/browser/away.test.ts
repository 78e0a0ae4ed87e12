import { expect, test } from 'bun:test'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)

const heading = (name: string) => ({ level: 1, name })

test('an address that leads nowhere is a page of the dashboard, with a way home', async () => {
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

test('a page that cannot be loaded says so, and comes when the dashboard is back', async () => {
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

test('a page that takes long shows that it is on its way', async () => {
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

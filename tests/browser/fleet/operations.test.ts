// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const agent = new FakeAgent()
let go = Promise.withResolvers<void>()

beforeAll(async () => {
  const server = { name: 'web-1', hostname: '127.0.0.1', port: agent.port }
  await dashboard.client().post('/api/servers', server)
})
afterAll(() => agent.stop())

const TITLES = ['Creating the system user shop', 'Copying WordPress', 'Recording the site']

/** A creation that continues from its second step when the test lets it. */
async function create(domain: string, end: () => object = () => ({ domain })): Promise<string> {
  go = Promise.withResolvers()
  const { promise } = go
  agent.works.set('site.create', async function* () {
    yield { announces: TITLES }
    yield { begins: 'Creating the system user shop' }
    yield { begins: 'Copying WordPress' }
    await promise
    yield { begins: 'Recording the site' }
    return { ...end() }
  })
  const call = { domain, php: '8.2', tls: 'none' }
  const { headers } = await dashboard.client().post('/api/servers/1/sites', call)
  return headers.get('operation-id') ?? ''
}

test('an operation is shown live, also after a reload', async () => {
  const id = await create('live.example')
  const { page, problems } = await open(`/operations/${id}`)
  const running = page.locator('li[aria-current=step]')
  await running.getByText('Copying WordPress').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Create live.example' }).waitFor()

  await page.reload()
  await running.getByText('Copying WordPress').waitFor()
  expect(await page.getByRole('log').textContent()).toContain('Creating the system user shop')
  go.resolve()

  await page.getByText('success', { exact: true }).waitFor()
  const steps = await page
    .getByRole('list', { name: 'Steps' })
    .getByRole('listitem')
    .allTextContents()
  expect(steps).toEqual([
    'Creating the system user shop (done)',
    'Copying WordPress (done)',
    'Recording the site (done)',
  ])
  expect(problems).toEqual([])
})

test('every browser shows the same steps, those to come included', async () => {
  const id = await create('shared.example')
  const stepsOn = async ({ page }: Awaited<ReturnType<typeof open>>) => {
    await page.locator('li[aria-current=step]').getByText('Copying WordPress').waitFor()
    const list = page.getByRole('list', { name: 'Steps' })
    return list.getByRole('listitem').allTextContents()
  }
  const [mine, colleague] = [await open(`/operations/${id}`), await open(`/operations/${id}`)]

  const steps = [
    'Creating the system user shop (done)',
    'Copying WordPress (running)',
    'Recording the site (not started)',
  ]
  expect([await stepsOn(mine), await stepsOn(colleague)]).toEqual([steps, steps])
  expect(await colleague.page.evaluate(() => localStorage.getItem('plans'))).toBeNull()
  go.resolve()
  await colleague.page.getByText('success', { exact: true }).waitFor()
  expect([...mine.problems, ...colleague.problems]).toEqual([])
})

test('a failed operation says why, and is retried as a new operation', async () => {
  const id = await create('failed.example', () => {
    throw new Refused({ error: 'Internal error', message: 'The disk is full' })
  })
  go.resolve()
  const { page, problems } = await open(`/operations/${id}`)
  expect(await page.getByRole('alert').textContent()).toContain('The disk is full')
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Creating the system user shop'
    return { domain }
  })

  await page.getByRole('button', { name: 'Retry' }).click()

  await page.waitForURL((url) => !url.pathname.endsWith(id))
  await page.getByText('success', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'A retry' }).click()
  await page.waitForURL(`**/operations/${id}`)
  expect(problems).toEqual([])
})

test('a hidden tab closes its streams, and continues where it was', async () => {
  const id = await create('hidden.example')
  const { page, problems } = await open(`/operations/${id}`)
  await page.locator('li[aria-current=step]').getByText('Copying WordPress').waitFor()
  const isOurs = (url: string) => url.includes(`/operations/${id}/events`)

  const left = page.waitForEvent('requestfailed', (request) => isOurs(request.url()))
  await see(page, false)
  await left
  const back = page.waitForRequest((request) => isOurs(request.url()))
  await see(page, true)

  expect((await back).headers()['last-event-id']).toBe('2')
  go.resolve()
  await page.getByText('success', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

/** As a browser tells a page whether its tab is in front. */
async function see(page: Page, seen: boolean): Promise<void> {
  await page.evaluate((isSeen) => {
    Object.defineProperty(document, 'hidden', { value: !isSeen, configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  }, seen)
}

test('two tabs show the same operation at once, and the list counts it', async () => {
  const { page, problems } = await open('/operations')
  await page.getByText('No running operations').waitFor()
  const other = await page.context().newPage()
  await other.goto('/operations')
  await other.getByText('No running operations').waitFor()

  const id = await create('tabs.example')

  for (const tab of [page, other]) {
    const row = tab.getByRole('list', { name: 'Running' }).getByRole('listitem')
    await row.getByText('Copying WordPress').waitFor()
    await tab.getByRole('link', { name: '1 operation running' }).waitFor()
  }
  await other.goto(`/operations/${id}`)
  await other.getByText('Copying WordPress').first().waitFor()
  const isList = (url: URL) => url.pathname === '/api/operations'
  await page.route(isList, (route) => route.abort())
  go.resolve()
  await other.getByText('success', { exact: true }).waitFor()
  // Only the stream reports the end; the list is requested again.
  await page.getByText('No running operations').waitFor()
  await page.unroute(isList)
  await page
    .getByRole('list', { name: 'History' })
    .getByRole('link', { name: 'Create tabs.example' })
    .waitFor()
  expect(problems).toEqual([])
})

test('an operation waits for an offline agent, and continues when it is back', async () => {
  await agent.stop()
  const id = await create('away.example')
  const { page } = await open(`/operations/${id}`)
  await page.getByText('Waiting for the agent of web-1').waitFor()
  await page.getByText(/refused the connection/).waitFor()

  agent.listen()
  await page.locator('li[aria-current=step]').getByText('Copying WordPress').waitFor()
  go.resolve()

  await page.getByText('success', { exact: true }).waitFor()
})

test('an operation is cancelled, and shows its result', async () => {
  const id = await create('cancel.example')
  const { page, problems } = await open(`/operations/${id}`)
  await page.locator('li[aria-current=step]').getByText('Copying WordPress').waitFor()

  await page.getByRole('button', { name: 'Cancel' }).click()

  await page.getByText('Its changes were undone.').waitFor()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  expect(problems).toEqual([])
})

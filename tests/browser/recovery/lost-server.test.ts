// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { callerOf } from '#tests/support/browser/backups.ts'
import { addServer, foundSite } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { useBrowser } from '#tests/support/browser/pages.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { checkedTarget, confirmKit } from '#tests/support/dashboard/backups.ts'
import { copyingAgent } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { useDashboard } from '#tests/support/running.ts'

const dashboard = useDashboard()
const open = useBrowser(dashboard)
const [one, two] = [copyingAgent(), copyingAgent()]

beforeAll(async () => {
  for (const { agent } of [one, two]) agent.services = [{ name: 'php8.2', status: 'running' }]
  one.agent.sites = ['blog.example', 'new.example', 'shop.example'].map((name) => foundSite(name))
  await addServer(dashboard, one.agent, 'web-1')
  await addServer(dashboard, two.agent, 'web-2')
  const client = dashboard.client()
  const caller = callerOf(client)
  await confirmKit(caller)
  await checkedTarget(caller, 1)
  for (const id of [1, 3])
    await (await caller.send('POST', `/api/servers/1/sites/${id}/backups`, {})).text()
  two.agent.plan = {
    steps: [
      {
        ...{ name: 'user', title: 'Creating the system user' },
        effects: [{ action: 'create', kind: 'user', name: 'shop' }],
      },
    ],
  }
  await one.agent.stop()
  await until(async () => {
    const { body } = await client.get('/api/fleet/servers/1')
    return Object(body).server.status === 'offline'
  })
}, 120_000)
afterAll(() => two.agent.stop())

test('the page of a lost server leads to its sites on another one', async () => {
  const { page, problems } = await open('/servers/1')
  await page.getByRole('link', { name: 'This server is lost' }).click()
  await page.getByRole('heading', { name: 'Is web-1 lost?' }).waitFor()
  await page.getByText('Lost with the server: it has no backup.').waitFor()
  await page.getByRole('combobox', { name: 'Restore all sites on' }).waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  await page.getByRole('button', { name: 'Review plan' }).click()
  await page.getByText('Plan: 1 step, 1 change').first().waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  if (Bun.env.SHOT) await page.screenshot({ path: `${Bun.env.SHOT}/lost.png`, fullPage: true })

  await page.getByRole('button', { name: 'Restore 2 sites' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type web-1 to confirm').fill('web-1')
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
  await page.keyboard.press('Enter')

  await page.getByText('2 of 2').or(page.getByText('success')).first().waitFor()
  await page.goBack()
  await page.getByText('Declared lost').waitFor()
  await page.getByRole('table').getByText('www.shop.example').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

test('without another server that is online it says what is missing', async () => {
  const { page, problems } = await open('/servers/2/lost')
  await page.getByText('web-2 answers').waitFor()
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { useFleet } from '#tests/support/browser/fleet.ts'
import { USUAL } from '#tests/support/fake-agent.ts'
import { Refused } from '#tests/support/fake-operation.ts'

const { agent, dashboard, open } = useFleet()

beforeAll(async () => {
  agent.plan = { steps: [{ name: 'trash', title: 'Moving the files to the trash', effects: [] }] }
})

/** A site that the dashboard has made; its address in the browser. */
async function made(domain: string): Promise<string> {
  agent.works.set('site.create', USUAL['site.create'])
  const call = { domain, php: '8.2', tls: 'none' }
  const { headers, body } = await dashboard.client().post('/api/servers/1/sites', call)
  await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
  return `/sites/${Object(Object(body).site).id}`
}

const startDeletion = async (page: Page) => {
  await page.getByRole('button', { name: /^More actions of/ }).click()
  await page.getByRole('menuitem', { name: 'Delete site' }).click()
}
const SIZES = [
  [1440, 900],
  [390, 844],
] as const

test('a site moves to the trash without typing its domain, and is restored from its page', async () => {
  const { page, problems } = await open(await made('gone.example'))
  await startDeletion(page)
  await page.getByText('Plan: 1 step, 0 changes').click()
  await page.getByText('Moving the files to the trash').waitFor()
  expect(await page.getByRole('dialog').getByRole('textbox').count()).toBe(0)
  await page.getByRole('button', { name: 'Move to trash' }).click()

  await page.getByText('Moved to trash').waitFor()
  await page.getByRole('button', { name: 'Restore' }).click()

  await page.getByText('trashed', { exact: true }).waitFor({ state: 'detached' })
  await page.getByText('active', { exact: true }).waitFor()
  expect(problems).toEqual([])
})

test('a move to the trash is undone from its message', async () => {
  const { page, problems } = await open(await made('undone.example'))
  await startDeletion(page)
  await page.getByRole('button', { name: 'Move to trash' }).click()
  await page.getByText('Moved to trash').waitFor()
  const message = page.getByRole('status').filter({ hasText: 'Moving undone.example to the trash' })
  await message.getByRole('button', { name: 'Undo' }).click()

  await page.getByText('active', { exact: true }).waitFor()
  await message.waitFor({ state: 'detached' })
  expect(problems).toEqual([])
})

test('the deletion of a failed site promises no trash, and its page says that it is deleted', async () => {
  agent.works.set('site.create', async function* () {
    yield { begins: 'Copying WordPress' }
    throw new Refused({ error: 'Internal error', message: 'The disk is full' })
  })
  const usual = agent.works.get('site.delete')
  if (!usual) throw new Error('The agent deletes nothing')
  agent.works.set('site.delete', async function* () {
    yield 'Looking for the site'
    throw new Refused({ error: 'Not found', message: 'Site not found' })
  })
  agent.plan = { steps: [] }
  const call = { domain: 'never.example', php: '8.2', tls: 'none' }
  const { body } = await dashboard.client().post('/api/servers/1/sites', call)
  const { page, problems } = await open(`/sites/${Object(Object(body).site).id}`)

  await startDeletion(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('It does not go to the trash').waitFor()
  await dialog.getByLabel('Type never.example to confirm').fill('never.example')
  await dialog.getByRole('button', { name: 'Remove site' }).click()

  await page.getByRole('heading', { level: 1, name: 'never.example is deleted' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'never.example is deleted' }).waitFor()
  await page.getByRole('link', { name: 'Go to sites' }).click()
  await page.waitForURL('**/sites')
  agent.works.set('site.delete', usual)
  expect(problems).toEqual([])
})

test('a dialog with a long plan keeps its buttons visible, and requests the plan once', async () => {
  const effects = Array.from({ length: 9 }, (_, at) => ({
    action: 'remove' as const,
    kind: 'file',
    name: `/srv/www/long/${at}`,
  }))
  agent.plan = {
    steps: Array.from({ length: 9 }, (_, at) => ({
      name: `step-${at}`,
      title: `Removing part ${at}`,
      effects,
    })),
  }
  const { page, problems } = await open(await made('long.example'))
  const plans: number[] = []
  page.on('response', (response) => {
    const body = response.request().postDataJSON()
    if (body?.dry_run) plans.push(response.status())
  })
  const dialog = page.getByRole('dialog')
  const cancel = dialog.getByRole('button', { name: 'Cancel' })
  const act = dialog.getByRole('button', { name: 'Move to trash' })

  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    await startDeletion(page)
    await dialog.getByText('Plan: 9 steps, 81 changes').waitFor()
    expect(await cancel.evaluate((button) => button === document.activeElement)).toBe(true)
    await dialog.getByText('Plan: 9 steps, 81 changes').click()
    await dialog.getByText('Removing part 8').waitFor()
    for (const part of [cancel, act]) {
      const box = await part.boundingBox()
      expect(box && box.y + box.height).toBeLessThan(height)
    }
    await cancel.click()
    await dialog.waitFor({ state: 'detached' })
    await page.locator('button:focus[aria-label^="More actions of"]').waitFor()
  }
  await startDeletion(page)
  await act.click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('Moved to trash').waitFor()
  expect(plans).toEqual([200, 200, 200])
  expect(problems).toEqual([])
})

// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { foundSite, useFleet } from '#tests/support/browser/fleet.ts'

const { agent, dashboard, open } = useFleet()

agent.sites = ['back.example', 'purged.example'].map((domain) => foundSite(domain))
beforeAll(async () => {
  for (const id of [1, 2]) {
    const { headers } = await dashboard
      .client()
      .send({ method: 'DELETE', path: `/api/servers/1/sites/${id}` })
    await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
  }
})

test('the trash lists its sites, restores them or deletes them permanently', async () => {
  const { page, problems } = await open('/trash')
  const row = (domain: string) => page.getByRole('row', { name: domain })
  await page.getByText('2 sites, 8.2 kB on their servers').waitFor()
  const cells = await row('back.example').getByRole('cell').allTextContents()
  expect(cells.slice(1, 5)).toEqual(['web-1', expect.any(String), 'in 13 days', '4.1 kB'])

  await page.getByRole('button', { name: 'Restore back.example' }).click()
  await row('back.example').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete purged.example permanently' }).click()
  const act = page.getByRole('button', { name: 'Delete permanently' })
  expect(await act.isDisabled()).toBe(true)
  await page.getByLabel('Type purged.example to confirm').fill('purged.example')
  await act.click()

  await page.getByText('The trash is empty').waitFor()
  const { body } = await dashboard.client().get('/api/fleet/sites')
  expect(Object(body).sites.map(({ domain }: { domain: string }) => domain)).toEqual([
    'back.example',
  ])
  expect(problems).toEqual([])
})

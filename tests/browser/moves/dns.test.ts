// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { callerOf, useMoves } from '#tests/support/browser/backups.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'
import { settled } from '#tests/support/browser/settled.ts'
import { startCloudflare } from '#tests/support/cloudflare/server.ts'

const { dashboard, open } = useMoves()
const token = 'a-token-of-forty-characters-a-token-of-f'
const cloudflare = startCloudflare({ token, zones: ['shop.example'] })
const post = (path: string, body: object) => dashboard.client().post(path, body)
const left = () => cloudflare.records.map(({ type, name, content }) => `${type} ${name} ${content}`)

beforeAll(async () => {
  await post('/api/dns-accounts', { name: 'Shops', token, api: cloudflare.api })
  await post('/api/servers/1/sites/1/domains/records', { name: 'shop.example' })
  for (const record of cloudflare.records) record.content = '192.0.2.99'
})
afterAll(() => cloudflare.stop())

test('after a move, the records of all names are pointed to the new server from its notice', async () => {
  await (
    await callerOf(dashboard.client()).send('POST', '/api/servers/1/sites/1/move', { server_id: 2 })
  ).text()
  const { page, problems } = await open('/sites/1')
  await page.getByRole('button', { name: 'Point DNS here' }).click()
  const dialog = page.getByRole('dialog')
  const lines = dialog.getByRole('list', { name: 'DNS records' }).getByRole('listitem')
  await lines.first().waitFor()
  expect(await lines.allTextContents()).toEqual([
    'Create A shop.example → 127.0.0.1 in Shops, replaces A 192.0.2.99',
    'Create A www.shop.example → 127.0.0.1 in Shops',
  ])
  await settled(page)
  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)

  const opened = Promise.withResolvers<void>()
  await page.route('**/dns-plan', async (route) => {
    await opened.promise
    await route.continue()
  })
  await dialog.getByRole('button', { name: 'Change DNS records' }).click()
  await dialog.waitFor({ state: 'detached' })
  opened.resolve()

  expect(left().sort()).toEqual(['A shop.example 127.0.0.1', 'A www.shop.example 127.0.0.1'])
  await page.getByRole('button', { name: 'Point DNS here' }).click()
  await dialog.getByText('All names already point to this server.').waitFor()
  expect(problems).toEqual([])
})

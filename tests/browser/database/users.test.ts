// tier: gate
import { beforeEach, expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const domain = 'shop.example'
const user = 'hosting_tmp_a1b2c3d4e5_1767229200'
const ends_at = new Date(Date.now() + 3_600_000).toISOString()
const table = (name: string) => ({
  ...{ name, engine: 'InnoDB', rows: 1, data_bytes: 1, index_bytes: 1, free_bytes: 0 },
})
let users: object[] = []
let asked: Record<string, unknown>[] = []
const path = '/sites/1?tab=database'

agent.plan = { steps: [{ name: 'tables', title: 'Checking 2 tables', effects: [] }] }
agent.works.set('database.user', async function* (params) {
  asked.push(params)
  users = [{ user, rights: params.rights, ends_at }]
  yield 'Creating a temporary user'
  return { domain, user, database: 'shop', ends_at }
})
agent.works.set('database.user-end', async function* (params) {
  asked.push(params)
  users = []
  yield 'Ending a temporary user'
  return params
})
agent.works.set('database.maintain', async function* (params) {
  asked.push(params)
  yield 'wp_posts: OK'
  return { ...params, tables: [] }
})
agent.answers.set('/sites/database-users', () => Response.json({ users }))
agent.answers.set('/sites/database', () =>
  Response.json({
    ...{ tables: [table('wp_posts'), table('wp_users')], table_count: 2, data_bytes: 2 },
    ...{ index_bytes: 2, free_bytes: 0, options: [], queries: null },
  }),
)
beforeEach(() => {
  users = []
  asked = []
})

test('a temporary user is shown once with its tunnel, and ends on request', async () => {
  const { page, problems } = await open(path)

  await page.getByText('No temporary users').waitFor()
  await page.getByRole('button', { name: 'Create temporary user' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Rights').selectOption('write')
  await dialog.getByLabel('Ends after').selectOption('15')
  expect(await inspect(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Create user' }).click()
  await dialog.waitFor({ state: 'detached' })
  const shown = page.getByRole('region', { name: 'How to connect' })
  await shown.getByText('ssh -N -L 3307:/run/mysqld/mysqld.sock').waitFor()
  const password = (await shown.locator('code').allTextContents()).find((text) =>
    /^[\w-]{32}$/.test(text),
  )
  expect(password).toBeDefined()
  expect(await inspect(page)).toEqual(CLEAN)
  await page.reload()
  await page.getByRole('button', { name: `End now: ${user}` }).waitFor()
  expect(await page.content()).not.toContain(password)
  await page.getByRole('button', { name: `End now: ${user}` }).click()
  await page.getByText('No temporary users').waitFor()

  expect(asked).toMatchObject([
    { domain, rights: 'write', minutes: 15 },
    { domain, user },
  ])
  expect(JSON.stringify(asked)).not.toContain(password)
  expect(problems).toEqual([])
})

test('all tables are checked, or chosen ones', async () => {
  const { page, problems } = await open(path)

  await page.getByRole('button', { name: 'Maintain tables' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('All tables').click()
  const check = dialog.getByRole('button', { name: 'Check tables' })
  expect(await check.isDisabled()).toBe(true)
  await dialog.getByLabel('wp_users').click()
  await dialog.getByLabel('Action').selectOption('optimise')
  expect(await inspect(page)).toEqual(CLEAN)
  await dialog.getByRole('button', { name: 'Optimise tables' }).click()
  await page.getByText('wp_posts: OK').waitFor()

  expect(asked).toEqual([{ domain, action: 'optimise', tables: ['wp_users'] }])
  expect(problems).toEqual([])
})

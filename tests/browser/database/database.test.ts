// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const tableOf = (name: string, engine: string | null = 'InnoDB') => ({
  ...{ name, engine, rows: 1204, data_bytes: 2_000_000, index_bytes: 16_384, free_bytes: 4096 },
})
const tables = [tableOf('wp_<b>posts'), tableOf('wp_broken', null)]
const many = Array.from({ length: 12 }, (_, at) => tableOf(`wp_${at}`))
const sums = { data_bytes: 4_000_000, index_bytes: 32_768, free_bytes: 8192 }
const options = {
  ...{ table: 'wp_options', count: 312, bytes: 900_000, expired: 41, expired_bytes: 90_000 },
  largest: [{ name: 'rewrite_rules', bytes: 48_000 }],
  unused: [{ plugin: 'Wordfence', count: 12, bytes: 61_000 }],
}
const query = {
  ...{ text: 'SELECT ? FROM `wp_posts`', count: 3, total_ms: 4000, longest_ms: 2000 },
  ...{ rows_examined: 9, rows_sent: 3, without_index: 2, last_at: new Date().toISOString() },
}
const path = '/sites/1?tab=database'

const answer = (more: object) =>
  agent.answers.set('/sites/database', () =>
    Response.json({ ...sums, tables, table_count: 2, options: [], queries: null, ...more }),
  )

test('the tables of a site are listed by size, and a broken one is marked', async () => {
  answer({ options: [options], queries: [query] })
  const { page, problems } = await open(path)

  await page.getByText('4 MB in 2 tables').waitFor()
  await page.getByRole('cell', { name: 'wp_<b>posts' }).waitFor()
  await page.getByText('cannot be opened').waitFor()
  await page.getByText('The autoloaded options are large').waitFor()
  await page.getByRole('cell', { name: 'rewrite_rules' }).waitFor()
  await page.getByRole('cell', { name: 'Wordfence, which is not active' }).waitFor()
  await page.getByRole('cell', { name: 'SELECT ? FROM `wp_posts`' }).waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  expect(problems).toEqual([])
})

test('a database without tables, and a server that collects no statements, say so', async () => {
  answer({ tables: [], table_count: 0 })
  const { page, problems } = await open(path)

  await page.getByText('No tables').waitFor()
  await page.getByText('its performance schema is off').waitFor()
  expect(await page.getByText('Autoloaded options').count()).toBe(0)
  expect(await inspect(page)).toEqual(CLEAN)

  expect(problems).toEqual([])
})

test('a long list shows the largest tables first, and all of them on request', async () => {
  answer({ tables: many, table_count: 12, options: null })
  const { page, problems } = await open(path)

  await page.getByText('The options of WordPress could not be read').waitFor()
  expect(await page.getByRole('cell', { name: 'wp_11' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Show 12 tables' }).click()
  await page.getByRole('cell', { name: 'wp_11' }).waitFor()

  expect(problems).toEqual([])
})

test('a database that cannot be read says why, and is read again on request', async () => {
  const message = 'The database of shop.example could not be read (error 1226 of MariaDB)'
  agent.answers.set('/sites/database', () =>
    Response.json({ error: 'Conflict', message }, { status: 409 }),
  )
  const { page } = await open(path)

  await page.getByText(message).waitFor()
  answer({})
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('cell', { name: 'wp_broken' }).waitFor()
})

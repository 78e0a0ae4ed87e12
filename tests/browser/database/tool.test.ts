// tier: gate
import { beforeEach, expect, test } from 'bun:test'
import type { ToolRequest } from '#shared/database/database-tool.ts'
import { useShop } from '#tests/support/browser/fleet.ts'
import { FLAWLESS, inspect } from '#tests/support/browser/inspect.ts'

const { agent, open } = useShop()
const domain = 'shop.example'
let asked: ToolRequest[] = []
const path = '/sites/1?tab=database'

/** As Adminer writes it, with a row stored by an attacker. */
const PAGE = `<!DOCTYPE html><html lang="en"><title>Adminer</title>
<link rel="stylesheet" href="?file=default.css&amp;version=5">
<h1>Tables</h1><p id="origin"><a href="?db=shop&amp;select=wp_posts">wp_posts</a>
<script>document.title = 'script ran'</script><img src="x" onerror="document.title = 'handler ran'">
<iframe src="/sites"></iframe><a id="out" href="javascript:document.title='link ran'">link</a>
<form action="" method="post"><input name="value" value="first"><button>Save</button></form>
<form action="/api/auth/logout" method="post"><button>Log out</button></form>
<form action="https://evil.example/" method="post"><button>Send away</button></form>`

agent.works.set('database.tool', async function* (params) {
  yield 'Creating a temporary user'
  const ends = Math.floor(Date.now() / 1000) + 3600
  const user = `hosting_tmp_${params.token}_${ends}`
  return { domain, user, database: 'shop', ends_at: new Date(ends * 1000).toISOString() }
})
agent.answers.set('/sites/database-users', () => Response.json({ users: [] }))
agent.answers.set('/sites/database-tool', async (request) => {
  const call = (await request.json()) as ToolRequest
  asked.push(call)
  const html = { status: 200, type: 'text/html; charset=utf-8' }
  const saved = { status: 302, type: 'text/html', location: '?db=shop&saved=1' }
  return new Response(
    call.method === 'POST' ? `${JSON.stringify(saved)}\n` : `${JSON.stringify(html)}\n${PAGE}`,
  )
})
agent.answers.set(
  '/sites/database-tool-file',
  () => new Response(`${JSON.stringify({ status: 200, type: 'text/css' })}\nh1{color:rgb(1,2,3)}`),
)
beforeEach(() => {
  asked = []
})

async function opened() {
  const { page, problems } = await open(path)
  await page.getByRole('button', { name: 'Open Adminer' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Rights').selectOption('write')
  const [tab] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Open Adminer' }).click(),
  ])
  await tab.getByRole('heading', { name: 'Tables' }).waitFor()
  await dialog.waitFor({ state: 'detached' })
  return { page, problems, tab }
}

test('its dialog is accessible, and fits a phone', async () => {
  const { page, problems } = await open(path)
  await page.getByRole('button', { name: 'Open Adminer' }).click()
  await page.getByRole('dialog').getByLabel('Rights').waitFor()

  expect({ ...(await inspect(page)), problems }).toEqual(FLAWLESS)
})

test('Adminer opens in a new tab, with its links, forms, redirects and styles', async () => {
  const { tab, problems } = await opened()

  const color = () => tab.locator('h1').evaluate((element) => getComputedStyle(element).color)
  await tab.waitForFunction(() => document.styleSheets.length > 0)
  expect(await color()).toBe('rgb(1, 2, 3)')
  await tab.getByRole('link', { name: 'wp_posts' }).click()
  await tab.waitForURL(/select=wp_posts/)
  await tab.getByRole('textbox').fill('second')
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.waitForURL(/saved=1$/)
  await tab.getByRole('heading', { name: 'Tables' }).waitFor()

  const queries = asked.map(({ method, query }) => `${method} ${query}`)
  const query = 'db=shop&select=wp_posts'
  expect(queries).toEqual(['GET ', `GET ${query}`, `POST ${query}`, 'GET db=shop&saved=1'])
  expect(asked.map(({ body }) => atob(body))).toEqual(['', '', 'value=second', ''])
  expect(new Set(asked.map(({ password }) => password)).size).toBe(1)
  expect(problems).toEqual([])
})

test('a hostile row runs no script, and reaches neither the API nor another site', async () => {
  const { tab, page } = await opened()
  const requests: string[] = []
  tab.on('request', (request) => requests.push(request.url()))
  const url = tab.url()

  expect(await tab.evaluate(() => self.origin)).toBe('null')
  await tab.locator('#out').click()
  expect(await tab.title()).toBe('Adminer')
  const refused = tab.waitForEvent('console', (message) => message.text().includes('form-action'))
  // The browser reports no end of a navigation that it refuses.
  await tab.getByRole('button', { name: 'Send away' }).click({ noWaitAfter: true })
  await refused
  expect(tab.url()).toBe(url)
  await tab.goto(url)
  await tab.getByRole('button', { name: 'Log out' }).click()
  await tab.waitForURL(/logout$/)
  await page.reload()
  await page.getByRole('button', { name: 'Open Adminer' }).waitFor()

  const { origin } = new URL(url)
  expect(requests.filter((one) => !one.startsWith(origin))).toEqual([])
})

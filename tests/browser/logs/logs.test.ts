// tier: gate
import { beforeAll, expect, test } from 'bun:test'
import { encodeEvent, PING } from '#shared/kernel/sse.ts'
import { addSite, useFleet } from '#tests/support/browser/fleet.ts'

const { agent, dashboard, open } = useFleet()
const AT = new Date(Date.now() - 60_000).toISOString()
const looked = { bytes: 2_000_000, files: 2, unread: 0, oldest_at: AT }
const line = (text: string, level = 'info', status: number | null = 200) => ({
  ...{ at: AT, level, status, text, cut: false },
})
const NEXT = 'aaaaaaaaaaaaaaaa.7'
const none = { groups: [], is_complete: true, looked }
let path: string

/** What the page asks for, and what the agent answers. */
const searches: Record<string, unknown>[] = []
function answers(page: (asked: Record<string, unknown>) => object): void {
  searches.length = 0
  agent.answers.set('/sites/logs/search', async (request) => {
    const asked = Object(await request.json())
    searches.push(asked)
    return Response.json(page(asked))
  })
}

beforeAll(async () => {
  const call = { domain: 'logs.example', php: '8.2', tls: 'none' }
  path = `/sites/${await addSite(dashboard, '/api/servers/1/sites', call)}?tab=logs`
  const logs = [{ source: 'access', files: 2, bytes: 52_000_000, changed_at: AT }]
  agent.answers.set('/sites/logs/list', () => Response.json({ logs, debug_until: null }))
  agent.answers.set('/sites/logs/fatals', () => Response.json(none))
})

test('lines are shown newest first, filtered, and page by page', async () => {
  answers(({ before }) =>
    before
      ? { lines: [line('GET /old', 'warning', 404)], next: null, looked }
      : { lines: [line('GET /<b>new</b>'), line('broken', 'error', 500)], next: NEXT, looked },
  )
  const { page, problems } = await open(path)
  const log = page.getByRole('log', { name: 'Requests' })
  await log.getByText('GET /<b>new</b>').waitFor()
  await page.getByText('2 lines in 2 MB').waitFor()
  const sources = page.getByRole('combobox', { name: 'Log', exact: true })
  await sources.getByText('Requests (52 MB)').waitFor({ state: 'attached' })

  await page.getByRole('button', { name: 'Show older lines' }).click()
  await log.getByText('GET /old').waitFor()
  expect(await page.getByRole('button', { name: 'Show older lines' }).count()).toBe(0)
  await page.getByRole('combobox', { name: 'All levels' }).selectOption('error')
  await page.getByRole('searchbox', { name: 'Search in the log' }).fill('check')
  while (searches.at(-1)?.text !== 'check') await page.waitForTimeout(50)
  await page.getByRole('combobox', { name: 'Log', exact: true }).selectOption('php')
  await page.getByRole('log', { name: 'PHP errors' }).waitFor()

  expect(searches.some(({ before }) => before === NEXT)).toBe(true)
  expect(searches.at(-1)).toMatchObject({
    ...{ source: 'php', level: 'error', text: 'check', domain: 'logs.example', limit: 200 },
    since: expect.stringMatching(/^\d{4}-/),
  })
  expect(problems).toEqual([])
})

test('an empty log says why, and one that was not read to its end can be searched further', async () => {
  answers(({ before }) => ({ lines: [], next: before ? null : NEXT, looked }))
  const { page, problems } = await open(path)
  await page.getByRole('button', { name: 'Search older lines' }).click()
  await page.getByText('There were no requests in this period.').waitFor()
  await page.getByRole('combobox', { name: 'Log', exact: true }).selectOption('wordpress')
  await page.getByRole('button', { name: 'Search older lines' }).click()
  await page.getByText('only while its debug log is on').waitFor()

  expect(problems).toEqual([])
})

test('new lines are shown as they are written, and a pause keeps them', async () => {
  answers(() => ({ lines: [], next: null, looked }))
  let send: (data: Record<string, unknown>) => void = () => undefined
  agent.answers.set('/sites/logs/tail', () => {
    let id = 0
    const body = new ReadableStream({
      start(controller) {
        const write = (text: string) => controller.enqueue(new TextEncoder().encode(text))
        write(PING)
        send = (data) => write(encodeEvent({ id: ++id, event: 'log', data }))
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  })
  const { page, problems } = await open(path)
  await page.getByRole('button', { name: 'Live', exact: true }).click()
  await page.getByRole('status').getByText('live', { exact: true }).waitFor()

  send({ kind: 'line', line: line('first') })
  send({ kind: 'left_out', lines: 9800 })
  const log = page.getByRole('log', { name: 'Live: Requests' })
  await log.getByText('first').waitFor()
  await log.getByText(/9.?800 more lines are left out/).waitFor()
  await page.getByRole('button', { name: 'Pause live view' }).click()
  send({ kind: 'line', line: line('second') })
  await page.waitForTimeout(600)
  expect(await log.getByText('second').count()).toBe(0)
  await page.getByRole('button', { name: 'Continue live view' }).click()
  await log.getByText('second').waitFor()

  expect(problems).toEqual([])
})

test('fatal errors are counted by plugin, and the log is downloaded with its filters', async () => {
  answers(() => ({ lines: [], next: null, looked }))
  const text = 'PHP Fatal error:  no such function in slider.php'
  const group = { kind: 'plugin', slug: 'slider', count: 12, first_at: AT, last_at: AT, text }
  agent.answers.set('/sites/logs/fatals', () => Response.json({ ...none, groups: [group] }))
  agent.answers.set('/sites/logs/download', () => new Response('a line\n'))
  const { page, problems } = await open(path)
  const item = page.getByRole('list', { name: 'Fatal errors' }).getByRole('listitem')
  await item.getByText('slider').first().waitFor()
  expect(await item.textContent()).toContain('slider plugin12')
  await item.getByText('Show last error').click()
  await item.getByText(text).waitFor()

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download log' }).click()
  expect((await downloading).suggestedFilename()).toBe('logs.example-access.log')
  agent.answers.set('/sites/logs/fatals', () => Response.json(none))
  await page.getByRole('button', { name: 'Refresh errors' }).click()
  await page.getByText('PHP has reported no fatal error in the last 7 days.').waitFor()
  expect(problems).toEqual([])
})

test('the debug log is switched on for a time, which is shown', async () => {
  answers(() => ({ lines: [], next: null, looked }))
  let debug_until: string | null = null
  agent.answers.set('/sites/logs/list', () => Response.json({ logs: [], debug_until }))
  agent.works.set('wp.debug', async function* ({ domain, until }) {
    debug_until = until === null ? null : `${until}`
    yield 'Applying the PHP pool'
    return { domain, until }
  })
  const { page, problems } = await open(path)
  await page.getByRole('button', { name: 'Switch debug log on' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'For' }).selectOption('8')
  await dialog.getByRole('button', { name: 'Switch debug log on' }).click()
  await page.getByText('On for another 8 hours').waitFor()
  expect(Math.round((Date.parse(`${debug_until}`) - Date.now()) / 60_000)).toBe(480)

  await page.getByRole('button', { name: 'Switch debug log off' }).click()
  await dialog.getByRole('button', { name: 'Switch debug log off' }).click()
  await page.getByRole('button', { name: 'Switch debug log on' }).waitFor()
  expect(debug_until).toBeNull()
  expect(problems).toEqual([])
})

import { expect, test } from 'bun:test'
import { addSite, home } from '#tests/support/dashboard/backup-fleet.ts'
import { withTool } from '#tests/support/dashboard/tool.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const PATH = '/sites/database-tool'
const TOO_MANY = 'Adminer has too many requests on this server: try again'
const PAGE = '{"status":200,"type":"text/html"}\nhello'

/** An agent that does not answer until `release`, or until its caller has disconnected. */
async function hung() {
  const all = await withTool()
  const { url, cookie } = await all.open()
  const gate = Promise.withResolvers<void>()
  const seen = { asked: 0, left: 0 }
  all.agent.answers.set(PATH, async (request) => {
    seen.asked += 1
    request.signal.addEventListener('abort', () => {
      seen.left += 1
    })
    await gate.promise
    return new Response(PAGE)
  })
  const until = async (name: keyof typeof seen, count: number) => {
    while (seen[name] < count) await Bun.sleep(2)
  }
  return { ...all, url, cookie, release: gate.resolve, until }
}

test('a server that hangs holds eight requests to Adminer, and those of no other server', async () => {
  await using all = await hung()
  const { url, cookie } = all
  await using stack = new AsyncDisposableStack()
  const second = new FakeAgent()
  stack.defer(() => second.stop())
  const server_id = await home(all.dashboard, second)
  const site_id = await addSite(all.dashboard, server_id, { domain: 'other.example' })
  const work = all.agent.works.get('database.tool')
  if (work) second.works.set('database.tool', work)
  second.answers.set(PATH, () => new Response(PAGE))
  const other = await all.open(`/api/servers/${server_id}/sites/${site_id}/database/tool`)

  const waiting = Array.from({ length: 8 }, () => all.visit(url, cookie))
  await all.until('asked', 8)
  const refused = await all.visit(url, cookie)
  const file = await all.visit(`${url}?file=default.css`)

  expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining(TOO_MANY)])
  expect(file.status).toBe(429)
  expect((await all.visit(other.url, other.cookie)).status).toBe(200)
  all.release()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(8).fill(200))
  expect((await all.visit(url, cookie)).status).toBe(200)
})

test('a browser that leaves ends its request at the server', async () => {
  await using all = await hung()
  const { url, cookie } = all
  const browser = new AbortController()

  const waiting = Array.from({ length: 8 }, () =>
    all.visit(url, cookie, { signal: browser.signal }),
  )
  await all.until('asked', 8)
  browser.abort()
  await all.until('left', 8)

  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(8).fill(503))
  all.release()
  expect((await all.visit(url, cookie)).status).toBe(200)
})

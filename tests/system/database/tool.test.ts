// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { passwordOf } from '#dashboard/features/database/tool-passes.ts'
import { untilIs } from '#tests/support/demo.ts'
import * as lab from '#tests/support/lab/index.ts'
import { suites } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import { addAdminerSource } from '#tests/support/system/adminer-source.ts'
import {
  type SiteDatabaseWorld,
  startSiteDatabase,
} from '#tests/support/system/site-database-world.ts'
import { MINUTES } from '#tests/support/system/world.ts'
import { releases } from '#tests/support/turns.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A session of Adminer, as the browser that opened it sees it. */
async function openTool(world: SiteDatabaseWorld, rights: 'read' | 'write') {
  const opened = await world.call('POST', '/database/tool', { rights })
  if (opened.status !== 200) throw new Error(JSON.stringify(opened.body))
  const { url, user } = opened.body as { url: string; user: string }
  const lines = opened.headers.getSetCookie().filter((line) => line.startsWith('adminer='))
  const cookie = lines[0]?.split(';')[0] ?? ''
  const visit = async (query: string, init: RequestInit = {}) => {
    const headers = { cookie, ...init.headers }
    const options = { redirect: 'manual', ...init, headers } as const
    const response = await world.dashboard.visit(`${url}${query}`, options)
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  return {
    ...{ url, user, cookie, visit },
    /** Sends a form of Adminer with the token of its page. */
    async submit(query: string, fields: Record<string, string>) {
      const { text } = await visit(query)
      const token = /name=['"]token['"] value=['"]([\d:]+)['"]/.exec(text)?.[1] ?? ''
      const body = String(new URLSearchParams({ ...fields, token }))
      return visit(query, { method: 'POST', body, headers: FORM })
    },
  }
}

/** Changes a row with the form for it: what the database then has. */
async function saveRow(
  world: SiteDatabaseWorld,
  tool: Awaited<ReturnType<typeof openTool>>,
  label: string,
): Promise<string[]> {
  const fields = { 'fields[id]': '1', 'fields[label]': label, insert: '', save: '1' }
  await tool.submit('?edit=prices&where%5Bid%5D=1', fields)
  return world.root(`SELECT label FROM \`${world.shop.user}\`.prices`)
}

/** One table for each site. */
async function addTables({ root, shop, other }: SiteDatabaseWorld): Promise<void> {
  const prices = `\`${shop.user}\`.prices`
  await root(`CREATE TABLE ${prices} (id INT PRIMARY KEY, label VARCHAR(50))`)
  await root(`INSERT INTO ${prices} VALUES (1, 'first')`)
  await root(`CREATE TABLE \`${other.user}\`.neighbours (secret VARCHAR(50))`)
  await root(`INSERT INTO \`${other.user}\`.neighbours VALUES ('seacret-4712')`)
}

const DUMP = {
  ...{ output: 'file', format: 'sql', db_style: '', table_style: 'DROP+CREATE' },
  ...{ data_style: 'INSERT', 'tables[]': 'prices', 'data[]': 'prices' },
}

for (const suite of releases('site-database.tool')) {
  unless(lab.available()).describe(`Adminer on ${suite}`, () => {
    let world: SiteDatabaseWorld

    beforeAll(async () => {
      world = await startSiteDatabase(suite, suites[suite].php)
      await addAdminerSource(world.host, suite)
      await addTables(world)
    }, 10 * MINUTES)
    afterAll(() => world?.stop(), 5 * MINUTES)

    test('shows and changes the tables of one site only', async () => {
      const tool = await openTool(world, 'write')
      const front = await tool.visit('')
      const style = await world.dashboard.visit(`${tool.url}?file=default.css`, {})

      expect([front.status, style.status]).toEqual([200, 200])
      expect(front.text).toContain('prices')
      expect(front.text).not.toContain('neighbours')
      expect(front.text).not.toContain(tool.cookie.split('=')[1] ?? '')
      expect((await style.text()).length).toBeGreaterThan(3000)
      expect(await saveRow(world, tool, 'second')).toEqual(['second'])

      const { user } = world.other
      const query = `SELECT * FROM \`${user}\`.neighbours`
      const others = await Promise.all([
        tool.visit(`?db=${user}&select=neighbours`),
        tool.visit('?server=other.example&username=root&db=mysql'),
        tool.visit('?sqlite=/etc/passwd&username=&db=/etc/passwd'),
        tool.submit('?sql=', { query, limit: '' }),
      ])
      const texts = others.map(({ text }) => text)
      expect(texts.filter((text) => /seacret-4712|root:x:|global_priv/.test(text))).toEqual([])
      expect(texts.at(-1)).toMatch(/command denied/)
    })

    test('changes nothing without the right or the token of its form, and ends on request', async () => {
      const tool = await openTool(world, 'read')
      const before = await world.root(`SELECT label FROM \`${world.shop.user}\`.prices`)

      expect(await saveRow(world, tool, 'third')).toEqual(before)
      const body = 'fields%5Blabel%5D=forged&save=1&token=1:1'
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      const writer = await openTool(world, 'write')
      await writer.visit('?edit=prices&where%5Bid%5D=1', { method: 'POST', body, headers })
      expect(await world.root(`SELECT label FROM \`${world.shop.user}\`.prices`)).toEqual(before)

      for (const { user } of [tool, writer])
        await world.call('POST', '/database/users/end', { user })
      expect((await tool.visit('')).status).toBe(403)
      expect((await writer.visit('')).text).toContain('This session has ended')
      const running = await world.host.exec(['pgrep', '--full', 'hosting-agent tool|page.php'])
      expect(running.stdout).toBe('')
      const places = ['/var/lib/hosting-agent', '/etc/hosting', '/var/log', '/run/log', '/tmp']
      for (const { cookie } of [tool, writer]) {
        const password = passwordOf(cookie.split('=')[1]?.split('.')[0] ?? '')
        const { stdout } = await world.host.exec(['grep', '-rlaF', password, ...places])
        expect(stdout).toBe('')
      }
    })

    test('an export whose connection is lost is refused, and a complete one is not', async () => {
      const tool = await openTool(world, 'read')
      const whole = await tool.submit('?dump=', DUMP)
      expect([whole.status, whole.text]).toEqual([200, expect.stringMatching(/\(1,\s+'second'\)/)])

      const locked = world.root(`LOCK TABLES \`${world.shop.user}\`.prices WRITE; SELECT SLEEP(20)`)
      const cut = tool.submit('?dump=', DUMP)
      const waiting =
        'SELECT id FROM information_schema.processlist WHERE state LIKE "Waiting for table%"'
      const ids = await untilIs(
        () => world.root(waiting),
        ({ length }) => length > 0,
      )
      for (const id of ids) await world.root(`KILL ${id}`)

      const { status, text } = await cut
      expect([status, text]).toEqual([409, expect.stringContaining('Adminer stopped before')])
      await locked
    })
  })
}

import type { SiteDatabaseWorld } from './site-database-world.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** A session of Adminer, as the browser that opened it sees it. */
export async function openTool(world: SiteDatabaseWorld, rights: 'read' | 'write') {
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
export async function saveRow(
  world: SiteDatabaseWorld,
  tool: Awaited<ReturnType<typeof openTool>>,
  label: string,
): Promise<string[]> {
  const fields = { 'fields[id]': '1', 'fields[label]': label, insert: '', save: '1' }
  await tool.submit('?edit=prices&where%5Bid%5D=1', fields)
  return world.root(`SELECT label FROM \`${world.shop.user}\`.prices`)
}

/** One table for each site. */
export async function addTables({ root, shop, other }: SiteDatabaseWorld): Promise<void> {
  const prices = `\`${shop.user}\`.prices`
  await root(`CREATE TABLE ${prices} (id INT PRIMARY KEY, label VARCHAR(50))`)
  await root(`INSERT INTO ${prices} VALUES (1, 'first')`)
  await root(`CREATE TABLE \`${other.user}\`.neighbours (secret VARCHAR(50))`)
  await root(`INSERT INTO \`${other.user}\`.neighbours VALUES ('seacret-4712')`)
}

import { addSite, fleet } from './backup-fleet.ts'

const domain = 'shop.example'

/** A site whose agent has Adminer: its requests, and its next answer. */
export async function withTool() {
  const all = await fleet({ ready: false })
  const site_id = await addSite(all.dashboard, all.server_id, { domain })
  const given: Record<string, unknown>[] = []
  const asked: Record<string, unknown>[] = []
  let next: { head: object; content: string } = {
    head: { status: 200, type: 'text/html; charset=utf-8' },
    content: '<script>alert(1)</script>',
  }
  all.agent.works.set('database.tool', async function* (params) {
    given.push(params)
    yield 'Creating a temporary user'
    const ends = Math.floor(all.dashboard.deps.clock.now().getTime() / 1000) + 3600
    const user = `hosting_tmp_${params.token}_${ends}`
    return {
      domain: params.domain,
      user,
      database: 'shop',
      ends_at: new Date(ends * 1000).toISOString(),
    }
  })
  for (const path of ['/sites/database-tool', '/sites/database-tool-file'])
    all.agent.answers.set(path, async (request) => {
      asked.push((await request.json()) as Record<string, unknown>)
      return new Response(`${JSON.stringify(next.head)}\n${next.content}`)
    })
  const at = `/api/servers/${all.server_id}/sites/${site_id}/database/tool`
  const open = async (where = at) => {
    const response = await all.dashboard.send('POST', where, { rights: 'write' })
    const { url, user } = await response.clone().json()
    const line = response.headers.getSetCookie().find((one) => one.startsWith('adminer=')) ?? ''
    return { response, url, user, line, cookie: line.split(';')[0] ?? '' }
  }
  const visit = (path: string, cookie = '', init: RequestInit = {}) =>
    all.dashboard.app.handle(
      new Request(`http://localhost${path}`, { ...init, headers: { cookie, ...init.headers } }),
    )
  const answer = (head: object, content = '') => {
    next = { head, content }
  }
  return { ...all, at, given, asked, open, visit, answer }
}

import { afterAll, beforeAll, beforeEach } from 'bun:test'
import type { BrowserContext, Page } from 'playwright-core'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import type { Used } from '#tests/support/running.ts'
import { addServer } from './fleet.ts'
import type { useBrowser } from './pages.ts'

const LOGIN = 'http://shop.example/.well-known/hosting-login'

/**
 * A managed WordPress site, an agent that answers each login with `url`, and the web servers of all
 * domains, which record what reaches them.
 */
export function useLogins(dashboard: Used, open: ReturnType<typeof useBrowser>) {
  const agent = new FakeAgent()
  const logins = {
    agent,
    /** The params of each login. */
    given: [] as Record<string, unknown>[],
    /** Each request to a web server of a domain, with its body. */
    posted: [] as string[],
    path: '',
    url: LOGIN,
    async open() {
      const opened = await open(logins.path)
      await answerSites(opened.page.context(), logins.posted)
      return opened
    },
  }
  beforeEach(() => {
    logins.url = LOGIN
    logins.posted.splice(0)
  })
  beforeAll(async () => {
    agent.works.set('wp.login', async function* (params) {
      logins.given.push(params)
      yield 'Preparing a login to shop.example'
      return { domain: 'shop.example', user: 'anna', url: logins.url }
    })
    await addServer(dashboard, agent, 'web-1')
    const call = { domain: 'shop.example', php: '8.2', tls: 'none' }
    const { headers, body } = await dashboard.client().post('/api/servers/1/sites', call)
    await dashboard.client().get(`/api/operations/${headers.get('operation-id')}/events`)
    logins.path = `/sites/${Object(Object(body).site).id}`
  })
  afterAll(() => agent.stop())
  return logins
}

/** The web servers of all domains. */
async function answerSites(context: BrowserContext, posted: string[]): Promise<void> {
  await context.route(/^https?:\/\/[a-z.]+\//, async (route) => {
    const request = route.request()
    posted.push(`${request.method()} ${request.url()} ${request.postData() ?? ''}`)
    const body = '<title>Admin</title><h1>WordPress</h1>'
    await route.fulfill({ contentType: 'text/html', body })
  })
}

/** Every change that the pages of this browser ask the dashboard for, from now on. */
export function changesOf(page: Page): string[] {
  const changes: string[] = []
  page.context().on('request', (request) => {
    if (request.method() !== 'GET')
      changes.push(`${request.method()} ${new URL(request.url()).pathname}`)
  })
  return changes
}

import type { ServerResponse } from 'node:http'
import { TlsAgent } from './trust/tls-agent.ts'

type Reply = (response: ServerResponse, good: object) => unknown

const correct: Reply = (response, good) => response.end(JSON.stringify(good))

/** Invalid answers to a password request: each is a failure whose message must not repeat it. */
export const INVALID: readonly Reply[] = [
  (response, good) => response.end(JSON.stringify([good])),
  (response, good) => response.end(JSON.stringify(good).slice(0, -1)),
  (response, good) => response.writeHead(500).end(JSON.stringify(good)),
  (response, good) => response.writeHead(302, { location: JSON.stringify(good) }).end(),
  (response, good) => {
    response.writeHead(200, { 'content-length': 999 }).write(JSON.stringify(good))
    setTimeout(() => response.destroy(), 20)
  },
]

const space = { used: 1, total: 2, unit: 'MB' }
const readings: Record<string, object> = {
  '/metrics': {
    ...{ cpu: 1, ram: space, disk: space, load: [0, 0, 0], uptime: 1, os: 'x', version: '1' },
  },
  '/services': { services: [] },
  '/sites': {
    sites: [
      {
        ...{ domain: 'shop.example', user: 'shop', docroot: '/srv/shop', php: '8.2' },
        ...{ tier: 'small', tls: 'none', framework: 'wordpress', wp_version: '6.9' },
        ...{ db_name: 'shop', updates: { plugins: 0, themes: 0, core: false } },
      },
    ],
  },
  // A managed site counts there.
  '/usage': {
    sites: [
      {
        ...{ domain: 'shop.example', bytes: 1, files: 1, database_bytes: 1 },
        ...{ limit_bytes: 2, limit_files: 2, measured_at: null },
      },
    ],
  },
}

/** Proves its identity, has one site, and answers password requests with `reply`. */
export async function secretAgent(passwords: { db: string; admin: string }) {
  const agent = await TlsAgent.start()
  const answers = new Map<string, object>([
    ['/sites/db-password', { password: passwords.db }],
    ['/sites/admin-password', { user: 'admin', password: passwords.admin }],
  ])
  const how = { reply: correct, correct }
  agent.answer = (request, response, body) => {
    const { url = '' } = request
    const good = answers.get(url)
    if (url === '/enrol') return agent.proving(request, response, body)
    if (good) return how.reply(response, good)
    if (readings[url] === undefined) response.writeHead(404)
    return response.end(JSON.stringify(readings[url] ?? {}))
  }
  return { agent, how }
}

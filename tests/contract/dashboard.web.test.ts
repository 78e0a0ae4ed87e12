// tier: core
import { describe, expect, test } from 'bun:test'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { temporaryFolder } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

const DOCUMENT = '<!doctype html><html><head><title>Here</title></head></html>'
const CODE = 'export const answer = 42\n'

const web = await temporaryFolder('web')
await mkdir(`${web}/assets`)
await writeFile(`${web}/index.html`, DOCUMENT)
await writeFile(`${web}/handoff.html`, DOCUMENT)
await writeFile(`${web}/assets/main-1a2b.js`, CODE)
await writeFile(`${web}/assets/main-1a2b.js.gz`, gzipSync(CODE))
await writeFile(`${web}/assets/main-1a2b.js.br`, 'as it is there')

describe('the pages', () => {
  const { client } = useDashboard({ WEB_DIR: web })
  const ask = (path: string, headers = {}) =>
    fetch(client().base + path, { headers, decompress: false, redirect: 'manual' })

  test.each(['/', '/login', '/servers', '/servers/12', '/sites/new', '/operations/bulk/x'])(
    'are at %s, for everybody, without inline code',
    async (path) => {
      const answer = await ask(path)

      expect(answer.status).toBe(200)
      expect(await answer.text()).toBe(DOCUMENT)
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
      })
    },
  )

  test('are not sent again to a client that has them', async () => {
    const etag = (await ask('/')).headers.get('etag') ?? ''

    const again = await ask('/servers', { 'if-none-match': etag })

    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test.each([
    ['br', 'br, gzip', 'as it is there'],
    ['gzip', 'gzip, deflate', CODE],
    ['gzip', 'br;q=0, gzip', CODE],
    [null, 'identity', CODE],
  ])(
    'load files as %p for a client that accepts %p, cached permanently',
    async (encoding, accepted, content) => {
      const answer = await ask('/assets/main-1a2b.js', { 'accept-encoding': accepted })

      const bytes = Buffer.from(await answer.arrayBuffer())
      expect((encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()).toBe(content)
      expect(answer.headers.get('content-encoding')).toBe(encoding)
      expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(answer.headers.get('vary')).toBe('accept-encoding')
    },
  )

  test.each(['/assets/other.js', '/assets/main-1a2b.js.gz', '/assets/..%2findex.html', '/nowhere'])(
    'do not cover %s, which is not found',
    async (path) => {
      const answer = await ask(path)
      expect([404, 401]).toContain(answer.status)
      expect(answer.headers.get('content-type')).toContain('application/json')
    },
  )

  const visit = async (path: string, accept = 'text/html,*/*;q=0.8') => {
    const answer = await ask(path, { accept })
    const { status, headers } = answer
    return { status, type: headers.get('content-type'), text: await answer.text(), headers }
  }

  test.each(['/nowhere', '/Servers', '/sitez/12', '/a%20b', '/servers.html'])(
    'are shown to a person at an unknown address: %s',
    async (path) => {
      const { status, text, headers } = await visit(path)

      expect({ status, text }).toEqual({ status: 404, text: DOCUMENT })
      expect(headers.get('content-security-policy')).toContain("script-src 'self'")
      expect(headers.get('cache-control')).toBe('no-store')
    },
  )

  test.each(['/api/nothing', '/API/servers', '/%61pi/servers', '//api/servers', '/assets/none.js'])(
    'do not replace an error of the API: %s',
    async (path) => {
      const { status, type } = await visit(path)

      expect([404, 401]).toContain(status)
      expect(type).toContain('application/json')
    },
  )

  test('do not replace an error for a program', async () => {
    const { status, type } = await visit('/nowhere', '*/*')

    expect({ status, type }).toEqual({ status: 404, type: 'application/json;charset=utf-8' })
  })
})

describe('pages that are rebuilt while the dashboard runs', () => {
  const { client } = useDashboard({ WEB_DIR: `${web}/again` })

  test('are served from then on', async () => {
    const build = async (document: string, name: string, time: number) => {
      await rm(`${web}/again`, { recursive: true, force: true })
      await mkdir(`${web}/again/assets`, { recursive: true })
      await writeFile(`${web}/again/assets/${name}`, CODE)
      await writeFile(`${web}/again/index.html`, document)
      await writeFile(`${web}/again/handoff.html`, DOCUMENT)
      await utimes(`${web}/again/index.html`, time, time)
    }
    const seen = async () => [
      (await client().get('/')).text,
      (await client().get('/assets/one.js')).status,
      (await client().get('/assets/two.js')).status,
    ]

    await build('first', 'one.js', 1_000)
    expect(await seen()).toEqual(['first', 200, 404])
    await build('second', 'two.js', 2_000)
    expect(await seen()).toEqual(['second', 404, 200])
  })
})

describe('a checkout whose pages are not built', () => {
  const { client } = useDashboard({ WEB_DIR: `${web}/nowhere` })

  test('says how to build them', async () => {
    const { status, text } = await client().get('/')

    expect(status).toBe(503)
    expect(text).toContain('bun run build:web')
  })
})

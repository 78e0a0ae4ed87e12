import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSilentServer, type Server } from 'node:net'
import { argv } from 'node:process'
import { loadIdentity } from '#agent/kernel/trust/identity.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { answerTo, EVERY, numberOf } from './answers.ts'

/**
 * Answers like many agents at addresses of loopback: `enrolled` ones with 20 sites, whose domains are
 * their own, without a check of proofs; `plain` ones with nothing that extends the contract of an
 * agent; those that are `waiting` for their codes; or `silent` ones, which accept connections only.
 */
const [kind = '', known = ''] = argv.slice(2)
const NOT_FOUND = JSON.stringify({ error: 'Not found', message: 'Endpoint not found' })
const PLAIN = ['/metrics', '/services', '/sites']

const KINDS: Record<string, () => Server | Promise<Server>> = {
  silent: () => createSilentServer((socket) => socket.on('error', () => socket.destroy()).resume()),
  enrolled: () => trusted(answer),
  plain: () => createServer(answer),
  waiting: () =>
    trusted((request, response) => {
      request.resume()
      send(response, 403, JSON.stringify({ error: 'Forbidden', message: 'No enrolment is open' }))
    }),
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** Returns a server with the identity of an agent, and writes what is known of it to a file. */
async function trusted(handler: Handler): Promise<Server> {
  const { files } = fakeHost()
  const identity = await loadIdentity(files, '/var/lib/hosting-agent', Date.now())
  const { tls_key: key, certificate: cert, public_key } = identity
  await writeFile(known, JSON.stringify({ certificate: cert, public_key }))
  return createTlsServer({ key, cert, minVersion: 'TLSv1.3' }, handler)
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://agent')
  const own = `.s${numberOf(request.socket.localAddress ?? '')}${EVERY}`
  const { body, is_held } = bodyOf(pathname, Object.fromEntries(searchParams))
  const end = () => send(response, body ? 200 : 404, body?.replaceAll(EVERY, own) ?? NOT_FOUND)
  if (is_held) setTimeout(end, Number(searchParams.get('wait')) * 1000)
  else end()
}

function bodyOf(path: string, query: object): ReturnType<typeof answerTo> {
  if (kind === 'enrolled') return answerTo(path, query)
  if (!PLAIN.includes(path)) return {}
  const { body = '' } = answerTo(path)
  return { body: path === '/metrics' ? withoutProtocol(body) : body }
}

const withoutProtocol = (body: string) =>
  JSON.stringify({ ...JSON.parse(body), protocol: undefined })

function send(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(body)
}

const server = await KINDS[kind]?.()
// As that of an agent (agent/kernel/http/listen.ts).
if (server && 'keepAliveTimeout' in server) server.keepAliveTimeout = 80_000
server?.listen(0, '0.0.0.0', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createSilentServer, type Server } from 'node:net'
import { argv } from 'node:process'
import { loadIdentity } from '#agent/kernel/trust/identity.ts'
import { numberOf } from '#scripts/bench/sync/addresses.ts'
import { answerTo, EVERY } from '#scripts/bench/sync/answers.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

/**
 * Answers like many agents at addresses of loopback: `waiting` for their codes, `silent` after a
 * connection was opened, or `plain` with nothing that extends the contract of an agent.
 */
const [kind = '', known = ''] = argv.slice(2)
const PLAIN = ['/metrics', '/services', '/sites']
const json = { 'content-type': 'application/json' }

const servers: Record<string, () => Server | Promise<Server>> = {
  silent: () => createSilentServer((socket) => socket.on('error', () => socket.destroy()).resume()),
  plain() {
    const metrics = JSON.parse(answerTo('/metrics').body ?? '')
    const own_metrics = JSON.stringify({ ...metrics, protocol: undefined })
    return createServer((request, response) => {
      const path = new URL(request.url ?? '', 'http://agent').pathname
      const usual = PLAIN.includes(path) ? answerTo(path).body : undefined
      const body = path === '/metrics' ? own_metrics : usual
      const own = `.s${numberOf(request.socket.localAddress ?? '')}${EVERY}`
      response.writeHead(body === undefined ? 404 : 200, json)
      response.end(
        body?.replaceAll(EVERY, own) ??
          JSON.stringify({ error: 'Not found', message: 'Endpoint not found' }),
      )
    })
  },
  async waiting() {
    const { files } = fakeHost()
    const identity = await loadIdentity(files, '/var/lib/hosting-agent', Date.now())
    const { tls_key: key, certificate: cert, public_key } = identity
    await writeFile(known, JSON.stringify({ certificate: cert, public_key }))
    return createTlsServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
      request.resume()
      response.writeHead(403, json)
      response.end(JSON.stringify({ error: 'Forbidden', message: 'No enrolment is open' }))
    })
  },
}

const server = await servers[kind]?.()
// As that of an agent (agent/kernel/http/listen.ts).
if (server && 'keepAliveTimeout' in server) server.keepAliveTimeout = 80_000
server?.listen(0, '0.0.0.0', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { argv } from 'node:process'
import { loadIdentity } from '#agent/kernel/trust/identity.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { numberOf } from './addresses.ts'
import { answerTo, EVERY } from './answers.ts'

/**
 * Answers like enrolled agents with 20 sites each, to any request: the proofs are not checked. Each
 * server has an address of its own on loopback, and so its own domains. Nothing on it changes.
 */
const { files } = fakeHost()
const identity = await loadIdentity(files, '/var/lib/hosting-agent', Date.now())
const { tls_key: key, certificate: cert, public_key } = identity
const server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'https://agent')
  const own = `.s${numberOf(request.socket.localAddress ?? '')}${EVERY}`
  const { body, is_held } = answerTo(pathname, Object.fromEntries(searchParams))
  const answer = () => {
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(
      body?.replaceAll(EVERY, own) ??
        JSON.stringify({ error: 'Not found', message: 'Endpoint not found' }),
    )
  }
  if (!is_held) return answer()
  setTimeout(answer, Number(searchParams.get('wait')) * 1000)
})
// As that of an agent (agent/kernel/http/listen.ts).
server.keepAliveTimeout = 80_000
await writeFile(argv[2] ?? '', JSON.stringify({ certificate: cert, public_key }))
server.listen(0, '0.0.0.0', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { Enrolment } from '#agent/trust/enrolment.ts'
import { type Identity, loadIdentity } from '#agent/trust/identity.ts'
import { TrustedDashboard } from '#agent/trust/trusted-dashboard.ts'
import type { EnrolmentRequest } from '#shared/enrolment.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const STATE = '/var/lib/hosting-agent'

export type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

/** Has an agent's certificate and key, and answers as a test sets it: the test checks the requests. */
export class TlsAgent {
  readonly identity: Identity
  readonly enrolment: Enrolment
  /** Requests, as `GET /metrics`. */
  readonly asked: string[] = []
  readonly #sockets = new Set<Socket>()
  readonly #server: ReturnType<typeof createServer>
  answer: Answer = (_, response) => response.writeHead(404).end()

  private constructor(identity: Identity, enrolment: Enrolment) {
    this.identity = identity
    this.enrolment = enrolment
    const { tls_key: key, certificate: cert } = identity
    this.#server = createServer({ key, cert, minVersion: 'TLSv1.3' }, (request, response) => {
      this.asked.push(`${request.method} ${request.url}`)
      void this.#answer(request, response).catch(() => response.destroy())
    })
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  static async start(port = 0): Promise<TlsAgent> {
    const { files } = fakeHost()
    const identity = await loadIdentity(files, STATE, Date.now())
    const trust = new TrustedDashboard(files, STATE)
    const now = () => Date.now() / 1000
    const enrolment = new Enrolment({ files, state_dir: STATE, identity, trust, now })
    const agent = new TlsAgent(identity, enrolment)
    const server = agent.#server
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
    return agent
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  /** Proves its identity like a real agent, during an open code. */
  readonly proving: Answer = async (_, response, body) => {
    const answer = await this.enrolment.answer(JSON.parse(body) as EnrolmentRequest)
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    await this.answer(request, response, body)
  }
}

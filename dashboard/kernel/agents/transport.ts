import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  request,
} from 'node:http'
import type { ServerRow } from '#dashboard/kernel/db/rows.ts'
import { offline } from '#shared/kernel/errors.ts'
import type { NotConnected } from './agent-errors.ts'

export interface AgentRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string
  /** Whether the agent does the same however often it receives it. */
  isRepeatable: boolean
}

export type Protocol = 'tls' | 'http'

export interface Transport {
  /** The first bytes of its connections. */
  readonly speaks?: Protocol
  /** Opens the request of one call, written completely; `fresh`: over a new connection. */
  open(call: AgentRequest, fresh?: boolean): ClientRequest
  /** Returns whether a second attempt may succeed after a 401. Throws offline for wrong clocks. */
  learn(headers: IncomingHttpHeaders, refused: ClientRequest): boolean
  /** Returns the reason of an error before the request was sent, if it knows a better one. */
  explain?(error: NotConnected): Promise<Error>
}

/** The address of an agent; `metrics`, which have its protocol, are absent until read. */
export type AgentAddress = Pick<ServerRow, 'id' | 'hostname' | 'port'> &
  Partial<Pick<ServerRow, 'metrics'>>

/** Returns the transport to the agent of a server. Throws offline if there is none. */
export type Transports = (to: AgentAddress) => Promise<Transport>

const keepAliveAgent = new HttpAgent({ keepAlive: true, maxFreeSockets: 64 })

/** Returns plain HTTP to an agent that is not enrolled, on loopback in development only. */
export function plainTransport(to: AgentAddress, production: boolean): Transport {
  if (production || !isLoopback(to.hostname))
    throw offline('The server is not enrolled yet: paste the line that its page shows there')
  return {
    speaks: 'http',
    open: ({ method, path, headers, body }, fresh) =>
      request({
        host: to.hostname,
        port: to.port,
        method,
        path,
        headers: { ...headers, ...contentLength(method, body) },
        agent: fresh ? false : keepAliveAgent,
      }).end(body),
    learn: () => false,
  }
}

export function contentLength(
  method: AgentRequest['method'],
  body: string,
): Record<string, string> {
  return method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
}

function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '::1') return true
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

export const getRequest = (path: string): AgentRequest => ({
  method: 'GET',
  path,
  headers: {},
  body: '',
  isRepeatable: true,
})

export function postRequest(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  isRepeatable = true,
): AgentRequest {
  return {
    isRepeatable,
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

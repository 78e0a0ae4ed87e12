import { type ClientRequest, Agent as HttpAgent, request } from 'node:http'
import type { ServerRow } from '#dashboard/db/rows.ts'
import { offline } from '#shared/errors.ts'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string
}

/** Opens the request of one call; the caller writes nothing more to it. */
export type Transport = (call: Call) => ClientRequest

export type Address = Pick<ServerRow, 'hostname' | 'port'>

const kept = new HttpAgent({ keepAlive: true, maxFreeSockets: 64 })

/**
 * How to reach the agent of a server: the one place that decides it. Plain HTTP only on loopback
 * and never in production (decisions.md, Agent). Throws offline for a server that is not enrolled.
 */
export function transportTo(address: Address, production: boolean): Transport {
  if (production || !isLoopback(address.hostname))
    throw offline('The server is not enrolled yet: its agent has no key of this dashboard')
  return (call) => plain(address, call)
}

/** 127.0.0.0/8, ::1 and localhost. */
export function isLoopback(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '::1') return true
  return /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
}

function plain({ hostname, port }: Address, { method, path, headers, body }: Call): ClientRequest {
  const length = method === 'POST' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  return request({
    host: hostname,
    port,
    method,
    path,
    headers: { ...headers, ...length },
    agent: kept,
  }).end(body)
}

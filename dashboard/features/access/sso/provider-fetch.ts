import { type RequestOptions, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import {
  type AddressRules,
  checkedLookup,
  checkLiteral,
} from '#dashboard/kernel/trust/addresses.ts'
import { isLoopbackUrl } from './loopback.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1 << 20

interface FetchInit {
  method?: string
  headers?: HeadersInit
  body?: unknown
}

type ProviderFetch = (url: string, init?: FetchInit) => Promise<Response>

/**
 * Returns a `fetch` for the addresses that a provider names: over TLS, or on loopback, only to
 * addresses that this dashboard may contact, which are checked when the connection is made, and
 * without following a redirect. Throws for an answer that is too long or too late.
 */
export function providerFetch(rules: AddressRules): ProviderFetch {
  return async (address, { method = 'GET', headers, body } = {}) => {
    const url = new URL(address)
    const isTls = url.protocol === 'https:'
    if (!isTls && !isLoopbackUrl(url)) throw new Error(`${url.host} is not contacted without TLS`)
    const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1')
    checkLiteral(hostname, rules)
    const text = body === undefined || body === null ? '' : String(body)
    const options: RequestOptions = {
      method,
      host: hostname,
      port: url.port,
      path: `${url.pathname}${url.search}`,
      headers: {
        ...Object.fromEntries(new Headers(headers)),
        ...(text !== '' && { 'content-length': Buffer.byteLength(text) }),
      },
      agent: false,
      lookup: checkedLookup(rules) as NonNullable<RequestOptions['lookup']>,
    }
    return send((isTls ? requestHttps : requestHttp)(options), text)
  }
}

const send = (request: ReturnType<typeof requestHttp>, text: string): Promise<Response> =>
  new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      reject(new Error(reason))
      request.destroy()
    }
    const timer = setTimeout(() => fail('It did not answer within 10 seconds'), TIMEOUT_MS)
    request.on('close', () => clearTimeout(timer))
    request.on('error', reject)
    request.on('response', (response) => {
      const pieces: Buffer[] = []
      let size = 0
      response.on('data', (piece: Buffer) => {
        pieces.push(piece)
        size += piece.length
        if (size > MAX_BYTES) fail('Its answer is too long')
      })
      response.on('error', reject)
      response.on('end', () => {
        clearTimeout(timer)
        const status = response.statusCode ?? 502
        const type = response.headers['content-type'] ?? ''
        const body = status === 204 || status === 304 ? null : Buffer.concat(pieces)
        resolve(new Response(body, { status, headers: { 'content-type': type } }))
      })
    })
    request.end(text)
  })

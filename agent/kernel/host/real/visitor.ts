import { Buffer } from 'node:buffer'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { TLSSocket } from 'node:tls'
import { decodeAnswer, encodeRequest } from '#agent/kernel/host/fastcgi.ts'
import { undefinedIfThrows } from '#agent/kernel/host/undefined-if-throws.ts'
import {
  OTHER_SERVER_AGENT,
  type PingResult,
  VISIT_AGENT,
  VISIT_HEADERS,
  type Visitor,
  type VisitRequest,
  type VisitResult,
} from '#agent/kernel/host/visit-port.ts'
import { handshake } from './handshake.ts'

const MAX_CONCURRENT = 8
const VISIT_MS = 10_000
const MAX_BODY = 32 << 10
const PING_MS = 3000
/** The maximum size of an answer, below 1 KiB: each piece is parsed with all previous ones. */
const MAX_ANSWER = 4 << 10

/** Visits sites, usually of this machine, and their sockets. */
export const visitor: Visitor = {
  async visit(visits) {
    const address = addressOf()
    const outcomes: VisitResult[] = []
    const turns = visits.entries()
    const worker = async () => {
      for (const [place, visit] of turns) outcomes[place] = await visitOne(visit, address)
    }
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, worker))
    return outcomes
  },
  pingFpm: (path) => ping(path),
  fpmStatus,
  handshake,
}

/** Returns a public address, since nginx may behave differently on loopback. */
function addressOf(): string {
  const all = Object.values(undefinedIfThrows(networkInterfaces) ?? {}).flatMap(
    (found) => found ?? [],
  )
  const address = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address
  return address ?? '127.0.0.1'
}

const REFUSED = ['ECONNREFUSED', 'ConnectionRefused', 'ECONNRESET', 'EHOSTUNREACH']

function visitOne(visit: VisitRequest, address: string): Promise<VisitResult> {
  const started = performance.now()
  const ms = () => Math.round(performance.now() - started)
  return new Promise((resolve) => {
    const request = requestOf(visit, address)
    const late = setTimeout(() => {
      resolve({ failed: 'timeout', ms: ms() })
      request.destroy()
    }, visit.timeout_ms ?? VISIT_MS)
    const done = (outcome: VisitResult) => {
      clearTimeout(late)
      resolve(outcome)
      request.destroy()
    }
    request.on('error', (error) => done({ failed: reasonOf(error), ms: ms() }))
    request.on('response', (response) => {
      const { socket } = response
      const fingerprint =
        socket instanceof TLSSocket ? socket.getPeerCertificate().fingerprint256 : undefined
      const from = socket.localAddress
      beginningOf(response, (body) => {
        const served = {
          ...(fingerprint !== undefined && { fingerprint }),
          ...(from !== undefined && { from }),
        }
        const headers = headersOf(response)
        done({ status: response.statusCode ?? 0, headers, body, ...served, ms: ms() })
      })
    })
    request.end()
  })
}

function requestOf(visit: VisitRequest, usual: string) {
  const { host: name, path, tls, address, port, is_elsewhere = false } = visit
  const host = port === undefined ? name : `${name}:${port}`
  const headers = {
    host,
    'user-agent': is_elsewhere ? OTHER_SERVER_AGENT : VISIT_AGENT,
    'cache-control': 'no-cache',
    accept: 'text/html',
  }
  const common = { host: address ?? usual, path, headers, agent: false }
  if (!tls) return http.request({ ...common, port: port ?? 80 })
  const options = { ...common, port: port ?? 443, servername: name, rejectUnauthorized: false }
  return https.request(options)
}

function beginningOf(response: IncomingMessage, done: (body: string) => void): void {
  const pieces: Buffer[] = []
  let size = 0
  const end = () => done(Buffer.concat(pieces).toString('utf8').slice(0, MAX_BODY))
  response.on('data', (piece: Buffer) => {
    pieces.push(piece)
    size += piece.length
    if (size >= MAX_BODY) end()
  })
  response.on('end', end)
}

function headersOf({ headers }: IncomingMessage) {
  const found = VISIT_HEADERS.map((name) => [name, headers[name]] as const)
  return Object.fromEntries(
    found.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  )
}

function reasonOf(error: Error): 'refused' | 'tls' | 'broken' {
  const code = 'code' in error ? String(error.code) : ''
  if (REFUSED.includes(code)) return 'refused'
  return /SSL|TLS|CERT|EPROTO/.test(code) ? 'tls' : 'broken'
}

const requestTo = (script: string, query = '') =>
  encodeRequest({
    REQUEST_METHOD: 'GET',
    SCRIPT_NAME: script,
    SCRIPT_FILENAME: script,
    QUERY_STRING: query,
    SERVER_PROTOCOL: 'HTTP/1.1',
    GATEWAY_INTERFACE: 'CGI/1.1',
  })

const PING = requestTo('/.fpm-ping')
const STATUS = requestTo('/.fpm-status', 'json')

const NOT_LISTENING = ['ECONNREFUSED', 'ENOENT', 'ConnectionRefused']

/** Requests `/.fpm-ping` of a pool; one that accepts only is `silent` after `timeout_ms`. */
export async function ping(path: string, timeout_ms = PING_MS): Promise<PingResult> {
  const answer = await askFpm(path, PING, timeout_ms)
  if (!('text' in answer)) return answer.failed
  return /\r?\n\r?\npong$/.test(answer.text) ? 'pong' : 'other'
}

async function fpmStatus(path: string): Promise<string | undefined> {
  const answer = await askFpm(path, STATUS)
  return 'text' in answer ? answer.text.split(/\r?\n\r?\n/)[1] : undefined
}

type FpmAnswer = { text: string } | { failed: PingResult }

/** Requests an answer of PHP-FPM itself: no file of the site is run. */
function askFpm(path: string, request: Buffer, timeout_ms = PING_MS): Promise<FpmAnswer> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    let answer = Buffer.alloc(0)
    const done = (given: FpmAnswer) => {
      clearTimeout(late)
      resolve(given)
      socket.destroy()
    }
    const late = setTimeout(() => done({ failed: 'silent' }), timeout_ms)
    socket.on('error', (error) => done({ failed: refusalOf(error) }))
    socket.on('connect', () => socket.write(request))
    socket.on('data', (piece: Buffer) => {
      answer = Buffer.concat([answer, piece])
      const text = decodeAnswer(answer)
      if (text !== undefined) done({ text })
      else if (answer.length > MAX_ANSWER) done({ failed: 'other' })
    })
    socket.on('close', () => done({ failed: 'other' }))
  })
}

function refusalOf(error: Error): PingResult {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'EAGAIN') return 'busy'
  return NOT_LISTENING.includes(code) ? 'refused' : 'silent'
}

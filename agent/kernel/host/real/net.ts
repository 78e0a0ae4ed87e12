import { createHash } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { open, readFile } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { createGunzip } from 'node:zlib'
import type {
  DownloadOptions,
  Net,
  ProbeRequest,
  ResolvedAddresses,
} from '#agent/kernel/host/ports.ts'
import { freshRecords } from './name-servers.ts'

const TIMEOUT_MS = 30_000
const RESOLVE_MS = 3000
const MAX_CONCURRENT_RESOLVES = 10
const DOWNLOAD_MS = 600_000
const MAX_PROBE_BODY = 1 << 20
const MAX_DOWNLOAD = 2 ** 30

export const net: Net = {
  async fetch(url, { timeout_ms = TIMEOUT_MS, signal } = {}) {
    if (url.startsWith('file:')) return readFile(fileURLToPath(url))
    const response = await request(url, within(timeout_ms, signal))
    return new Uint8Array(await response.arrayBuffer())
  },

  download: (url, path, digest, options = {}) =>
    save(bytesOf(url, DOWNLOAD_MS, options.signal), path, digest, options),

  probe: (options) => readAnswer((options.tls ? https : http).request(target(options)), TIMEOUT_MS),

  async resolve(names, { fresh = false } = {}) {
    if (fresh) return freshRecords(names)
    const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 })
    const found: ResolvedAddresses[] = []
    for (let at = 0; at < names.length; at += MAX_CONCURRENT_RESOLVES) {
      const some = names.slice(at, at + MAX_CONCURRENT_RESOLVES)
      found.push(...(await Promise.all(some.map((name) => recordsOf(resolver, name)))))
    }
    return found
  },
}

/**
 * Sends a request, and reads the first MiB of its answer. The limit is that of the whole answer: a
 * page of a site may print a little now and then, without an end.
 */
export function readAnswer(
  message: http.ClientRequest,
  limit_ms: number,
): ReturnType<Net['probe']> {
  return new Promise((resolve, reject) => {
    message.on('response', (response) => {
      let body = ''
      const answer = () =>
        resolve({ status: response.statusCode ?? 0, body, headers: flat(response.headers) })
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length < MAX_PROBE_BODY) return
        answer()
        message.destroy()
      })
      response.on('end', answer)
      response.on('error', reject)
    })
    const late = () => message.destroy(new Error(`no whole answer in ${limit_ms / 1000} seconds`))
    const timer = setTimeout(late, limit_ms)
    message.on('close', () => clearTimeout(timer))
    message.on('error', reject)
    message.end()
  })
}

async function recordsOf(resolver: Resolver, name: string): Promise<ResolvedAddresses> {
  const both = [resolver.resolve4(name), resolver.resolve6(name)]
  const found = await Promise.all(both.map((records) => records.catch(noRecords)))
  const known = found.filter((records) => records !== null)
  return known.length < found.length && known.flat().length === 0 ? null : known.flat()
}

/** Returns no records for a name without them; throws for errors that are no answer. */
function noRecords(error: unknown): ResolvedAddresses {
  const { code } = Object(error) as { code?: unknown }
  return code === 'ENODATA' || code === 'ENOTFOUND' ? [] : null
}

/** Writes the data unpacked and returns its digest. Throws if either exceeds `most` bytes. */
export async function save(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
  digest: 'sha1' | 'sha256' | 'sha512',
  { most = MAX_DOWNLOAD, gunzip = false }: Pick<DownloadOptions, 'most' | 'gunzip'> = {},
): Promise<string> {
  const hash = createHash(digest)
  await using file = await open(path, 'w', 0o600)
  const received = bounded(chunks, most)
  for await (const chunk of gunzip ? bounded(gunzipped(received), most) : received) {
    hash.update(chunk)
    await file.writeFile(chunk)
  }
  await file.sync()
  return hash.digest('hex')
}

async function* bounded(chunks: AsyncIterable<Uint8Array>, most: number) {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.length
    if (size > most) throw new Error(`The download is larger than ${most >> 20} MiB`)
    yield chunk
  }
}

/** Ends also by an error of the source. */
async function* gunzipped(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = Readable.from(chunks)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  yield* source.pipe(gunzip)
}

function target({
  host,
  address = '127.0.0.1',
  path,
  tls = false,
}: ProbeRequest): https.RequestOptions {
  const common = { host: address, path, headers: { host }, agent: false }
  if (!tls) return { ...common, port: 80 }
  return { ...common, port: 443, servername: host, rejectUnauthorized: false }
}

/** Throws a readable Error for anything but 200. */
export async function* bytesOf(
  url: string,
  timeout_ms = DOWNLOAD_MS,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  if (url.startsWith('file:')) {
    yield await readFile(fileURLToPath(url))
    return
  }
  const response = await request(url, within(timeout_ms, signal))
  if (response.body) yield* response.body
}

function within(timeout_ms: number, signal: AbortSignal | undefined): AbortSignal {
  const late = AbortSignal.timeout(timeout_ms)
  return signal ? AbortSignal.any([late, signal]) : late
}

async function request(url: string, signal: AbortSignal): Promise<Response> {
  const response = await fetch(url, { signal }).catch((error: unknown) => {
    throw new Error(`${new URL(url).host} cannot be reached: ${String(error)}`)
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}`)
  return response
}

function flat(headers: http.IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

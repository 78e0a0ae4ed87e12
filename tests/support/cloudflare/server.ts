import { randomBytes } from 'node:crypto'
import { domainToASCII } from 'node:url'

/** A record as Cloudflare keeps it. */
interface CloudflareRecord {
  id: string
  zone: string
  type: string
  name: string
  content: string
  ttl: number
  proxied: boolean
}

interface CloudflareOptions {
  token: string
  /** The names of the zones that the token sees. */
  zones: readonly string[]
  port?: number
  /** Makes name servers answer with a TXT record, or without it. */
  publish?: (action: 'set' | 'clear', name: string, value: string) => Promise<void>
}

const newId = () => randomBytes(16).toString('hex')

const wrong = (status: number, code: number, message: string) =>
  Response.json(
    { success: false, errors: [{ code, message }], messages: [], result: null },
    { status },
  )
const right = (result: unknown) =>
  Response.json({ success: true, errors: [], messages: [], result })

const PURGE = /^\/zones\/([0-9a-f]{32})\/purge_cache$/
const MAX_HOSTS = 30

const RECORDS = /^\/zones\/([0-9a-f]{32})\/dns_records(?:\/([0-9a-f]{32}))?$/

/** The zones of an account and their records. */
class CloudflareZones {
  readonly records: CloudflareRecord[] = []
  /** The names of records that an answer has, although it was asked for another name. */
  readonly strays: string[] = []
  /** The contents and names of records that are refused. */
  readonly refusals = new Set<string>()
  /** The hosts of each purge. */
  readonly purges: string[][] = []
  /** What the token may not do. */
  readonly denials = new Set<'purge'>()
  /** The names of deleted zones. */
  readonly gone = new Set<string>()
  readonly #zones: { id: string; name: string; status: string }[]

  readonly #publish: NonNullable<CloudflareOptions['publish']>

  constructor({
    zones,
    publish = async () => undefined,
  }: Pick<CloudflareOptions, 'zones' | 'publish'>) {
    this.#publish = publish
    this.#zones = zones.map((name) => ({ id: newId(), name, status: 'active' }))
  }

  list(query: URLSearchParams): Response {
    const name = query.get('name')
    const matching = this.#zones.filter((zone) => name === null || zone.name === name)
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 20)]
    if (size > 50) return wrong(400, 1004, 'per_page must be between 5 and 50')
    return right(matching.slice((page - 1) * size, page * size))
  }

  async answer(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    const [, id, record] = RECORDS.exec(path) ?? PURGE.exec(path) ?? []
    const zone = this.#zones.find((each) => each.id === id && !this.gone.has(each.name))
    if (!zone)
      return wrong(
        404,
        7003,
        `Could not route to ${path}, perhaps your object identifier is invalid?`,
      )
    if (PURGE.test(path)) return this.#purge(zone, await request.json())
    if (request.method === 'POST') return this.#create(zone, await request.json())
    if (request.method === 'DELETE') return this.#remove(record)
    const matches = (each: CloudflareRecord) =>
      each.zone === id &&
      each.name === query.get('name') &&
      [null, each.type].includes(query.get('type'))
    const strays = this.strays.map((name) => ({ ...this.records[0], name, id: newId() }))
    return right([...this.records.filter(matches), ...strays])
  }

  /** By names of the zone: developers.cloudflare.com/cache/how-to/purge-cache. */
  #purge(zone: { name: string }, { hosts = [] }: { hosts?: string[] }): Response {
    if (this.denials.has('purge')) return wrong(403, 10000, 'Authentication error')
    const isWrong = (host: string) => !`.${host}`.endsWith(`.${domainToASCII(zone.name)}`)
    if (hosts.length === 0 || hosts.length > MAX_HOSTS || hosts.some(isWrong))
      return wrong(400, 1092, 'Unable to purge: hosts are invalid')
    this.purges.push(hosts)
    return right({ id: newId() })
  }

  async #create(
    zone: { id: string; name: string },
    { type = '', name = '', content = '', ttl = 1, proxied = false }: Partial<CloudflareRecord>,
  ): Promise<Response> {
    if (!`.${name}`.endsWith(`.${domainToASCII(zone.name)}`))
      return wrong(400, 9000, 'DNS name is invalid.')
    if (this.refusals.has(content) || this.refusals.has(name))
      return wrong(400, 9005, 'Content for record is invalid.')
    if (type === 'TXT' && !/^".*"$/.test(content))
      return wrong(400, 9207, 'TXT record content must be enclosed in quotation marks.')
    if (ttl !== 1 && ttl < 60) return wrong(400, 9021, 'Invalid TTL. Must be between 60 and 86400')
    if (this.#clashes(type, name))
      return wrong(400, 81053, 'An A, AAAA, or CNAME record with that host already exists.')
    const isSame = (each: CloudflareRecord) =>
      each.name === name && each.type === type && each.content === content
    if (this.records.some(isSame)) return wrong(400, 81058, 'An identical record already exists.')
    const record = { id: newId(), zone: zone.id, type, name, content, ttl, proxied }
    this.records.push(record)
    if (type === 'TXT') await this.#publish('set', name, content.slice(1, -1))
    return right(record)
  }

  /** A CNAME is alone at its name. */
  #clashes(type: string, name: string): boolean {
    const others = this.records.filter((each) => each.name === name && each.type !== 'TXT')
    return type === 'CNAME' ? others.length > 0 : others.some((each) => each.type === 'CNAME')
  }

  async #remove(id: string | undefined): Promise<Response> {
    const record = this.records.find((each) => each.id === id)
    if (!record) return wrong(404, 81044, 'Record does not exist.')
    this.records.splice(this.records.indexOf(record), 1)
    if (record.type === 'TXT') await this.#publish('clear', record.name, record.content)
    return right({ id })
  }
}

const BEARER = /^Bearer [A-Za-z0-9_-]{20,}$/

/** The calls of Cloudflare's API v4 that are used, with its rules for tokens, names and records. */
export function startCloudflare({ token, port = 0, ...options }: CloudflareOptions) {
  const zones = new CloudflareZones(options)
  const calls: string[] = []
  /** The methods whose next answer is lost, after the work is done. */
  const losses = new Set<string>()

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    calls.push(`${request.method} ${pathname}`)
    const given = request.headers.get('authorization') ?? ''
    if (!BEARER.test(given)) return wrong(400, 6003, 'Invalid request headers')
    if (given !== `Bearer ${token}`) return wrong(403, 9109, 'Invalid access token')
    const path = pathname.replace(/^\/client\/v4/, '')
    return path === '/zones' ? zones.list(searchParams) : zones.answer(request, path, searchParams)
  }

  async function passed(request: Request): Promise<Response> {
    const response = await answer(request)
    return losses.delete(request.method) ? new Response('Bad gateway', { status: 502 }) : response
  }

  const server = Bun.serve({ port, hostname: '127.0.0.1', fetch: passed })
  const api = `http://127.0.0.1:${server.port}/client/v4`
  const { records, refusals, strays, purges, denials, gone } = zones
  const state = { records, refusals, losses, strays, purges, denials, gone, calls }
  return { api, ...state, stop: () => server.stop(true) }
}

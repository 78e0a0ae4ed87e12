import { z } from 'zod'
import { type AddressRules, refusedHost } from '#dashboard/kernel/trust/addresses.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 4 << 20
const PER_PAGE = 50
const MAX_PAGES = 40

const Id = z.string().regex(/^[0-9a-f]{32}$/)
/** The envelope of every answer: developers.cloudflare.com/api. */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
})
const Zones = z.array(
  z.object({
    id: Id,
    name: z
      .string()
      .max(253)
      .transform((name) => canonicalDomain(name) ?? name),
  }),
)
const TYPES = ['A', 'AAAA', 'CNAME'] as const
const AnyRecords = z.array(z.looseObject({ name: z.string(), type: z.string() }))
const CloudflareRecord = z.object({
  id: Id,
  type: z.enum(TYPES),
  content: z.string().max(500),
  proxied: z.boolean().default(false),
  ttl: z.number().default(1),
})
export type CloudflareRecord = z.infer<typeof CloudflareRecord>

/** A refusal of Cloudflare with its message, or the reason why it could not be asked. */
export class CloudflareError extends Error {
  /** The code of a call that Cloudflare refused; undefined: it may have taken effect. */
  readonly refusal: number | undefined

  constructor(message: string, refusal?: number) {
    super(message)
    this.refusal = refusal
  }
}

/** The address of the API is one that the dashboard must not contact. */
export class RefusedApiError extends CloudflareError {}

export interface Account {
  api: string
  token: Secret
  rules: AddressRules
}

/** Returns the zones of a token that Cloudflare calls active. Throws CloudflareError. */
export async function readZones(account: Account): Promise<z.infer<typeof Zones>> {
  const zones: z.infer<typeof Zones> = []
  for (let page = 1; page <= MAX_PAGES; page++) {
    const found = parseResult(
      Zones,
      await call(account, `/zones?page=${page}&per_page=${PER_PAGE}`),
    )
    zones.push(...found)
    if (found.length < PER_PAGE) break
  }
  return zones
}

export async function readRecords(
  account: Account,
  zone: string,
  name: string,
): Promise<CloudflareRecord[]> {
  const query = new URLSearchParams({ name, per_page: '100' })
  const all = parseResult(AnyRecords, await call(account, `/zones/${zone}/dns_records?${query}`))
  if (all.some((record) => record.name !== name && canonicalDomain(record.name) !== name))
    throw new CloudflareError('Cloudflare: the answer has records of another name')
  const known = all.filter(({ type }) => TYPES.some((each) => each === type))
  return parseResult(z.array(CloudflareRecord), known)
}

export type NewRecord = Omit<CloudflareRecord, 'id'> & { name: string }

export async function createRecord(
  account: Account,
  zone: string,
  record: NewRecord,
): Promise<void> {
  const body = { method: 'POST', body: JSON.stringify(record) }
  await call(account, `/zones/${zone}/dns_records`, body)
}

export async function removeRecord(account: Account, zone: string, id: string): Promise<void> {
  await call(account, `/zones/${zone}/dns_records/${id}`, { method: 'DELETE' })
}

/** Removes everything of these names from the cache; at most 30 in one call. */
export async function purgeHosts(
  account: Account,
  zone: string,
  hosts: readonly string[],
): Promise<void> {
  const body = { method: 'POST', body: JSON.stringify({ hosts }) }
  await call(account, `/zones/${zone}/purge_cache`, body)
}

function parseResult<T>(schema: z.ZodType<T>, result: unknown): T {
  const { data } = schema.safeParse(result)
  if (data !== undefined) return data
  throw new CloudflareError('Cloudflare: the answer has an unexpected format')
}

async function call(account: Account, path: string, init: RequestInit = {}) {
  const { ok, status, text } = await send(account, path, init)
  const envelope = parseJson(Envelope, text)
  if (!envelope) throw new CloudflareError(`Cloudflare answered ${status} without a body`)
  if (ok && envelope.success) return envelope.result
  const [error] = envelope.errors
  const reason = error ? `${error.message} (${error.code})` : `status ${status}`
  const message = `Cloudflare: ${reason.replace(/\p{Cc}/gu, ' ').slice(0, 300)}`
  throw new CloudflareError(message, status < 500 ? (error?.code ?? 0) : undefined)
}

/** Sends a request, in production only to an address that this dashboard may contact. */
async function send({ api, token, rules }: Account, path: string, init: RequestInit) {
  const { host, hostname } = new URL(api)
  try {
    const refused = await refusedHost(hostname, rules)
    if (refused) throw new RefusedApiError(`${host} is not contacted: ${refused}`)
    const response = await fetch(`${api}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return { ok: response.ok, status: response.status, text: await textOf(response) }
  } catch (error) {
    if (error instanceof CloudflareError) throw error
    throw new CloudflareError(`${host} cannot be reached`)
  }
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new CloudflareError('The answer of Cloudflare is too long')
  }
  return text
}

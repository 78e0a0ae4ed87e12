import { z } from 'zod'
import { parseJson } from '#shared/parse.ts'
import type { Secret } from '#shared/secret.ts'

const TIMEOUT_MS = 30_000
const MOST_BYTES = 4 << 20
const PER_PAGE = 50
const MOST_PAGES = 40

const Id = z.string().regex(/^[0-9a-f]{32}$/)
/** The envelope of every answer: developers.cloudflare.com/api. */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
})
const Verified = z.object({ status: z.string() })
const Zones = z.array(z.object({ id: Id, name: z.string().max(253) }))
const CloudflareRecord = z.object({
  id: Id,
  type: z.string(),
  content: z.string().max(500),
  proxied: z.boolean().default(false),
  ttl: z.number().default(1),
})
export type CloudflareRecord = z.infer<typeof CloudflareRecord>

/** The text of Cloudflare, or why it could not be asked. */
export class CloudflareError extends Error {}

export interface Account {
  api: string
  token: Secret
}

/** The zones of a token that Cloudflare calls active. Throws CloudflareError. */
export async function readZones(account: Account): Promise<z.infer<typeof Zones>> {
  const { status } = read(Verified, await call(account, '/user/tokens/verify'))
  if (status !== 'active') throw new CloudflareError(`Cloudflare: the token is ${status}`)
  const zones: z.infer<typeof Zones> = []
  for (let page = 1; page <= MOST_PAGES; page++) {
    const found = read(Zones, await call(account, `/zones?page=${page}&per_page=${PER_PAGE}`))
    zones.push(...found)
    if (found.length < PER_PAGE) break
  }
  return zones
}

export async function readRecords(account: Account, zone: string, name: string) {
  const query = new URLSearchParams({ name, per_page: '100' })
  const path = `/zones/${zone}/dns_records?${query}`
  return read(z.array(CloudflareRecord), await call(account, path))
}

type NewRecord = Pick<CloudflareRecord, 'type' | 'content' | 'proxied' | 'ttl'> & { name: string }

/** Returns its id. */
export async function createRecord(account: Account, zone: string, record: NewRecord) {
  const body = { method: 'POST', body: JSON.stringify(record) }
  return read(CloudflareRecord, await call(account, `/zones/${zone}/dns_records`, body)).id
}

export async function removeRecord(account: Account, zone: string, id: string): Promise<void> {
  await call(account, `/zones/${zone}/dns_records/${id}`, { method: 'DELETE' })
}

function read<T>(schema: z.ZodType<T>, result: unknown): T {
  const { data } = schema.safeParse(result)
  if (data !== undefined) return data
  throw new CloudflareError('Cloudflare: the answer has another form than expected')
}

async function call({ api, token }: Account, path: string, init: RequestInit = {}) {
  const response = await fetch(`${api}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined)
  if (!response) throw new CloudflareError(`${new URL(api).host} cannot be reached`)
  const envelope = parseJson(Envelope, await textOf(response))
  if (!envelope) throw new CloudflareError(`Cloudflare answered ${response.status} without a body`)
  if (response.ok && envelope.success) return envelope.result
  const [error] = envelope.errors
  const reason = error ? `${error.message} (${error.code})` : `status ${response.status}`
  throw new CloudflareError(`Cloudflare: ${reason.replace(/\p{Cc}/gu, ' ').slice(0, 300)}`)
}

async function textOf({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MOST_BYTES) throw new CloudflareError('The answer of Cloudflare is too long')
  }
  return text
}

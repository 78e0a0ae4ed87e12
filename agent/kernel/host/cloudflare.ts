import { domainToUnicode } from 'node:url'
import { z } from 'zod'
import { messageOf } from '#shared/kernel/errors.ts'
import { canonicalDomain } from '#shared/kernel/names.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { DnsRecord } from './acme-port.ts'

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1 << 20
/** The minimum time to live of Cloudflare, in seconds. */
const TTL_S = 60
const IDENTICAL = 81058
const GONE = 81044

/** The envelope of every answer: developers.cloudflare.com/api. */
const Envelope = z.object({
  success: z.boolean(),
  errors: z.array(z.object({ code: z.number(), message: z.string() })),
  result: z.unknown(),
})
type Envelope = z.infer<typeof Envelope>

const Zones = z.array(z.object({ id: z.string().regex(/^[0-9a-f]{32}$/), name: z.string() }))
const Records = z.array(
  z.object({ id: z.string().regex(/^[0-9a-f]{32}$/), type: z.string(), content: z.string() }),
)

/** Thrown when it is certain that no record was set or removed. */
export class NothingChanged extends Error {}

/** Sets or removes a TXT record. Throws NothingChanged unless the answer to a change is lost. */
export async function setRecord(record: DnsRecord): Promise<void> {
  const zone = await zoneOf(record).catch(nothingChanged)
  const path = `/zones/${zone}/dns_records`
  if (record.action === 'present') {
    const { name, value } = record
    const body = { type: 'TXT', name, content: `"${value}"`, ttl: TTL_S }
    await callApi(record, { method: 'POST', path, body, unless: IDENTICAL })
    return
  }
  const query = new URLSearchParams({ type: 'TXT', name: record.name })
  const asked = callApi(record, { path: `${path}?${query}` })
  const found = await asked.then((answer) => read(Records, answer)).catch(nothingChanged)
  for (const { id, type, content } of found) {
    if (type !== 'TXT' || content.replace(/^"|"$/g, '') !== record.value) continue
    await callApi(record, { method: 'DELETE', path: `${path}/${id}`, unless: GONE })
  }
}

function nothingChanged(error: unknown): never {
  throw new NothingChanged(messageOf(error))
}

/** Finds the longest zone of the name among those that the token can see. */
async function zoneOf(record: DnsRecord): Promise<string> {
  const labels = record.name.split('.').slice(1)
  for (let at = 0; at < labels.length - 1; at++) {
    const name = labels.slice(at).join('.')
    for (const form of new Set([name, domainToUnicode(name) || name])) {
      const query = new URLSearchParams({ name: form })
      const zones = read(Zones, await callApi(record, { path: `/zones?${query}` }))
      const zone = zones.find((each) => (canonicalDomain(each.name) ?? each.name) === name)
      if (zone) return zone.id
    }
  }
  throw new Error(`Cloudflare: the token has no access to a zone of ${labels.join('.')}`)
}

function read<T>(schema: z.ZodType<T>, { result }: Envelope): T {
  const { data } = schema.safeParse(result)
  if (data === undefined) throw new Error('Cloudflare: the answer has an unexpected format')
  return data
}

interface ApiCall {
  method?: 'GET' | 'POST' | 'DELETE'
  path: string
  body?: object
  /** A code of an error that counts as success. */
  unless?: number
}

async function callApi(
  { api, token }: DnsRecord,
  { method = 'GET', path, body, unless }: ApiCall,
): Promise<Envelope> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${api}${path}`, {
    method,
    headers,
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw new Error(`${new URL(api).host} cannot be reached: ${messageOf(error)}`)
  })
  const text = await textOf(response)
  const data = parseJson(Envelope, text)
  if (!data) throw new Error(`Cloudflare answered ${response.status} without a readable body`)
  const [error] = data.errors
  if ((response.ok && data.success) || (unless !== undefined && error?.code === unless)) return data
  const reason = error ? `${error.message} (${error.code})` : `status ${response.status}`
  const message = `Cloudflare: ${reason.replace(/\p{Cc}/gu, ' ').slice(0, 300)}`
  throw response.status < 500 && !data.success ? new NothingChanged(message) : new Error(message)
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new Error('The answer of Cloudflare is too long')
  }
  return text
}

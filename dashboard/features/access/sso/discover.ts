import * as client from 'openid-client'
import { z } from 'zod'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import { isLoopbackUrl } from './loopback.ts'
import { providerFetch } from './provider-fetch.ts'

const DISCOVERY_PATH = '/.well-known/openid-configuration'
const MAX_REASON = 200

/** The fields of a discovery document that are used (OpenID Connect Discovery 1.0, 3; RFC 9207). */
const Metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.string().exactOptional(),
  token_endpoint: z.string().exactOptional(),
  jwks_uri: z.string().exactOptional(),
  userinfo_endpoint: z.string().exactOptional(),
  response_types_supported: z.array(z.string()).exactOptional(),
  code_challenge_methods_supported: z.array(z.string()).exactOptional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).exactOptional(),
  authorization_response_iss_parameter_supported: z.boolean().exactOptional(),
})
type Metadata = z.infer<typeof Metadata>

interface Discovered {
  /** The discovery document; undefined if no login can work with it. */
  metadata?: Metadata
  /** The problems in sentences, which a person can correct. */
  problems: string[]
}

/**
 * Reads what a provider says of itself, and whether a login can work with it: the code flow with PKCE
 * and SHA-256, under exactly this issuer.
 */
export async function discover(issuer: string, rules: AddressRules): Promise<Discovered> {
  const url = `${issuer.replace(/\/$/, '')}${DISCOVERY_PATH}`
  const answer = await read(url, rules)
  if (typeof answer === 'string') return { problems: [answer] }
  const metadata = parseJson(Metadata, answer.text)
  if (!metadata) return { problems: [`${url} is no discovery document of OpenID Connect`] }
  const problems = problemsIn(metadata, issuer)
  if (problems.length > 0) return { problems }
  const saysNothing = metadata.code_challenge_methods_supported === undefined
  return { metadata, problems: saysNothing ? [UNNAMED_PKCE] : [] }
}

/** The problem of a provider that may not check the code verifier; a login works with it. */
const UNNAMED_PKCE =
  'The provider does not say that it supports PKCE with the method S256: logins use it, and a provider that ignores it protects them less'

/** Returns the text at an address, or why it could not be read. */
async function read(url: string, rules: AddressRules): Promise<{ text: string } | string> {
  try {
    const response = await providerFetch(rules)(url, { headers: { accept: 'application/json' } })
    if (response.status === 200) return { text: await response.text() }
    const isRedirect = response.status >= 300 && response.status < 400
    const what = isRedirect ? 'redirects elsewhere' : `answered ${response.status}`
    return `${url} ${what}: the issuer must be the address that the provider calls itself`
  } catch (error) {
    return `${url} cannot be reached: ${messageOf(error).slice(0, MAX_REASON)}`
  }
}

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

function problemsIn(metadata: Metadata, issuer: string): string[] {
  const own = printable(metadata.issuer)
  const { response_types_supported: types, code_challenge_methods_supported: methods } = metadata
  const named = [
    ...ENDPOINTS,
    ...(metadata.userinfo_endpoint ? ['userinfo_endpoint' as const] : []),
  ]
  return [
    ...(metadata.issuer === issuer
      ? []
      : [`The provider calls itself ${own}, not ${issuer}: enter the issuer exactly like that`]),
    ...named
      .filter((name) => !isUsable(metadata[name], issuer))
      .map((name) => `The provider names no ${name} with an https: address`),
    ...(types?.includes('code')
      ? []
      : ['The provider does not support the authorization code flow']),
    ...(methods === undefined || methods.includes('S256')
      ? []
      : ['The provider does not support PKCE with the method S256']),
  ]
}

const printable = (text: string) => text.replace(/\p{C}/gu, '?').slice(0, MAX_REASON)

/** Whether an endpoint is on TLS; on loopback, only a provider of this machine may name it without. */
function isUsable(endpoint: string | undefined, issuer: string): boolean {
  if (endpoint === undefined || !URL.canParse(endpoint)) return false
  const url = new URL(endpoint)
  if (url.protocol === 'https:') return true
  return url.protocol === 'http:' && isLoopbackUrl(url) && isLoopbackUrl(new URL(issuer))
}

interface Client {
  client_id: string
  secret: Secret
}

/**
 * Makes the client of a provider. It checks the signature of each ID token, and not its claims alone,
 * as the code flow would allow.
 */
export function clientOf(
  metadata: Metadata,
  { client_id, secret }: Client,
  rules: AddressRules,
): client.Configuration {
  const text = secret.reveal()
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const isBasic = methods.includes('client_secret_basic')
  const auth = isBasic ? client.ClientSecretBasic(text) : client.ClientSecretPost(text)
  const server = metadata as client.ServerMetadata
  const config = new client.Configuration(server, client_id, { client_secret: text }, auth)
  config[client.customFetch] = providerFetch(rules)
  config.timeout = 20
  client.enableNonRepudiationChecks(config)
  // providerFetch allows it on loopback alone.
  if (isLoopbackUrl(new URL(metadata.issuer))) client.allowInsecureRequests(config)
  return config
}

import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
} from 'openid-client'
import { z } from 'zod'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { checksPurpose, type SsoDeps } from './begin.ts'
import type { FlowRow } from './flows.queries.ts'
import type { ProviderRow } from './providers.queries.ts'
import { redirectUri, requirePublicUrl } from './providers.ts'

const Checks = z.object({ verifier: z.string(), nonce: z.string() })

/** The subject of an ID token: at most 255 ASCII characters (OpenID Connect Core 1.0, 2). */
const Subject = z.string().regex(/^[\x20-\x7e]{1,255}$/)

export type Claims = Readonly<Record<string, unknown>>

/** Who has logged in at a provider, as its signed ID token says. */
export interface VerifiedLogin {
  issuer: string
  subject: string
  /** Returns all claims, those of the userinfo endpoint too, which is asked for what is missing. */
  details(needed: readonly string[]): Promise<Claims>
}

/** A login that is refused; the message is for the activity. */
export class SsoRefusal extends Error {
  /** The text for the person who logs in. */
  readonly advice: string

  constructor(reason: string, advice: string) {
    super(reason)
    this.advice = advice
  }
}

const AGAIN = 'The login could not be verified: begin it again'

/**
 * Exchanges the code of a login. The ID token must be signed by the provider, for this client, with the
 * nonce of this login; `iss` of the answer, if there is one, must be its issuer (RFC 9207). Throws
 * SsoRefusal.
 */
export async function exchangeCode(
  deps: SsoDeps,
  provider: ProviderRow,
  flow: FlowRow,
  params: URLSearchParams,
): Promise<VerifiedLogin> {
  const config = await deps.clients.of(provider)
  const sealed = deps.sealer.open(checksPurpose(flow.hash), flow.checks_sealed)
  const checks = parseJson(Checks, sealed.reveal())
  const state = params.get('state')
  if (!checks || state === null) throw new SsoRefusal('its record cannot be read', AGAIN)
  const url = new URL(redirectUri(requirePublicUrl(deps), provider.key))
  url.search = String(params)
  try {
    const tokens = await authorizationCodeGrant(config, url, {
      pkceCodeVerifier: checks.verifier,
      expectedState: state,
      expectedNonce: checks.nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    const subject = Subject.safeParse(claims?.sub).data
    if (!claims || subject === undefined) throw new SsoRefusal('the ID token names nobody', AGAIN)
    return {
      issuer: claims.iss,
      subject,
      details: (needed) => detailsOf(config, claims, tokens.access_token, needed),
    }
  } catch (error) {
    throw refusalOf(error)
  }
}

async function detailsOf(
  config: Configuration,
  claims: Claims & { sub: string },
  access_token: string,
  needed: readonly string[],
): Promise<Claims> {
  const isMissing = needed.some((name) => claims[name] === undefined)
  if (!isMissing || config.serverMetadata().userinfo_endpoint === undefined) return claims
  const more = await fetchUserInfo(config, access_token, claims.sub).catch((error: unknown) => {
    throw refusalOf(error)
  })
  // An address and its verification are of one source: one never verifies that of the other.
  const { email, email_verified, ...own } = claims
  const isWhole = email !== undefined && email_verified !== undefined
  return { ...more, ...own, ...(isWhole && { email, email_verified }) }
}

const MAX_REASON = 200
const printable = (text: string) => text.replace(/\p{C}/gu, ' ').slice(0, MAX_REASON)

function refusalOf(error: unknown): unknown {
  if (error instanceof SsoRefusal) return error
  if (error instanceof AuthorizationResponseError) {
    const reason = printable([error.error, error.error_description].filter(Boolean).join(': '))
    return new SsoRefusal(
      `the provider refused it: ${reason}`,
      `The provider refused the login: ${reason}`,
    )
  }
  if (!(error instanceof Error)) return error
  const cause = error.cause instanceof Error ? `, ${error.cause.message}` : ''
  const code = codeOf(error)
  const reason = `${code === '' ? '' : `${code}: `}${error.message}${cause}`
  return new SsoRefusal(`its answer was not accepted: ${printable(reason)}`, AGAIN)
}

import { buildAuthorizationUrl, calculatePKCECodeChallenge } from 'openid-client'
import { type AcceptDeps, getInvitation } from '#dashboard/features/access/accounts/invitations.ts'
import { type LoginDeps, prefixOf } from '#dashboard/kernel/auth/login.ts'
import { findUser } from '#dashboard/kernel/auth/queries.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type { StartSso } from '#shared/access/api/single-sign-on.ts'
import { conflict, unauthorized } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import type { ProviderClients } from './clients.ts'
import { type FlowRow, insertFlow } from './flows.queries.ts'
import type { ProviderRow } from './providers.queries.ts'
import { getEnabled, type ProviderDeps, redirectUri, requirePublicUrl } from './providers.ts'

export interface SsoDeps extends ProviderDeps, LoginDeps, AcceptDeps {
  clients: ProviderClients
}

/** How long a login at a provider may take, in seconds. */
export const FLOW_SECONDS = 600

/** A login that has begun: the address to open, and the cookie of the browser that may end it. */
interface BegunLogin {
  url: string
  browser: string
}

/** Binds the sealed checks of a login to it. */
export const checksPurpose = (hash: string) => `sso flow ${hash}`

/**
 * Begins a login at a provider, or the acceptance of an invitation by one. Throws 404 for a provider
 * that cannot be used, 409 without PUBLIC_URL, and 429 for too many from an address.
 */
export async function beginLogin(
  deps: SsoDeps,
  { provider: key, to, invitation }: StartSso,
  address: string,
): Promise<BegunLogin> {
  deps.throttle.startSso(prefixOf(address))
  const provider = await getEnabled(deps, key)
  if (!invitation) return begin(deps, provider, { purpose: 'login', return_to: to })
  const { invitation: open } = await getInvitation(deps, invitation, address)
  return begin(deps, provider, { purpose: 'invitation', invitation_hash: open.hash })
}

/** Begins a login whose identity is linked with the account of the caller. */
export async function beginLink(deps: SsoDeps, caller: Caller, key: string): Promise<BegunLogin> {
  const provider = await getEnabled(deps, key)
  const user = await findUser(deps, caller.user.id)
  if (!user) throw unauthorized()
  if (user.managed_by !== '')
    throw conflict(
      'This account belongs to its login at a provider, whose claim decides its role: no other one can be linked',
    )
  const { jti } = caller
  return begin(deps, provider, { purpose: 'link', user_id: user.id, jti, return_to: '/account' })
}

type Flow = Pick<FlowRow, 'purpose'> &
  Partial<Pick<FlowRow, 'user_id' | 'jti' | 'invitation_hash' | 'return_to'>>

async function begin(deps: SsoDeps, provider: ProviderRow, flow: Flow): Promise<BegunLogin> {
  const { clock, random, sealer } = deps
  const config = await deps.clients.of(provider)
  const state = randomText(random, 32)
  const browser = randomText(random, 32)
  const checks = { verifier: randomText(random, 32), nonce: randomText(random, 32) }
  const hash = sha256(state)
  const row = {
    user_id: 0,
    jti: '',
    invitation_hash: '',
    return_to: '/',
    ...flow,
    hash,
    browser_hash: sha256(browser),
    provider: provider.key,
    checks_sealed: sealer.seal(checksPurpose(hash), new Secret(JSON.stringify(checks))),
    expires_at: timestamp(clock, FLOW_SECONDS * 1000),
  }
  await insertFlow(deps, row, timestamp(clock))
  const url = buildAuthorizationUrl(config, {
    redirect_uri: redirectUri(requirePublicUrl(deps), provider.key),
    scope: provider.scope,
    state,
    nonce: checks.nonce,
    code_challenge: await calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: 'S256',
  })
  return { url: url.href, browser }
}

export const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')

import { listOwners } from '#dashboard/features/access/accounts/accounts.queries.ts'
import { ownerOf } from '#dashboard/features/access/accounts/accounts.ts'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { MarkedRecords } from '#dashboard/kernel/auth/queries.ts'
import { SESSIONS_NEWS } from '#dashboard/kernel/auth/session-revocation.ts'
import type { CommonDeps } from '#dashboard/kernel/db/common-deps.ts'
import { violatesUnique } from '#dashboard/kernel/db/violations.ts'
import type { Caller } from '#dashboard/kernel/http/caller.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import {
  type ClaimRole,
  ClaimRoles,
  type CreateIdentityProvider,
  type IdentityProvider,
  type LoginProvider,
  MAX_PROVIDERS,
  type UpdateIdentityProvider,
} from '#shared/access/api/single-sign-on.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { discover } from './discover.ts'
import {
  deleteProvider,
  findProvider,
  insertProvider,
  type LinkedAccount,
  listLinked,
  listProviders,
  type ProviderRow,
  updateProvider,
} from './providers.queries.ts'

export interface ProviderDeps extends MarkedRecords, Pick<CommonDeps, 'clock' | 'bus'> {
  sealer: Sealer
  /** The rules for addresses of agents, which hold for providers, too. */
  rules: AddressRules
  public_url: string | undefined
}

const NO_URL =
  'Single sign-on is off: the dashboard does not know its address, because PUBLIC_URL is not set in its environment'

/** Binds a sealed client secret to its provider. */
export const purposeOf = (key: string) => `identity provider ${key}`

/** Returns the address at which a provider answers a login, whatever host a request names. */
export const redirectUri = (public_url: string, key: string): string =>
  `${public_url.replace(/\/$/, '')}/sso/${key}`

export const rolesIn = ({ roles }: Pick<ProviderRow, 'roles'>): readonly ClaimRole[] =>
  parseJson(ClaimRoles, roles) ?? []

export async function getProvider(records: MarkedRecords, key: string): Promise<ProviderRow> {
  const provider = await findProvider(records, key)
  if (!provider) throw notFound('Identity provider')
  return provider
}

/** Returns the address of this dashboard. Throws 409 when it does not know it. */
export function requirePublicUrl({ public_url }: Pick<ProviderDeps, 'public_url'>): string {
  if (public_url === undefined) throw conflict(NO_URL)
  return public_url
}

/** Returns a provider that can be used. Throws 404 for any other key, and 409 without PUBLIC_URL. */
export async function getEnabled(deps: ProviderDeps, key: string): Promise<ProviderRow> {
  requirePublicUrl(deps)
  const provider = await getProvider(deps, key)
  if (provider.is_enabled !== 1) throw notFound('Identity provider')
  return provider
}

/** Lists the providers at which a login can begin. */
export async function listEnabled(deps: ProviderDeps): Promise<LoginProvider[]> {
  if (deps.public_url === undefined) return []
  const enabled = (await listProviders(deps)).filter(({ is_enabled }) => is_enabled === 1)
  return enabled.map(({ key, name }) => ({ key, name }))
}

/** Shows the providers, and why none can be used. */
export async function showProviders(deps: ProviderDeps): Promise<{
  providers: IdentityProvider[]
  redirect_base: string | null
  problem: string | null
}> {
  const linked = await listLinked(deps)
  const rows = await listProviders(deps)
  const enabled = new Set(rows.filter((row) => row.is_enabled === 1).map(({ issuer }) => issuer))
  return {
    providers: rows.map((row) => viewOf(deps, row, linked, enabled)),
    redirect_base: deps.public_url === undefined ? null : redirectUri(deps.public_url, ''),
    problem: deps.public_url === undefined ? NO_URL : null,
  }
}

async function showProvider(deps: ProviderDeps, key: string): Promise<IdentityProvider> {
  const provider = (await showProviders(deps)).providers.find((one) => one.key === key)
  if (!provider) throw notFound('Identity provider')
  return provider
}

function viewOf(
  { public_url }: ProviderDeps,
  row: ProviderRow,
  linked: readonly LinkedAccount[],
  enabled: ReadonlySet<string>,
): IdentityProvider {
  const { key, name, issuer, client_id, scope, claim, created_at } = row
  const own = linked.filter(({ issuers }) => issuers.includes(issuer))
  const isOther = (other: string) => other !== issuer && enabled.has(other)
  return {
    key,
    name,
    issuer,
    client_id,
    scope,
    is_enabled: row.is_enabled === 1,
    own_factor: row.own_factor === 1,
    claim: claim === '' ? null : claim,
    roles: [...rolesIn(row)],
    redirect_uri: public_url === undefined ? null : redirectUri(public_url, key),
    accounts: own.length,
    only_way: own.filter(({ has_password, issuers }) => !has_password && !issuers.some(isOther))
      .length,
    created_at,
  }
}

/**
 * Adds a provider, whose discovery document is read first. Throws 422 on `issuer` with what is wrong
 * with it, and 409 when there are as many as a dashboard can have.
 */
export async function createProvider(
  deps: ProviderDeps,
  caller: Caller,
  { client_secret, ...given }: CreateIdentityProvider,
): Promise<IdentityProvider> {
  const { sealer, clock, rules } = deps
  refuseUselessClaim(given)
  const { metadata, problems } = await discover(given.issuer, rules)
  if (!metadata) throw invalid({ issuer: problems })
  const values = {
    ...given,
    ...mappingOf(given),
    secret_sealed: sealer.seal(purposeOf(given.key), client_secret),
    is_enabled: 1,
    own_factor: given.own_factor ? 1 : 0,
    created_at: timestamp(clock),
  }
  const entry = entryOf(clock, {
    type: 'sso.provider_create',
    user_id: caller.user.id,
    detail: `${given.name}, ${given.issuer}${wordsOf(given)}`,
  })
  const added = { values, most: MAX_PROVIDERS, by: ownerOf(await listOwners(deps), caller) }
  const isStored = await insertProvider(deps, added, entry).catch(takenError)
  if (!isStored) throw conflict(`A dashboard has at most ${MAX_PROVIDERS} identity providers`)
  return showProvider(deps, given.key)
}

type Mapping = Pick<CreateIdentityProvider, 'claim' | 'roles'>

const mappingOf = ({ claim, roles }: Mapping) => ({
  claim: claim ?? '',
  roles: JSON.stringify(roles),
})

function refuseUselessClaim({ claim, roles }: Mapping): void {
  if (claim !== null && roles.length === 0)
    throw invalid({ roles: ['Must have a value, or nobody gets an account by the claim'] })
}

function wordsOf({ claim, roles }: Mapping): string {
  if (claim === null) return ''
  return `, claim ${claim}: ${roles.map(({ value, role }) => `${value} → ${role}`).join(', ')}`
}

/** Throws what the provider has in common with another one. */
function takenError(error: unknown): never {
  for (const [column, text] of [
    ['key', 'Another provider has this key'],
    ['name', 'Another provider has this name'],
    ['issuer', 'Another provider has this issuer'],
  ] as const)
    if (violatesUnique(error, `identity_providers.${column}`)) throw invalid({ [column]: [text] })
  throw error
}

/**
 * Changes a provider. All sessions of its accounts end, but that of the caller, when it is switched off
 * or when other people have a role by its claim.
 */
export async function changeProvider(
  deps: ProviderDeps,
  caller: Caller,
  row: ProviderRow,
  given: UpdateIdentityProvider,
): Promise<IdentityProvider> {
  const { clock, bus } = deps
  const mapping = mappingAfter(row, given)
  refuseUselessClaim(mapping)
  const values = { ...valuesOf(deps, row, given), ...mappingOf(mapping) }
  const next = { ...row, ...values }
  const changed = Object.keys(values).filter(
    (name) => Reflect.get(next, name) !== Reflect.get(row, name),
  )
  if (changed.length === 0) return showProvider(deps, row.key)
  const isRemapped = changed.includes('claim') || changed.includes('roles')
  const ends = next.is_enabled < row.is_enabled || isRemapped
  const words = { ...WORDS, is_enabled: next.is_enabled === 1 ? 'switched on' : 'switched off' }
  const named = changed.map((name) => Reflect.get(words, name) ?? name).join(', ')
  const entry = entryOf(clock, {
    type: 'sso.provider_update',
    user_id: caller.user.id,
    detail: `${next.name}: ${named}${isRemapped ? wordsOf(mapping) : ''}`,
  })
  const by = ownerOf(await listOwners(deps), caller)
  const change = { values, ends_but: ends ? caller.jti : undefined, by }
  if (!(await updateProvider(deps, row, change, entry).catch(takenError))) throw changedMeanwhile()
  if (ends) bus.notify(SESSIONS_NEWS)
  return showProvider(deps, row.key)
}

const mappingAfter = (row: ProviderRow, { claim, roles }: UpdateIdentityProvider): Mapping => ({
  claim: claim === undefined ? row.claim || null : claim,
  roles: roles ?? [...rolesIn(row)],
})

/** Returns the columns that a change gives a value, without those of the claim. */
function valuesOf(
  { sealer }: ProviderDeps,
  { key }: ProviderRow,
  {
    client_secret,
    is_enabled,
    own_factor,
    claim: _claim,
    roles: _roles,
    ...texts
  }: UpdateIdentityProvider,
) {
  const given = Object.entries(texts).filter(([, text]) => text !== undefined)
  return {
    ...(Object.fromEntries(given) as Partial<Pick<ProviderRow, keyof typeof texts>>),
    ...(client_secret && { secret_sealed: sealer.seal(purposeOf(key), client_secret) }),
    ...(is_enabled !== undefined && { is_enabled: is_enabled ? 1 : 0 }),
    ...(own_factor !== undefined && { own_factor: own_factor ? 1 : 0 }),
  }
}

const WORDS = {
  client_id: 'client ID',
  secret_sealed: 'client secret',
  own_factor: 'second factor',
}

/** Removes a provider with the identities of its accounts, whose sessions end. */
export async function removeProvider(
  deps: ProviderDeps,
  caller: Caller,
  row: ProviderRow,
): Promise<void> {
  const entry = entryOf(deps.clock, {
    type: 'sso.provider_delete',
    user_id: caller.user.id,
    detail: `${row.name}, ${row.issuer}`,
  })
  const by = ownerOf(await listOwners(deps), caller)
  const change = { ends_but: caller.jti, by }
  if (!(await deleteProvider(deps, row, change, entry))) throw changedMeanwhile()
  deps.bus.notify(SESSIONS_NEWS)
}

const changedMeanwhile = () =>
  conflict('The provider was changed meanwhile: try again', 'changed_meanwhile')

import type { Configuration } from 'openid-client'
import type { Clock } from '#dashboard/kernel/runtime/clock.ts'
import type { AddressRules } from '#dashboard/kernel/trust/addresses.ts'
import type { Sealer } from '#dashboard/kernel/trust/seal.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { clientOf, discover } from './discover.ts'
import type { ProviderRow } from './providers.queries.ts'
import { purposeOf } from './providers.ts'

/** How long a discovery document and the keys of a provider are used. */
const CACHE_MS = 10 * 60_000

interface Deps {
  clock: Clock
  sealer: Sealer
  rules: AddressRules
}

interface CachedClient {
  /** The mark of the provider, which is another one after each change. */
  mark: string
  until: number
  client: Promise<Configuration>
}

/** The clients of the providers, with what they say of themselves, for some minutes. */
export class ProviderClients {
  readonly #deps: Deps
  readonly #cached = new Map<string, CachedClient>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** Returns the client of a provider. Throws 409 when no login can work with it. */
  of(provider: ProviderRow): Promise<Configuration> {
    const { key, mark } = provider
    const now = this.#deps.clock.elapsed()
    const cached = this.#cached.get(key)
    if (cached?.mark === mark && cached.until > now) return cached.client
    const client = this.#make(provider)
    this.#cached.set(key, { mark, until: now + CACHE_MS, client })
    client.catch(() => {
      if (this.#cached.get(key)?.client === client) this.#cached.delete(key)
    })
    return client
  }

  async #make({ key, name, issuer, client_id, secret_sealed }: ProviderRow) {
    const { sealer, rules } = this.#deps
    const { metadata } = await discover(issuer, rules)
    if (!metadata)
      throw conflict(
        `${name} cannot be used at the moment: an owner of this dashboard can test it in the settings`,
      )
    const secret = sealer.open(purposeOf(key), secret_sealed)
    return clientOf(metadata, { client_id, secret }, rules)
  }
}

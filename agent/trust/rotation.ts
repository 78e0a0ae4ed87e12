import { publicKeyOf } from '#agent/host/public-keys.ts'
import { conflict, invalid, notFound } from '#shared/errors.ts'
import type { KeyList, KnownKeys } from '#shared/keys.ts'
import { activeKeys, type Trusted, type TrustedDashboard } from './trusted-dashboard.ts'

interface RotationDeps {
  trust: TrustedDashboard
  /** Seconds since 1970. */
  now(): number
  /** One at a time: Host.exclusive. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** The keys of the dashboard, which only a request signed with a valid key can replace. */
export class Rotation {
  readonly #deps: RotationDeps

  constructor(deps: RotationDeps) {
    this.#deps = deps
  }

  async known(): Promise<KnownKeys> {
    return this.#known(await this.#trusted())
  }

  /**
   * Throws conflict for an epoch that is not higher (a repeated old list), and invalid for a list
   * without a key that is valid now.
   */
  replace({ epoch, keys }: KeyList): Promise<KnownKeys> {
    return this.#deps.exclusive('hub-keys', async () => {
      const before = await this.#trusted()
      if (epoch <= before.epoch) throw conflict(`The keys have epoch ${before.epoch} already`)
      if (keys.some(({ public_key }) => !publicKeyOf(public_key)))
        throw invalid({ keys: ['Must be Ed25519 keys'] })
      const after = { ...before, epoch, keys }
      if (activeKeys(after, this.#deps.now()).size === 0)
        throw invalid({ keys: ['Must name a key that is valid now'] })
      await this.#deps.trust.write(after)
      return this.#known(after)
    })
  }

  async #trusted(): Promise<Trusted> {
    const trusted = await this.#deps.trust.read()
    if (!trusted) throw notFound('Dashboard')
    return trusted
  }

  #known(trusted: Trusted): KnownKeys {
    return { epoch: trusted.epoch, keys: [...activeKeys(trusted, this.#deps.now()).keys()] }
  }
}

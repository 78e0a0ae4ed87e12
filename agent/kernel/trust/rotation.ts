import { publicKeyOf } from '#agent/kernel/host/public-keys.ts'
import { conflict, invalid, notFound } from '#shared/kernel/errors.ts'
import type { KeyList, KnownKeys } from '#shared/servers/keys.ts'
import { activeKeys, type Trusted, type TrustedDashboard } from './trusted-dashboard.ts'

interface RotationDeps {
  trust: TrustedDashboard
  /** Seconds since 1970. */
  now(): number
  /** Runs work exclusively: Host.exclusive. */
  exclusive<T>(name: string, work: () => Promise<T>): Promise<T>
}

/** The keys of the dashboard, which only a request signed with a valid key can replace. */
export function rotationOf({ trust, now, exclusive }: RotationDeps) {
  const read = async (): Promise<Trusted> => {
    const trusted = await trust.read()
    if (!trusted) throw notFound('Dashboard')
    return trusted
  }
  const knownOf = (trusted: Trusted): KnownKeys => ({
    epoch: trusted.epoch,
    keys: [...activeKeys(trusted, now()).keys()],
  })
  return {
    known: async () => knownOf(await read()),

    /** Throws conflict for an epoch that is not higher, invalid for a list without a valid key. */
    replace: ({ epoch, keys }: KeyList): Promise<KnownKeys> =>
      exclusive('hub-keys', async () => {
        const before = await read()
        if (epoch <= before.epoch) throw conflict(`The keys have epoch ${before.epoch} already`)
        if (keys.some(({ public_key }) => !publicKeyOf(public_key)))
          throw invalid({ keys: ['Must be Ed25519 keys'] })
        const after = { ...before, epoch, keys }
        if (activeKeys(after, now()).size === 0)
          throw invalid({ keys: ['Must name a key that is valid now'] })
        await trust.write(after)
        return knownOf(after)
      }),
  }
}

export type KeyRotation = ReturnType<typeof rotationOf>

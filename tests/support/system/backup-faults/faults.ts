import type { StorageKind } from './storages.ts'
import type { FaultyWorld } from './world.ts'

type End = 'complete' | 'error'

export interface Fault {
  name: string
  /** How an operation may end. */
  ends(storage: StorageKind): readonly End[]
  /** Resolves when the fault has happened; its end is that of `world.later`. */
  happen(world: FaultyWorld, pid: string): Promise<unknown>
}

/** What happens to an operation while its restic runs. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'restic is killed',
    ends: () => ['error'],
    happen: ({ server }, pid) => server.host.must(['kill', '-KILL', pid]),
  },
  {
    name: 'the storage is killed, and starts again',
    // restic makes no second connection of ssh, but its first one waits.
    ends: (storage) => (storage === 'sftp' ? ['error', 'complete'] : ['complete']),
    async happen(world) {
      const { host, service } = world.storage
      await host.must(['systemctl', 'kill', '--signal=KILL', service])
      world.later(1500, () => host.must(['systemctl', 'start', service]))
    },
  },
  {
    name: 'the network is cut for some seconds',
    ends: () => ['complete'],
    async happen(world) {
      const { host } = world.server
      await host.partition(true)
      world.later(3000, () => host.partition(false))
    },
  },
]

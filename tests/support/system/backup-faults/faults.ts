import type { FaultyWorld } from './world.ts'

export interface Fault {
  name: string
  /** Whether an operation fails for it; it continues otherwise. */
  fails: boolean
  happen(world: FaultyWorld, pid: string): Promise<unknown>
}

/** What happens to an operation while its restic runs. */
export const FAULTS: readonly Fault[] = [
  {
    name: 'restic is killed',
    fails: true,
    happen: ({ server }, pid) => server.host.must(['kill', '-KILL', pid]),
  },
  {
    name: 'the storage is killed, and starts again',
    fails: false,
    async happen({ storage }) {
      await storage.host.must(['systemctl', 'kill', '--signal=KILL', 'rest'])
      setTimeout(() => storage.host.must(['systemctl', 'start', 'rest']), 1500)
    },
  },
  {
    name: 'the network is cut for some seconds',
    fails: false,
    async happen({ server }) {
      await server.host.partition(true)
      setTimeout(() => server.host.partition(false), 3000)
    },
  },
]

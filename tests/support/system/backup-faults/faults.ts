import type { Ended } from '#tests/support/system/backup-host.ts'
import { ENVIRONMENT } from '#tests/support/system/machine.ts'
import type { StorageKind } from './storages.ts'
import type { FaultyWorld } from './world.ts'

type End = Ended['event']

export interface Fault {
  name: string
  /** How an operation may end. */
  ends(storage: StorageKind): readonly End[]
  /** Resolves when the fault has happened; its end is that of `world.later`. */
  happen(world: FaultyWorld, pid: string): Promise<unknown>
}

export const RESTIC_KILLED: Fault = {
  name: 'restic is killed',
  ends: () => ['error'],
  happen: ({ server }, pid) => server.host.must(['kill', '-KILL', pid]),
}

/** What happens to an operation while its restic runs. */
export const FAULTS: readonly Fault[] = [
  RESTIC_KILLED,
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

/** Not restic, which systemd has started; the next agent ends what this one has left. */
export const AGENT_KILLED: Fault = {
  name: 'the agent is killed',
  ends: () => ['killed'],
  async happen(world) {
    const { host } = world.server
    await host.must(['pkill', '--signal=KILL', '--full', `^${AGENT} backup[.]`])
    world.later(0, () => host.must([AGENT, 'recover'], { env: ENVIRONMENT }))
  },
}

const AGENT = '/usr/local/bin/hosting-agent'

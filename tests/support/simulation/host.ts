import type { AcmeOutcome } from '#agent/host/acme-port.ts'
import { fingerprintOf } from '#agent/host/fingerprint.ts'
import type { Host, Output } from '#agent/host/ports.ts'
import type { Dice } from '#agent/host/simulated/dice.ts'
import { randomFrom, simulatedHost } from '#agent/host/simulated/host.ts'
import { SETTINGS } from '#agent/host/simulated/settings.ts'
import type { Machine } from './machine.ts'
import type { Process } from './process.ts'
import { administer, perform } from './programs.ts'
import type { Timeline } from './timeline.ts'

/** The simulation's start. */
export const START = Date.UTC(2026, 5, 1)

const NOTHING: Output = { code: 128, stdout: '', stderr: '' }

/** For work outside the simulation: everything happens at once. */
export const OPEN: Pick<Process, 'look' | 'act'> = {
  look: async (value) => value(),
  act: async (effect) => effect(),
}

/** The ports of the agent on a simulated machine, for one process of the agent. */
export function hostOn(
  machine: Machine,
  door: Pick<Process, 'look' | 'act'>,
  timeline: Timeline,
  dice: Dice,
): Host {
  return simulatedHost({
    disk: machine.disk,
    door,
    run: (argv, options, may) =>
      door.act(() => (may() ? perform(machine, argv, options) : NOTHING), 1, 40),
    query: async () => [],
    database: {
      admin: (name, values = []) => door.act(() => administer(machine, name, values)),
    },
    net: {
      fetch: () => door.act(() => new Uint8Array()),
      download: () => Promise.reject(new Error('no network')),
      probe: (probe) => door.act(() => machine.probe(probe)),
      resolve: (names) => door.act(() => names.map(() => ['203.0.113.7'])),
    },
    visitor: {
      // nginx presents what is installed; the health of sites is not simulated.
      visit: async (visits) =>
        visits.map(({ path }) =>
          path.startsWith('/.well-known/')
            ? { status: 404, headers: {}, body: '', ms: 0 }
            : { failed: 'refused', ms: 0 },
        ),
      pingFpm: async () => 'pong',
      fpmStatus: async () => undefined,
      handshake: async ({ chain }) => fingerprintOf(chain),
    },
    acme: {
      order: async (): Promise<AcmeOutcome> => ({ refused: [] }),
      renewals: async () => undefined,
      record: async () => undefined,
    },
    clock: {
      now: () => START + Math.floor(timeline.now) + machine.skew,
      elapsed: () => timeline.now,
      sleep: (ms) => timeline.sleep(ms),
    },
    random: randomFrom(dice),
    settings: SETTINGS,
  })
}

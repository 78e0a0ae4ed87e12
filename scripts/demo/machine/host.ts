import { fingerprintOf } from '#agent/host/fingerprint.ts'
import type { Host } from '#agent/host/ports.ts'
import { Dice } from '#agent/host/simulated/dice.ts'
import { randomFrom, simulatedHost } from '#agent/host/simulated/host.ts'
import { done } from '#agent/host/simulated/programs/output.ts'
import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { NEWEST_CORE } from '#scripts/demo/wordpress/catalogue.ts'
import { certify } from './authority.ts'
import type { Machine } from './machine.ts'
import { query } from './programs/database.ts'
import { durationOf, perform } from './programs.ts'
import type { Turns } from './turns.ts'
import { answerOf, visited } from './web.ts'

const ORDER_MS = 1800
export const CORE_SHA1 = '0'.repeat(40)

export interface Surroundings {
  turns: Turns
  /** The duration of programs, relative to an average machine; 0: no time at all. */
  pace: number
}

/** The ports of the agent on a server of the demo. */
export function hostOn(machine: Machine, { turns, pace }: Surroundings): Host {
  const dice = new Dice(`${machine.plan.name} ${machine.time.now()}`)
  const varied = (ms: number) => ms * dice.between(0.75, 1.35)
  return simulatedHost({
    disk: machine.disk,
    door: {
      look: (value) => turns.take().then(value),
      act: async (effect) => effect(),
    },
    async run(argv, options, may) {
      const ms = varied(durationOf(argv, pace))
      if (ms > 0) await sleep(ms)
      return may() ? perform(machine, argv, options) : done()
    },
    query: (sql, values) => turns.take().then(() => query(machine, sql, values)),
    database: {
      admin: (statement, values = []) =>
        turns.take().then(() => machine.mariadb.admin(statement, values)),
    },
    net: {
      fetch: async () => new TextEncoder().encode(`${CORE_SHA1}  wordpress-${NEWEST_CORE}\n`),
      download: () => Promise.reject(new Error('This server of the demo has no network')),
      probe: async (probe) => answerOf(machine, probe),
      resolve: async (names) => names.map(() => ['203.0.113.7']),
    },
    visitor: {
      visit: async (visits) => visits.map((visit) => visited(machine, visit)),
      pingFpm: async (socket) => (machine.disk.find(socket) ? 'pong' : 'refused'),
      fpmStatus: async () => undefined,
      handshake: async ({ chain }) => fingerprintOf(chain),
    },
    acme: {
      renewals: async () => undefined,
      record: async () => undefined,
      order: (order) => sleep(varied(ORDER_MS * pace)).then(() => certify(order, machine)),
    },
    clock: { ...machine.time, sleep },
    random: randomFrom(dice),
    settings: { ...SETTINGS, version: machine.plan.version },
  })
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

import { setImmediate } from 'node:timers/promises'
import { ACME_ROOT } from '#agent/features/web/base.ts'
import { fingerprintOf } from '#agent/kernel/host/fingerprint.ts'
import type { Host, ProbeRequest } from '#agent/kernel/host/ports.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { randomFrom, simulatedHost } from '#agent/kernel/host/simulated/host.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import type { VisitRequest, VisitResult } from '#agent/kernel/host/visit-port.ts'
import { isCanary } from '#agent/kernel/site/canary.ts'
import { NEWEST_CORE } from '#scripts/demo/wordpress.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { certify } from './authority.ts'
import { canaryAnswer } from './canary.ts'
import type { Machine } from './machine.ts'
import { query } from './programs/database.ts'
import { durationOf, perform } from './programs.ts'

const ORDER_MS = 1800
export const CORE_SHA1 = '0'.repeat(40)

export interface Surroundings {
  turns: Turns
  /** The duration of programs, relative to an average machine; 0: no time at all. */
  pace: number
}

/** Returns the ports of the agent on a server of the demo. */
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

type Answer = { status: number; body: string; headers: Record<string, string> }

const answer = (status: number, body = ''): Answer => ({ status, body, headers: {} })

type Request = Pick<ProbeRequest, 'host' | 'path'>

/** Returns a visitor's answer, which needs nginx, PHP and the tables of WordPress. */
function answerOf(machine: Machine, request: Request): Answer {
  const { host, path } = request
  const vhost = vhostOf(machine, host)
  if (vhost === undefined) return answer(isForeign(machine, host) ? 200 : 404)
  if (!path.startsWith('/.well-known/acme-challenge/')) return answerOfPhp(machine, vhost, request)
  const token = machine.disk.text(ACME_ROOT + path)
  return token === undefined ? answer(404) : answer(200, token)
}

function answerOfPhp(machine: Machine, vhost: string, { host, path }: Request): Answer {
  const [, socket = ''] = /unix:([^;\s]+\.sock)/.exec(vhost) ?? []
  const [, user = ''] = /^\s*root \/srv\/www\/([^/]+)\/public;/m.exec(vhost) ?? []
  if (!machine.disk.find(socket)) return answer(502, '<h1>502 Bad Gateway</h1>')
  const database = machine.databases.get(user)
  if (!database?.kit || database.broken)
    return answer(500, 'Error establishing a database connection')
  const [script, query] = path.split('?')
  if (script !== '/isolation.php' || !isCanary(host)) return answer(200, `<a href="//${host}/">`)
  return answer(200, canaryAnswer(machine, user, new URLSearchParams(query).get('do')))
}

/** Visits a page without a cache: a PHP that is slow elsewhere is not slow here. */
function visited(machine: Machine, visit: VisitRequest): VisitResult {
  return { ...answerOf(machine, visit), headers: {}, ms: 80 }
}

/** Returns whether a site was created manually: it never breaks here. */
const isForeign = ({ disk }: Machine, host: string) =>
  disk.text(`/etc/nginx/sites-enabled/${host}.conf`) !== undefined

function vhostOf({ disk }: Machine, host: string): string | undefined {
  const apex = apexOf(host)
  for (const name of [apex, `www.${apex}`]) {
    const text = disk.text(`/etc/nginx/sites-enabled/hosting-${name}.conf`)
    if (text !== undefined) return text
  }
  return undefined
}

/** The maximum time of work before other work runs. */
const MAX_MS = 6

/**
 * A disk in memory answers at once, so that reading thousands of sites would block everything else
 * in this process. A read waits for the previous one, and sometimes for other work.
 */
export class Turns {
  #tail: Promise<void> = Promise.resolve()
  #began = performance.now()

  take(): Promise<void> {
    this.#tail = this.#tail.then(() => this.#pause())
    return this.#tail
  }

  async #pause(): Promise<void> {
    if (performance.now() - this.#began < MAX_MS) return
    await setImmediate()
    this.#began = performance.now()
  }
}

import type { AcmeOutcome } from '#agent/kernel/host/acme-port.ts'
import { ADMIN_STATEMENTS, type AdminStatement } from '#agent/kernel/host/admin-statements.ts'
import { fingerprintOf } from '#agent/kernel/host/fingerprint.ts'
import type { Host, Output, RunOptions } from '#agent/kernel/host/ports.ts'
import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { randomFrom, simulatedHost } from '#agent/kernel/host/simulated/host.ts'
import { done, failed, lastOf, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import {
  moveEach,
  PROGRAMS,
  programOf,
  type SimulatedProgram,
} from '#agent/kernel/host/simulated/programs/programs.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import type { Machine } from './machine.ts'
import type { Process } from './process.ts'
import type { Timeline } from './timeline.ts'

const NGINX_CONF = 'include /etc/nginx/conf.d/*.conf;\ninclude /etc/nginx/sites-enabled/*;'

/** The effects of the agent's programs on a machine; programs not listed do nothing. */
const TABLE: Record<string, SimulatedProgram<Machine>> = {
  ...PROGRAMS,
  du: () => printed('8192\ttotal\n'),
  xargs({ disk, databases }, argv, options) {
    if (argv.includes('mv')) return moveEach({ disk }, argv, options)
    const { output_file = '' } = options
    const name = lastOf(argv)
    disk.add(output_file, `${name} ${databases.get(name)} \n-- Dump completed\n`)
    return done()
  },
  mariadb({ disk, databases }, _argv, { input_file }) {
    if (input_file === undefined) return printed('77705f6f7074696f6e73\nend\n')
    const [name = '', filled] = (disk.text(input_file) ?? '').split(' ')
    databases.set(name, filled === 'true')
    return done()
  },
  nginx(machine, argv) {
    if (argv.includes('-v')) return failed('nginx version: nginx/1.22.1', 0)
    if (!argv.includes('-T')) return done()
    const files = [['/etc/nginx/nginx.conf', NGINX_CONF], ...machine.served].map(
      ([path, text]) => `# configuration file ${path}:\n${text}`,
    )
    return printed(files.join('\n'))
  },
  php({ databases }, argv) {
    const line = argv.join(' ')
    const [, user = ''] = /--path=\/srv\/www\/([^/]+)\//.exec(line) ?? []
    if (!databases.has(user)) return failed('Error establishing a database connection.')
    if (line.includes(' core install ')) databases.set(user, true)
    return done()
  },
  'start-stop-daemon'(machine, argv) {
    if (argv.includes('HUP') && argv.includes('/run/nginx.pid')) machine.readNginx()
    return done()
  },
}

/** Runs a program to its end, in one step. */
function perform(machine: Machine, argv: readonly string[], options: RunOptions = {}): Output {
  const line = argv.join(' ')
  if (machine.unlucky(line)) return failed('bad luck')
  if (argv[1] !== 'show') machine.seen(line)
  return TABLE[programOf(argv)]?.(machine, argv, options) ?? done()
}

/** MariaDB: its confirmed data is on disk. */
function administer(machine: Machine, name: AdminStatement, values: readonly unknown[]) {
  const sql = ADMIN_STATEMENTS[name]
  const looks = /^(SELECT|SHOW|SET|KILL)/.test(sql)
  if (!looks && machine.unlucky(sql)) throw new Error('MariaDB: bad luck')
  if (!looks) machine.seen(`${sql.slice(0, 40)} ${values[0]}`)
  return machine.mariadb.admin(name, values)
}

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

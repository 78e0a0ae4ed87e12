import { CommandFailed } from '#agent/host/errors.ts'
import { exclusiveByName } from '#agent/host/exclusive.ts'
import type { Files, Host, Output, RunOptions } from '#agent/host/ports.ts'
import { Dice } from '#scripts/demo/dice.ts'
import { NEWEST_CORE } from '#scripts/demo/wordpress/catalogue.ts'
import { certify } from './authority.ts'
import type { Machine } from './machine.ts'
import { durationOf, perform } from './programs.ts'
import { Running } from './running.ts'
import { scannerOf } from './scanner.ts'
import type { Turns } from './turns.ts'
import { answerOf, visited } from './web.ts'

const ORDER_MS = 1800
export const CORE_SHA1 = '0'.repeat(40)

export const settings: Omit<Host['settings'], 'version'> = {
  state_dir: '/var/lib/hosting-agent',
  wordpress_url: 'https://wordpress.example',
  wp_cli_url: 'https://wp-cli.example/wp-cli.phar',
  wp_cli_sha512: '0'.repeat(128),
  acme_directory: 'https://acme.example/directory',
  acme_ca_file: undefined,
  wordpress_sha256: undefined,
  mail_dir: '/var/lib/hosting-mail',
  program: ['/usr/local/bin/hosting-agent'],
  build: 0,
  publisher_key: undefined,
}

export interface Surroundings {
  turns: Turns
  /** How long programs take, against a machine that is neither fast nor slow; 0: no time at all. */
  pace: number
}

/** The ports of the agent onto a simulated machine. */
export function hostOn(machine: Machine, { turns, pace }: Surroundings): Host {
  const programs = new Running()
  const dice = new Dice(`${machine.plan.name} ${machine.time.now()}`)
  const varied = (ms: number) => ms * dice.between(0.75, 1.35)
  const run = (argv: readonly string[], options: RunOptions = {}): Promise<Output> =>
    programs.run(options.operation ?? '', varied(durationOf(argv, pace)), () =>
      perform(machine, argv, options),
    )
  const orFail = async (argv: readonly string[], options?: RunOptions) => {
    const output = await run(argv, options)
    if (output.code !== 0) throw new CommandFailed(argv, output)
    return output
  }
  return {
    files: filesOf(machine, turns),
    scanner: scannerOf(machine, turns),
    programs,
    shell: {
      try: run,
      run: orFail,
      async *stream(argv, options) {
        const { stdout } = await orFail(argv, options)
        yield* stdout.split('\n').filter((line) => line !== '')
      },
      daemon: async (argv) => (await run(argv)).code,
    },
    database: {
      async admin(statement, values = []) {
        await turns.take()
        return machine.mariadb.admin(statement, values)
      },
    },
    net: {
      fetch: async () => new TextEncoder().encode(`${CORE_SHA1}  wordpress-${NEWEST_CORE}\n`),
      download: () => Promise.reject(new Error('This server of the demo has no network')),
      probe: async (probe) => answerOf(machine, probe),
    },
    visitor: {
      visit: async (visits) => visits.map((visit) => visited(machine, visit)),
      pingFpm: async (socket) => (machine.disk.find(socket) ? 'pong' : 'refused'),
    },
    acme: {
      async order(order) {
        await new Promise((resolve) => setTimeout(resolve, varied(ORDER_MS * pace)))
        return certify(order, machine)
      },
    },
    init: 'systemd',
    privileged: true,
    clock: {
      ...machine.time,
      sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    },
    random: {
      text: (length) =>
        dice.text('abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789', length),
      name: (length) => dice.text('abcdefghijklmnopqrstuvwxyz', length),
      integer: (below) => dice.below(below),
    },
    settings: { ...settings, version: machine.plan.version },
    exclusive: exclusiveByName(),
  }
}

function filesOf({ disk }: Machine, turns: Turns): Files {
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    await turns.take()
    return work()
  }
  return {
    read: (path, most) => turn(() => disk.read(path, most)),
    list: (path) => turn(() => disk.list(path)),
    stat: (path) => turn(() => disk.stat(path)),
    space: () => disk.space(),
    write: (path, text, options) => disk.write(path, text, options),
    append: (path, text) => disk.append(path, text),
    remove: (path) => disk.remove(path),
    rename: (from, to) => disk.rename(from, to),
    mkdir: (path, options) => disk.mkdir(path, options),
    link: (target, path) => disk.link(target, path),
  }
}

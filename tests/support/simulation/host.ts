import type { AcmeOutcome } from '#agent/host/acme-port.ts'
import { CommandFailed } from '#agent/host/errors.ts'
import { exclusiveByName } from '#agent/host/exclusive.ts'
import type { Files, Host, Output, RunOptions } from '#agent/host/ports.ts'
import { FakeHost } from '#tests/support/fake-host.ts'
import { scannerOf } from '#tests/support/fake-scanner.ts'
import type { Dice } from './dice.ts'
import type { Machine } from './machine.ts'
import type { Process } from './process.ts'
import { administer, perform } from './programs.ts'
import { Running } from './running.ts'
import type { Timeline } from './timeline.ts'

/** When the simulation begins. */
export const START = Date.UTC(2026, 5, 1)

const NOTHING: Output = { code: 143, stdout: '', stderr: '' }

/** How a process reaches its machine: `look` changes nothing, `act` does. */
export type Door = Pick<Process, 'look' | 'act'>

/** For work that is not part of the simulation: everything happens at once. */
export const OPEN: Door = {
  look: async (value) => value(),
  act: async (effect) => effect(),
}

/** The ports of the agent onto a simulated machine, for one process of the agent. */
export function hostOn(machine: Machine, door: Door, timeline: Timeline, dice: Dice): Host {
  const programs = new Running()
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    programs.run(options.operation ?? '', (may) =>
      door.act(() => (may() ? perform(machine, argv, options) : NOTHING), 1, 40),
    )
  const files = filesOn(machine, door)
  return {
    files,
    scanner: scannerOf(
      (root) => machine.disk.tree(root),
      (docroot) => (machine.disk.has(docroot) ? 0 : undefined),
      { files, query: async () => [] },
    ),
    programs,
    shell: {
      try: run,
      async run(argv, options) {
        const output = await run(argv, options)
        if (output.code !== 0) throw new CommandFailed(argv, output)
        return output
      },
      // biome-ignore lint/correctness/useYield: no program here says anything
      async *stream(argv) {
        await run(argv)
      },
      daemon: async (argv) => (await run(argv)).code,
    },
    database: {
      admin: (name, values = []) => door.act(() => administer(machine, name, values)),
    },
    net: {
      fetch: () => door.act(() => new Uint8Array()),
      download: () => Promise.reject(new Error('no network')),
      probe: (probe) => door.act(() => machine.probe(probe)),
    },
    visitor: {
      visit: async (visits) => visits.map(() => ({ failed: 'refused', ms: 0 })),
      pingFpm: async () => 'pong',
    },
    acme: { order: async (): Promise<AcmeOutcome> => ({ refused: [] }) },
    init: 'systemd',
    privileged: true,
    clock: {
      now: () => START + Math.floor(timeline.now) + machine.skew,
      elapsed: () => timeline.now,
      sleep: (ms) => timeline.sleep(ms),
    },
    random: {
      text: (length) => dice.text('abcdefghijklmnopqrstuvwxyz0123456789', length),
      name: (length) => dice.text('abcdefghijklmnopqrstuvwxyz', length),
      integer: (below) => dice.below(below),
    },
    settings: new FakeHost().settings,
    exclusive: exclusiveByName(),
  }
}

function filesOn(machine: Machine, door: Door): Files {
  const { disk } = machine
  const change = (path: string, work: () => Promise<void>) =>
    door.act(() => {
      machine.seen(path)
      void work()
    })
  return {
    read: (path, most) => door.look(() => undefined).then(() => disk.read(path, most)),
    list: (path) => door.look(() => undefined).then(() => disk.list(path)),
    stat: (path) => door.look(() => undefined).then(() => disk.stat(path)),
    space: () => door.look(() => undefined).then(() => disk.space()),
    write: (path, text, options) => change(path, () => disk.write(path, text, options)),
    append: (path, text, options) => change(path, () => disk.append(path, text, options)),
    remove: (path) => change(path, () => disk.remove(path)),
    rename: (from, to) => change(to, () => disk.rename(from, to)),
    mkdir: (path, options) => change(path, () => disk.mkdir(path, options)),
    link: (target, path) => change(path, () => disk.link(target, path)),
  }
}

import { createHash } from 'node:crypto'
import { CommandFailed } from '#agent/kernel/host/errors.ts'
import { exclusiveByName } from '#agent/kernel/host/exclusive-by-name.ts'
import { limitedByName } from '#agent/kernel/host/limited-by-name.ts'
import type {
  DatabaseRow,
  Files,
  Host,
  Output,
  Programs,
  Random,
  RunOptions,
  Shell,
} from '#agent/kernel/host/ports.ts'
import type { Dice } from './dice.ts'
import type { Disk } from './disk.ts'
import { scannerOf } from './scanner.ts'

/** How a process accesses its machine: `look` changes nothing, `act` does. Both may take time. */
interface MachineAccess {
  look<T>(value: () => T | Promise<T>): Promise<T>
  act<T>(effect: () => T | Promise<T>): Promise<T>
}

type RunProgram = (argv: readonly string[], options: RunOptions) => Promise<Output>
type GivenPorts = 'database' | 'net' | 'visitor' | 'acme' | 'clock' | 'random' | 'settings'

export interface SimulatedMachine extends Pick<Host, GivenPorts> {
  disk: Disk
  door: MachineAccess
  /** Runs a program to its end, and asks `may` just before its effect whether it still runs. */
  run(argv: readonly string[], options: RunOptions, may: () => boolean): Promise<Output>
  /** Queries the database of a site by its own account. */
  query(sql: string, values: readonly unknown[]): Promise<DatabaseRow[]>
}

/** Returns the ports of the agent on a simulated machine with systemd, for a privileged process. */
export function simulatedHost({ disk, door, run, query, ...ports }: SimulatedMachine): Host {
  const programs = new Running()
  const scanner = scannerOn(disk, query)
  return {
    ...ports,
    files: filesThrough(disk, door),
    scanner: {
      inventory: (site) => door.look(() => scanner.inventory(site)),
      application: (site) => door.look(() => scanner.application(site)),
      database: (site) => door.look(() => scanner.database(site)),
      databasePassword: (site) => door.look(() => scanner.databasePassword(site)),
    },
    programs,
    shell: shellOf((argv, options) =>
      programs.run(options.operation ?? '', (may) => run(argv, options, may)),
    ),
    init: 'systemd',
    privileged: true,
    exclusive: exclusiveByName(),
    shared: limitedByName(),
    holders: new Map(),
    unlimited: new Map(),
  }
}

export function shellOf(single: RunProgram): Shell {
  const run = withInputFrom(single)
  const succeed = async (argv: readonly string[], options: RunOptions = {}) =>
    succeeded(argv, await run(argv, options))
  return {
    run: succeed,
    try: (argv, options = {}) => run(argv, options),
    async *stream(argv, options = {}) {
      const output = await run(argv, options)
      yield* output.stdout.split('\n').filter((line) => line !== '')
      succeeded(argv, output)
    },
    async *bytes(argv, options = {}) {
      const output = succeeded(argv, await run(argv, options))
      if (output.stdout !== '') yield new TextEncoder().encode(output.stdout)
    },
    daemon: (argv) => run(argv, {}).then(() => DAEMON_PID),
  }
}

/** Runs the program of `input_from` to its end first, and passes on its output. */
const withInputFrom =
  (run: RunProgram): RunProgram =>
  async (argv, { input_from, ...options }) => {
    if (!input_from) return run(argv, options)
    const { stdout, ...rest } = await withInputFrom(run)(input_from.argv, input_from.options)
    const sha256 = createHash('sha256').update(stdout).digest('hex')
    const fed = { ...rest, bytes: Buffer.byteLength(stdout), sha256, end: stdout.slice(-200) }
    const input = `${options.input ?? ''}${stdout}`
    return { ...(await run(argv, { ...options, input })), fed }
  }

const DAEMON_PID = 4242

function succeeded(argv: readonly string[], output: Output): Output {
  if (output.code !== 0) throw new CommandFailed(argv, output)
  return output
}

export const scannerOn = (disk: Disk, query: SimulatedMachine['query']) =>
  scannerOf({
    open: (root) => disk.tree(root),
    uid: (docroot) => disk.statOf(docroot)?.uid,
    passwd: () => disk.text('/etc/passwd') ?? '',
    query,
  })

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

export const randomFrom = (dice: Dice): Random => ({
  text: (length) => dice.text(`${LETTERS}${LETTERS.toUpperCase()}0123456789`, length),
  name: (length) => dice.text(LETTERS, length),
  integer: (below) => dice.below(below),
})

function filesThrough(disk: Disk, door: MachineAccess): Files {
  return {
    read: (path, most) => door.look(() => disk.read(path, most)),
    part: (path, from, most) => door.look(() => disk.part(path, from, most)),
    list: (path, most) => door.look(() => disk.list(path, most)),
    stat: (path) => door.look(() => disk.stat(path)),
    space: (path) => door.look(() => disk.space(path)),
    write: (path, text, options) => door.act(() => disk.write(path, text, options)),
    append: (path, text, options) => door.act(() => disk.append(path, text, options)),
    remove: (path) => door.act(() => disk.remove(path)),
    rename: (from, to) => door.act(() => disk.rename(from, to)),
    mkdir: (path, options) => door.act(() => disk.mkdir(path, options)),
    link: (target, path) => door.act(() => disk.link(target, path)),
  }
}

const ENDED: Output = { code: 128, stdout: '', stderr: 'Terminated' }

/** The running programs of operations. A program that was ended has no effect. */
class Running implements Programs {
  readonly #ends = new Map<string, Set<() => void>>()

  /** Runs a program to its end; `may` returns just before its effect whether it still runs. */
  async run(operation: string, work: (may: () => boolean) => Promise<Output>): Promise<Output> {
    const killed = Promise.withResolvers<Output>()
    let runs = true
    const end = () => {
      runs = false
      killed.resolve(ENDED)
    }
    const mine = this.#ends.get(operation) ?? new Set()
    this.#ends.set(operation, mine.add(end))
    try {
      return await Promise.race([work(() => runs), killed.promise])
    } finally {
      mine.delete(end)
    }
  }

  async signal(operation: string): Promise<void> {
    for (const end of this.#ends.get(operation) ?? []) end()
  }

  async count(operation: string): Promise<number> {
    return this.#ends.get(operation)?.size ?? 0
  }

  async lasting(): Promise<number> {
    return 0
  }

  async forget(operation: string): Promise<void> {
    this.#ends.delete(operation)
  }
}

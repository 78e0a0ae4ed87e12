import type { Document } from '../lib/documents.ts'
import { importsIn } from '../lib/imports.ts'
import type { Recorded, TestFile } from './files.ts'
import { closures } from './reach.ts'

type Command = { name: string; changes: boolean }

/** The commands without a test of a kind, in the order of their names. */
export type Untested = {
  /** No test of the gate runs it on a server. */
  gate: string[]
  /** The command changes something, and no test of the full suite interrupts it. */
  interruption: string[]
}

/** Where a test on servers, simulated ones included, names the commands that it runs. */
const NAMES = /^tests\/(support\/)?(system|simulation)\//
const ON_SERVERS = ['system', 'simulation']

/** A test runs what its hosts ran in the last recorded run, and what its text names. */
export function untestedCommands(
  commands: readonly Command[],
  sources: readonly Document[],
  files: readonly TestFile[],
  recorded: Recorded,
): Untested {
  const closureOf = closures(importsIn(sources.filter(({ path }) => path.startsWith('tests/'))))
  const texts = new Map(sources.map(({ path, text }) => [path, text]))
  const without = (tests: readonly TestFile[]) => {
    const run = new Set(tests.flatMap(({ path }) => recorded[path]?.commands ?? []))
    const read = new Set(tests.flatMap(({ path }) => [...closureOf(path)]))
    const words = [...read].filter((path) => NAMES.test(path)).map((path) => texts.get(path))
    return commands.filter(
      ({ name }) => !run.has(name) && !words.some((text) => text?.includes(`'${name}'`)),
    )
  }
  const namesOf = (some: readonly Command[]) => some.map(({ name }) => name).sort()
  const servers = files.filter(({ part }) => ON_SERVERS.includes(part))
  return {
    gate: namesOf(without(servers.filter(({ tier }) => tier !== 'full'))),
    interruption: namesOf(
      without(servers.filter(({ part, interrupts }) => interrupts || part !== 'system')).filter(
        ({ changes }) => changes,
      ),
    ),
  }
}

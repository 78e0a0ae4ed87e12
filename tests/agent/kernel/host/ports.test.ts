import { describe, expect, test } from 'bun:test'
import type { Host, Output } from '#agent/kernel/host/ports.ts'
import { CachedDisk } from '#agent/kernel/host/simulated/cached-disk.ts'
import { Dice } from '#agent/kernel/host/simulated/dice.ts'
import { Disk } from '#agent/kernel/host/simulated/disk.ts'
import { randomFrom, simulatedHost } from '#agent/kernel/host/simulated/host.ts'
import { Mariadb } from '#agent/kernel/host/simulated/mariadb.ts'
import { done } from '#agent/kernel/host/simulated/programs/output.ts'
import {
  PROGRAMS,
  programOf,
  type SimulatedProgram,
} from '#agent/kernel/host/simulated/programs/programs.ts'
import { debian } from '#tests/support/agent/debian.ts'
import { CASES } from '#tests/support/port/cases.ts'

const TABLE: Record<string, SimulatedProgram<{ disk: Disk }>> = PROGRAMS
const NEVER = new Promise<Output>(() => undefined)

function machine(disk: Disk): Host {
  const base = debian()
  for (const path of ['/etc/passwd', '/etc/group', '/etc/shadow'])
    disk.putText(path, base.disk.text(path) ?? '')
  const mariadb = new Mariadb(() => undefined)
  return simulatedHost({
    ...base,
    disk,
    door: { look: async (value) => value(), act: async (effect) => effect() },
    run: (argv, options) =>
      argv[0] === 'sleep'
        ? NEVER
        : Promise.resolve(TABLE[programOf(argv)]?.({ disk }, argv, options) ?? done()),
    query: async () => [],
    database: { admin: async (name, values = []) => mariadb.admin(name, values) },
    random: randomFrom(new Dice(1)),
  })
}

function unitHost(): Host {
  const host = debian()
  host.hang('sleep')
  host.sandboxed = false
  return host
}

describe.each([
  ['a simulated machine', () => machine(new Disk())],
  ['a simulated machine with a write cache', () => machine(new CachedDisk(new Disk()))],
  ['the machine of the unit tests', unitHost],
])('%s', (_, make) => {
  test.each(CASES.map((one) => [one.title, one] as const))(
    '%s',
    async (_title, { act, answer }) => {
      expect(await act(make())).toEqual(answer)
    },
  )
})

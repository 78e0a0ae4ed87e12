import type { Command, CommandTable, Step } from '#agent/steps/command.ts'

const unused: Command<never> = {
  lock: () => undefined,
  plan: async () => [],
  // biome-ignore lint/correctness/useYield: a command that no test starts has nothing to say
  async *run() {
    throw new Error('not a command of this test')
  },
}

/** A table in which only the given commands do something. */
export function tableOf(given: Partial<CommandTable>): CommandTable {
  return new Proxy(given as CommandTable, {
    get: (table, name: keyof CommandTable) => table[name] ?? unused,
  })
}

/** A cache.purge that performs the given steps: the smallest command that changes something. */
export function performing(steps: () => readonly Step[]): Partial<CommandTable> {
  return {
    'cache.purge': {
      lock: ({ domain }) => domain,
      steps,
      plan: async () => steps(),
      async *run({ domain }, { perform }) {
        yield* perform(steps())
        return { domain }
      },
    },
  }
}

import type { Command, CommandTable, Step } from '#agent/kernel/steps/command.ts'
import type { CommandName } from '#shared/commands.ts'

const unused: Command<never> = {
  lock: () => undefined,
  plan: async () => [],
  // biome-ignore lint/correctness/useYield: a command that no test starts has nothing to say
  async *run() {
    throw new Error('not a command of this test')
  },
}

export type GivenCommands = { [N in CommandName]?: Command<N> }

/** A table in which only the given commands do something. */
export function tableOf(given: GivenCommands): CommandTable {
  return new Proxy({} as CommandTable, {
    get: (_, name: CommandName) => async () => given[name] ?? unused,
  })
}

/** A cache.purge that performs the given steps: the smallest command that changes something. */
export function performing(steps: () => readonly Step[]): GivenCommands {
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

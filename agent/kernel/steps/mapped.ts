import type { Host } from '#agent/kernel/host/ports.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import type { Command } from './command.ts'

interface Mapping<N extends CommandName, M extends CommandName> {
  /** Returns the params of the other command. Throws what refuses them. */
  params(params: ParamsOf<N>, host: Host): Promise<ParamsOf<M>>
  /** The same without a refusal, for the lock and after a restart. Undefined: there is no subject. */
  find(params: ParamsOf<N>, host: Host): Promise<ParamsOf<M> | undefined>
  result(result: ResultOf<M>): ResultOf<N>
}

/** Returns a command that is another one with other params, and so has its lock and its steps. */
export function mapped<N extends CommandName, M extends CommandName>(
  other: Command<M>,
  { params, find, result }: Mapping<N, M>,
): Command<N> {
  return {
    async lock(given, host) {
      const found = await find(given, host)
      return found && other.lock(found, host)
    },
    async steps(given, host, since) {
      const found = await find(given, host)
      return (found && (await other.steps?.(found, host, since))) ?? []
    },
    plan: async (given, host) => other.plan(await params(given, host), host),
    async finished(given, host, since) {
      const found = await find(given, host)
      const reached = found && (await other.finished?.(found, host, since))
      return reached && result(reached)
    },
    async missing(given, host, since) {
      const found = await find(given, host)
      return (found && (await other.missing?.(found, host, since))) ?? []
    },
    async *run(given, context) {
      return result(yield* other.run(await params(given, context.host), context))
    },
  }
}

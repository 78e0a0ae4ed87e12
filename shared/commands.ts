import type { z } from 'zod'
import { OPERATION_TYPES } from './operation-types/index.ts'

type Types = typeof OPERATION_TYPES
type Contracts = Exclude<Types[keyof Types]['command'], null>
type Commands = { readonly [C in Contracts as C['name']]: C }

/** Every command that an agent knows, by its name on the wire: those of the types of operations. */
export const COMMANDS = Object.fromEntries(
  Object.values(OPERATION_TYPES).flatMap(({ command }) =>
    command ? [[command.name, command]] : [],
  ),
) as Commands

export type CommandName = keyof Commands
export type ParamsOf<N extends CommandName> = z.output<Commands[N]['params']>
export type ResultOf<N extends CommandName> = z.output<Commands[N]['result']>

/** `Object.hasOwn`, so that `__proto__` and the like are unknown commands. */
export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name)
}

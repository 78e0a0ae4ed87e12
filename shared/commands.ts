import type { z } from 'zod'
import { OPERATION_TYPES } from './operation-types.ts'

type OperationTypes = typeof OPERATION_TYPES
type Contracts = Exclude<OperationTypes[keyof OperationTypes]['command'], null>
export type Commands = { readonly [C in Contracts as C['name']]: C }

/** Every command that an agent knows, by its name on the wire. */
export const COMMANDS = Object.fromEntries(
  Object.values(OPERATION_TYPES).flatMap(({ command }) =>
    command ? [[command.name, command]] : [],
  ),
) as Commands

export type CommandName = keyof Commands
export type ParamsOf<N extends CommandName> = z.output<Commands[N]['params']>
export type ResultOf<N extends CommandName> = z.output<Commands[N]['result']>

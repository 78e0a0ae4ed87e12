import type { Host } from '#agent/host/ports.ts'
import type { Warning } from '#shared/agent.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import type { Effect } from '#shared/plan.ts'
import type { StepChange } from '#shared/steps.ts'

/** Work that reports while it runs: yields log lines and changes of its steps, returns the result. */
export type Progress<R> = AsyncGenerator<string | StepChange, R>

/**
 * One thing that an operation makes or changes. The journal holds the intent before `apply`, so
 * that `undo` also runs for a step that was cut off half-way, in this process or in the next one.
 */
export interface Step {
  /** Stable: the journal knows the step by it. */
  name: string
  /** The log line, in the present participle: `Creating the database`. */
  title: string
  /** All that `apply` makes, changes, removes and runs; read from the machine where that depends on it. */
  effects: readonly Effect[] | (() => Promise<readonly Effect[]>)
  /**
   * What of it changes something that this agent did not make, each with what must be accepted for it
   * (`asks`). Beside `effects`, and not done before it is accepted.
   */
  imposes?(): Promise<readonly Effect[]>
  /** What is to be known of its outcome beforehand, in sentences. */
  notes?(): Promise<readonly string[]>
  /** True: it is there already and is not ours; it is neither applied nor undone. */
  check?(): Promise<boolean>
  apply(): Promise<void> | Progress<void>
  /** Must stand being called when nothing, a part or all of `apply` was done. */
  undo?(): Promise<void>
  /**
   * Only the step that the operation turns on has it: whether it was taken, as the machine says it.
   * From then on nothing is undone: the steps after it are carried out, by the next process if need
   * be, and so must stand being carried out again.
   */
  decided?(): Promise<boolean>
}

export type Warn = (warning: Warning) => void

export interface Context {
  host: Host
  /** Steps that later calls of `perform` will have, in their order, for those who follow the operation. */
  announce(steps: readonly Step[]): void
  /**
   * Runs the steps in order; when one throws, undoes the begun ones, newest first, and rethrows. Once
   * it is decided it stops instead, and returns what stood in the way.
   */
  perform(steps: readonly Step[]): Progress<string | undefined>
  /** Of what was asked for, something is not there although the operation succeeds. */
  warn: Warn
}

/** The key of what concerns the whole server: it never runs beside anything else that has a key. */
export const WHOLE_SERVER = '*'

export interface Command<N extends CommandName> {
  /** Two operations with the same key never run at once; undefined: it needs no lock. */
  lock(params: ParamsOf<N>, host: Host): string | undefined | Promise<string>
  /** The steps as they would be after a restart, so that an interrupted operation can be undone. */
  steps?(params: ParamsOf<N>, host: Host): readonly Step[] | Promise<readonly Step[]>
  /**
   * All that `run` would perform now, in its order. Changes nothing, and throws what `run` throws
   * before it touches anything.
   */
  plan(params: ParamsOf<N>, host: Host): Promise<readonly Step[]>
  /**
   * After a restart: the result, when what was asked for is there although the operation did not end.
   * It is then complete, and nothing is undone. Where a step turns the operation, that step alone
   * tells whether it was taken, and this the result.
   */
  finished?(params: ParamsOf<N>, host: Host): Promise<ResultOf<N> | undefined>
  /**
   * After a restart, of an operation that is complete by `finished`: what is not there all the same,
   * as `run` would have warned of it. Makes sure that it is tried again.
   */
  missing?(params: ParamsOf<N>, host: Host): Promise<readonly Warning[]>
  /**
   * Goes on with an operation after a restart of the agent, in the next process: it is neither undone
   * nor ended by that.
   */
  resume?(params: ParamsOf<N>, context: Context): Progress<ResultOf<N>>
  run(params: ParamsOf<N>, context: Context): Progress<ResultOf<N>>
}

/** Leaving out a command does not compile. */
export type CommandTable = { [N in CommandName]: Command<N> }

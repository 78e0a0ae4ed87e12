import type { Host } from '#agent/host/ports.ts'
import type { Warning } from '#shared/agent.ts'
import type { CommandName, ParamsOf, ResultOf } from '#shared/commands.ts'
import type { Effect } from '#shared/plan.ts'
import type { StepChange } from '#shared/steps.ts'

/** Work that reports while it runs: yields log lines and changes of its steps, returns the result. */
export type Progress<R> = AsyncGenerator<string | StepChange, R>

/**
 * One change of an operation. The journal has the intent before `apply`, so that `undo` also runs
 * for an interrupted step, in this process or the next one.
 */
export interface Step {
  /** Stable: it identifies the step in the journal. */
  name: string
  /** The log line, in the present participle: `Creating the database`. */
  title: string
  /** Everything that `apply` creates, changes, removes and runs; depends on the machine. */
  effects: readonly Effect[] | (() => Promise<readonly Effect[]>)
  /**
   * Changes of foreign objects, each with the consent that it needs (`asks`). In addition to
   * `effects`, and not done before it is accepted.
   */
  imposes?(): Promise<readonly Effect[]>
  /** Notes about its outcome, in sentences. */
  notes?(): Promise<readonly string[]>
  /** True: it exists already and is not ours; it is neither applied nor undone. */
  check?(): Promise<boolean>
  apply(): Promise<void> | Progress<void>
  /** Must work after none, a part or all of `apply`. */
  undo?(): Promise<void>
  /**
   * True: it keeps what the undo of later steps needs. It is only undone after all of them, if
   * necessary in a later attempt: otherwise a failed undo would lose what it brings back.
   */
  holds?: true
  /**
   * Only on the point of no return: whether the machine is past it. From then on nothing is undone:
   * the steps after it run, if necessary in the next process, and so must be repeatable.
   */
  decided?(): Promise<boolean>
}

export type Warn = (warning: Warning) => void

export interface Context {
  host: Host
  /** The steps of later calls of `perform`, in order, for viewers of the operation. */
  announce(steps: readonly Step[]): void
  /**
   * Runs the steps in order; when one throws, undoes the started ones, newest first, and rethrows.
   * After the decision it stops instead, and returns the obstacle.
   */
  perform(steps: readonly Step[]): Progress<string | undefined>
  /** A requested part is missing although the operation succeeds. */
  warn: Warn
}

/** The key of the whole server: it excludes all other keys. */
export const WHOLE_SERVER = '*'

export interface Command<N extends CommandName> {
  /** Two operations with the same key never run at once; undefined: it needs no lock. */
  lock(params: ParamsOf<N>, host: Host): string | undefined | Promise<string>
  /**
   * The params with the secrets that this server has itself, before the request waits for its lock.
   * Throws conflict with `password_missing`: the same request may then come with the secret.
   */
  withSecrets?(params: ParamsOf<N>, host: Host): Promise<ParamsOf<N>>
  /** The steps as they would be after a restart, so that an interrupted operation can be undone. */
  steps?(params: ParamsOf<N>, host: Host): readonly Step[] | Promise<readonly Step[]>
  /**
   * All steps of `run`, in order. Changes nothing, and throws the errors that `run` throws before a
   * change.
   */
  plan(params: ParamsOf<N>, host: Host): Promise<readonly Step[]>
  /**
   * After a restart: the result, if the outcome exists although the operation did not end. It is
   * then complete, and nothing is undone. With a point of no return, only that decides, and this
   * returns the result. `since`: the time of the request, which an older outcome does not answer.
   */
  finished?(params: ParamsOf<N>, host: Host, since?: number): Promise<ResultOf<N> | undefined>
  /**
   * After a restart, for an operation that `finished` completes: warnings about missing parts, as
   * in `run`. Makes sure that they are retried.
   */
  missing?(params: ParamsOf<N>, host: Host): Promise<readonly Warning[]>
  /**
   * Resumes an operation after a restart of the agent, in the next process: the restart neither
   * undoes nor ends it.
   */
  resume?(params: ParamsOf<N>, context: Context): Progress<ResultOf<N>>
  run(params: ParamsOf<N>, context: Context): Progress<ResultOf<N>>
}

/** Leaving out a command does not compile. Each is loaded when it is first used. */
export type CommandTable = { readonly [N in CommandName]: () => Promise<Command<N>> }

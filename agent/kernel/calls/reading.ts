import type { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { CommandName, ParamsOf } from '#shared/commands.ts'
import type { AgentOperations } from '#shared/kernel/agent-operations.ts'
import { refuseUnmet } from '#shared/kernel/needs.ts'
import type { ListAnswer } from '#shared/kernel/reading.ts'
import type { Secret } from '#shared/kernel/secret.ts'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { SiteCount } from '#shared/metrics/site-numbers.ts'
import type { AnyReading, ReadingName, ReadingParams, Readings } from '#shared/readings.ts'
import type { SiteHealth } from '#shared/servers/agent.ts'
import type { KeyList, KnownKeys } from '#shared/servers/keys.ts'
import type { WitnessAnswer, WitnessRequest } from '#shared/servers/record.ts'

/** An answer that is sent while it is read, whatever its size. */
export interface ByteSource {
  type: string
  /** Returns the next bytes, or undefined after the last ones. Throws if the rest cannot be read. */
  next(): Promise<Uint8Array | undefined>
  /** Called when the reader has left. */
  end(): Promise<void>
}

/** An answer that is in memory when it is sent. */
export interface BytesContent {
  type: string
  content: string | Uint8Array<ArrayBuffer>
}

/** The data of events, as they happen. */
export interface EventSource<D extends StoredEvent['data'] = StoredEvent['data']> {
  /** Returns the next events, or undefined after the last one. An empty list keeps the connection. */
  next(): Promise<readonly D[] | undefined>
  /** Called when the reader has left. */
  end(): Promise<void>
}

/** Reveals secrets, which only an answer does. */
type WithRevealedSecrets<T> = { [K in keyof T]: T[K] extends Secret ? string : T[K] }

type FormOf<F> = F extends 'bytes'
  ? ByteSource | BytesContent
  : F extends 'events'
    ? EventSource
    : F extends ListAnswer<infer K, infer E, infer B>
      ? { [key in K]: z.output<E>[] } & (z.output<B> extends Record<string, never>
          ? unknown
          : z.output<B>)
      : F extends z.ZodType
        ? WithRevealedSecrets<z.output<F>>
        : never

export type AnswerOf<N extends ReadingName> = FormOf<Readings[N]['answer']>

/** The dependencies of readings besides the machine. */
export interface ReadingDeps {
  host: Host
  /** The last checks of the sites. */
  health(): SiteHealth[]
  numbers: { list(since: number): SiteCount[]; readonly changed: number }
  runner: {
    isBusy(key: string): boolean
    since(time: number): Promise<AgentOperations>
    unended<N extends CommandName>(command: N): Promise<ParamsOf<N>[]>
  }
  /** Absent when the agent runs without authentication. */
  rotation?: { known(): Promise<KnownKeys>; replace(list: KeyList): Promise<KnownKeys> } | undefined
  /** Absent like `rotation`. */
  record?: { keep(request: WitnessRequest): Promise<WitnessAnswer> } | undefined
}

/** A request with checked and permitted params. */
export interface ReadingRequest<N extends ReadingName> extends ReadingDeps {
  params: ReadingParams<N>
  /** Aborts when the reader has left. */
  signal: AbortSignal
  /** Reads another reading. */
  ask: AskReading
}

export type AskReading = <N extends ReadingName>(
  at: N,
  params: ReadingParams<N>,
) => Promise<AnswerOf<N>>

/** A reading of the agent: its contract and its answer. */
export interface Reading<N extends ReadingName> {
  contract: Readings[N]
  answer(asked: ReadingRequest<N>): Promise<AnswerOf<N>>
}

/** The table of all readings, complete by its type. Each is loaded on first use. */
export type ReadingTable = { readonly [N in ReadingName]: () => Promise<Reading<N>> }

export const reading = <C extends AnyReading>(
  contract: C & Readings[C['at']],
  answer: (asked: ReadingRequest<C['at']>) => Promise<AnswerOf<C['at']>>,
): Reading<C['at']> => ({
  contract,
  async answer(asked) {
    refuseUnmet(contract.needs, asked.host)
    return answer(asked)
  },
})

/** Answers readings of a table, which may ask for each other. */
export function askReadings(
  table: ReadingTable,
  deps: ReadingDeps,
  signal: AbortSignal,
): AskReading {
  const ask: AskReading = async (at, params) => {
    const { answer } = await table[at]()
    return answer({ ...deps, params, signal, ask })
  }
  return ask
}

/** Makes a value once for each machine: what its readings remember between requests. */
export function perHost<T, H extends object = Host>(make: (host: H) => T): (host: H) => T {
  const made = new WeakMap<H, T>()
  return (host) => {
    const known = made.get(host)
    if (known !== undefined) return known
    const value = make(host)
    made.set(host, value)
    return value
  }
}

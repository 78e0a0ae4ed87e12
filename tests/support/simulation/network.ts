import { EventEmitter } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { AgentRequest, Transport } from '#dashboard/kernel/agents/transport.ts'
import { OPERATION_HEADER } from '#shared/kernel/agent-headers.ts'
import type { Process } from './process.ts'
import type { Timeline } from './timeline.ts'

/** The client request of node:http: the part used by kernel/agents/agents.ts. */
class SimulatedRequest extends EventEmitter {
  destroyed = false

  destroy(_reason?: Error): this {
    this.destroyed = true
    return this
  }

  fail(code: string): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('error', Object.assign(new Error(code), { code }))
  }

  answer(response: SimulatedAnswer): void {
    if (this.destroyed) response.destroy()
    else this.emit('response', response as unknown as IncomingMessage)
  }

  asClientRequest(): ClientRequest {
    return this as unknown as ClientRequest
  }
}

/** An answer whose pieces arrive as the network lets them. */
class SimulatedAnswer extends EventEmitter {
  readonly statusCode: number
  readonly headers: Record<string, string>
  /** Called once, when the reader has gone. */
  onGone: () => void = () => undefined
  #pieces: Buffer[] = []
  #end: { error?: Error } | undefined
  #wake = Promise.withResolvers<void>()

  constructor({ status, headers }: Response) {
    super()
    this.statusCode = status
    this.headers = Object.fromEntries(headers)
  }

  get over(): boolean {
    return this.#end !== undefined
  }

  push(piece: Uint8Array): void {
    if (this.over) return
    this.#pieces.push(Buffer.from(piece))
    this.#signal()
  }

  end(): void {
    this.#close({})
  }

  /** The connection broke: data received before is still read. */
  break(code: string): void {
    this.#close({ error: Object.assign(new Error('aborted'), { code }) })
  }

  destroy(reason?: Error): this {
    this.#pieces = []
    this.#close({ error: reason ?? new Error('destroyed') })
    return this
  }

  /** As a stream of node:http: who listens for its data gets all of them as they arrive. */
  override on(event: string, listener: (...values: never[]) => void): this {
    super.on(event, listener as () => void)
    if (event === 'data') void this.#flow()
    return this
  }

  async #flow(): Promise<void> {
    try {
      for await (const piece of this) this.emit('data', piece)
      this.emit('end')
    } catch (error) {
      this.emit('error', error)
    }
    this.emit('close')
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for (;;) {
      const piece = this.#pieces.shift()
      if (piece) yield piece
      else if (this.#end?.error) throw this.#end.error
      else if (this.#end) return
      else await this.#wake.promise
    }
  }

  #close(end: { error?: Error }): void {
    if (this.over) return
    this.#end = end
    this.#signal()
    this.onGone()
  }

  #signal(): void {
    this.#wake.resolve()
    this.#wake = Promise.withResolvers()
  }
}

/** The answering end of a link; undefined: no listener. */
export interface Peer {
  name: string
  listening(): { process: Process; fetch(request: Request): Promise<Response> } | undefined
}

/** The frequency of each fault, from 0 to 1; delays in milliseconds. */
export interface Weather {
  drop: number
  lose_answer: number
  double: number
  cut: number
  slow_ms: number
}

interface Link {
  /**
   * A promise that resolves when the link is connected again; undefined while it is connected.
   * Messages in transit wait for it or are lost.
   */
  parted: Promise<void> | undefined
  heal: () => void
  answers: Set<{ answer: SimulatedAnswer; process: Process; reader: Process }>
  /** Received requests without an answer yet. */
  asked: Map<SimulatedRequest, Process>
}

/** A call from a process to the one that answers it. */
interface Message {
  reader: Process
  peer: Peer
  call: AgentRequest
  request: SimulatedRequest
  process: Process
  fetch(request: Request): Promise<Response>
}

/** Refuses, drops, doubles, delays, cuts, disconnects; pieces of one answer keep their order. */
export class Network {
  weather: Weather
  /** The number of interrupted streams. */
  cuts = 0
  readonly #timeline: Timeline
  readonly #dice: Dice
  readonly #trace: (actor: string, what: string) => void
  readonly #links = new Map<Peer, Link>()

  constructor(
    world: { timeline: Timeline; dice: Dice; trace: (actor: string, what: string) => void },
    weather: Weather,
  ) {
    this.weather = weather
    this.#timeline = world.timeline
    this.#dice = world.dice.fork()
    this.#trace = world.trace
  }

  part(peer: Peer): void {
    const link = this.#linkTo(peer)
    if (link.parted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    link.parted = promise
    link.heal = () => {
      link.parted = undefined
      resolve()
    }
    this.#trace('network', `${peer.name} is cut off`)
  }

  heal(peer: Peer): void {
    const link = this.#linkTo(peer)
    if (!link.parted) return
    this.#trace('network', `${peer.name} is back`)
    link.heal()
  }

  /** Breaks the connections of an ended process, at either end. */
  ended(process: Process): void {
    const links = [...this.#links.values()]
    const open = links.flatMap(({ answers }) => [...answers])
    for (const { answer, reader } of open) if (reader === process) answer.destroy()
    for (const { answer, process: answering } of open)
      if (answering === process) this.#soon(() => answer.break('ECONNRESET'))
    for (const [request, answering] of links.flatMap(({ asked }) => [...asked]))
      if (answering === process) this.#soon(() => request.fail('ECONNRESET'))
  }

  #soon(breaks: () => void): void {
    this.#timeline.later(this.#dice.between(0, 20), breaks)
  }

  /** One process's connection to a peer. */
  transport(reader: Process, peer: Peer): Transport {
    return {
      open: (call) => {
        const request = new SimulatedRequest()
        this.#timeline.after(this.#delay(), () => this.#send(reader, peer, call, request))
        if (this.#dice.chance(this.weather.double)) this.#again(reader, peer, call)
        return request.asClientRequest()
      },
      learn: () => false,
    }
  }

  #again(reader: Process, peer: Peer, call: AgentRequest): void {
    const nobody = new SimulatedRequest()
    nobody.on('error', () => undefined)
    nobody.on('response', (answer: SimulatedAnswer) => answer.destroy())
    // A delayed message arrives even after its sender has ended.
    this.#timeline.later(this.#dice.between(0, 60_000), () => {
      this.#trace('network', `${call.path} a second time to ${peer.name}`)
      this.#send(reader, peer, call, nobody)
    })
  }

  #send(reader: Process, peer: Peer, call: AgentRequest, request: SimulatedRequest): void {
    const link = this.#linkTo(peer)
    const listening = peer.listening()
    if (link.parted && this.#dice.chance(0.5)) request.fail('EHOSTUNREACH')
    else if (link.parted || this.#dice.chance(this.weather.drop)) return
    else if (!listening) request.fail('ECONNREFUSED')
    else this.#deliver({ reader, peer, call, request, ...listening })
  }

  #deliver(message: Message): void {
    const { reader, peer, call, request, process, fetch } = message
    const link = this.#linkTo(peer)
    const operation = call.headers[OPERATION_HEADER] ?? ''
    void this.#timeline.as(process, operation, async () => {
      const { path, method, headers, body } = call
      const given = method === 'POST' ? { method, headers, body } : { method, headers }
      link.asked.set(request, process)
      const response = await fetch(new Request(`http://agent${path}`, given))
      link.asked.delete(request)
      this.#trace(peer.name, `${response.status} ${method} ${path} ${operation}`)
      this.#answer({ reader, peer, request, process }, response)
    })
  }

  #answer(to: Omit<Message, 'call' | 'fetch'>, response: Response): void {
    const link = this.#linkTo(to.peer)
    const pieces = response.body?.getReader()
    const leave = () => void pieces?.cancel().catch(() => undefined)
    if (link.parted || !to.reader.alive || this.#dice.chance(this.weather.lose_answer)) {
      this.#trace('network', 'an answer is lost')
      leave()
      return
    }
    const answer = new SimulatedAnswer(response)
    const open = { answer, process: to.process, reader: to.reader }
    link.answers.add(open)
    answer.onGone = () => {
      link.answers.delete(open)
      if (to.process.alive) this.#timeline.as(to.process, '', leave)
    }
    this.#toReader(to.reader, () => to.request.answer(answer))
    void this.#pump(link, to.reader, pieces, answer)
  }

  async #pump(
    link: Link,
    reader: Process,
    pieces: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'> | undefined,
    answer: SimulatedAnswer,
  ): Promise<void> {
    while (!answer.over) {
      const { done, value } = (await pieces?.read()) ?? { done: true, value: undefined }
      if (link.parted && this.#dice.chance(0.5)) return answer.break('ETIMEDOUT')
      await link.parted
      const cut = this.#dice.chance(this.weather.cut)
      const part = cut ? value?.subarray(0, this.#dice.below(value.length)) : value
      await this.#arrived(reader, () => {
        if (part) answer.push(part)
        if (cut) this.#cut(answer)
        else if (done) answer.end()
      })
      if (done || cut) return
    }
  }

  #cut(answer: SimulatedAnswer): void {
    this.cuts += 1
    answer.break('ECONNRESET')
  }

  #arrived(reader: Process, arrive: () => void): Promise<void> {
    return new Promise((resolve) =>
      this.#toReader(reader, () => {
        arrive()
        resolve()
      }),
    )
  }

  #toReader(reader: Process, arrive: () => void): void {
    this.#timeline.as(reader, '', () => this.#timeline.after(this.#delay(), arrive))
  }

  #delay(): number {
    const usual = this.#dice.between(0.1, 3)
    return this.#dice.chance(0.1) ? usual + this.#dice.between(0, this.weather.slow_ms) : usual
  }

  #linkTo(peer: Peer): Link {
    const known = this.#links.get(peer)
    if (known) return known
    const made: Link = {
      parted: undefined,
      heal: () => undefined,
      answers: new Set(),
      asked: new Map(),
    }
    this.#links.set(peer, made)
    return made
  }
}

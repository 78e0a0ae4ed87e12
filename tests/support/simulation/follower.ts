import type { Dice } from '#agent/kernel/host/simulated/dice.ts'
import type { World } from './world.ts'

/** A browser on the stream of an operation: at a cut, it requests the events after its last one. */
export class Follower {
  readonly operation_id: string
  /** Each event as it came: `number kind data`. */
  readonly seen: string[] = []
  /** The state of each step, by its name. */
  readonly steps = new Map<string, string>()
  over = false
  /** How many connections it lost. */
  cuts = 0
  readonly #world: World
  readonly #dice: Dice
  #last = 0

  constructor(world: World, operation_id: string) {
    this.#world = world
    this.operation_id = operation_id
    this.#dice = world.dice.fork()
  }

  async follow(): Promise<void> {
    const { timeline, dashboard } = this.#world
    while (!this.over) {
      const stream = dashboard.stream(this.operation_id, this.#last)
      if (stream) await Promise.race([this.#read(stream.response), stream.process.ended])
      await timeline.sleep(this.#dice.between(1, 3_000))
    }
  }

  /** Reads to the end, or until the connection is cut within a piece. */
  async #read(response: Response): Promise<void> {
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    let rest = ''
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      if (done || !value) return
      const cut = this.#dice.chance(this.#world.network.weather.cut)
      const part = cut ? value.subarray(0, this.#dice.below(value.length)) : value
      rest = this.#take(rest + decoder.decode(part, { stream: true }))
      if (!cut) continue
      this.cuts += 1
      await reader?.cancel()
      return
    }
  }

  /** Like an EventSource: only an empty line ends an event. */
  #take(text: string): string {
    const blocks = text.split('\n\n')
    const rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, id, event, data] = /^id: (\d+)\nevent: (\w+)\ndata: (.*)$/.exec(block) ?? []
      if (id === undefined) continue
      this.#last = Number(id)
      if (event === 'step') {
        const { name, state } = JSON.parse(data ?? '')
        this.steps.set(name, state)
        continue
      }
      this.seen.push(`${id} ${event} ${data}`)
      if (event !== 'log') this.over = true
    }
    return rest
  }
}

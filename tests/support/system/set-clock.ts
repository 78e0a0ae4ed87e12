import type { Host } from '#tests/support/lab/index.ts'

/** On a host: what clocked-agent.ts adds to the time of the machine, and to all waits until now. */
export const CLOCK = '/run/hosting-test-clock.json'

export interface SetClock {
  ahead_ms: number
  waited_ms: number
}

/** Sets the clock of the agent of a host. */
export class AgentClock {
  readonly #host: Host
  #set: SetClock = { ahead_ms: 0, waited_ms: 0 }

  constructor(host: Host) {
    this.#host = host
  }

  get now(): number {
    return Date.now() + this.#set.ahead_ms
  }

  /** The time passes, and all waits with it. */
  advance(ms: number): Promise<void> {
    return this.#write({ ahead_ms: this.#set.ahead_ms + ms, waited_ms: this.#set.waited_ms + ms })
  }

  /** The waits pass, and no time. */
  hurry(ms: number): Promise<void> {
    return this.#write({ ...this.#set, waited_ms: this.#set.waited_ms + ms })
  }

  /** A change of the clock: no wait ends earlier. */
  change(ahead_ms: number): Promise<void> {
    return this.#write({ ...this.#set, ahead_ms })
  }

  async #write(set: SetClock): Promise<void> {
    this.#set = set
    await this.#host.put(`${CLOCK}.new`, JSON.stringify(set))
    await this.#host.must(['mv', `${CLOCK}.new`, CLOCK])
  }
}

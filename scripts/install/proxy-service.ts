import type { Machine } from './machine.ts'

/** The service of a proxy, which may serve foreign sites and may be stopped. */
export class ProxyService {
  readonly #machine: Machine
  readonly #name: string
  /** Throws if the program rejects its configuration. */
  readonly #test: readonly string[]

  constructor(machine: Machine, name: string, test: readonly string[]) {
    this.#machine = machine
    this.#name = name
    this.#test = test
  }

  /** Called before its files change: after their undo, restores its former state. */
  async undo(): Promise<void> {
    const wasActive = await this.#isActive()
    this.#machine.undo(`restore the state of ${this.#name}`, () =>
      wasActive ? this.reload() : this.#machine.run(['systemctl', 'stop', this.#name]),
    )
  }

  /** Applies its files, if it is running. */
  async reload(): Promise<void> {
    if (await this.#isActive()) await this.start()
  }

  async start(): Promise<void> {
    await this.#machine.run(this.#test)
    await this.#machine.run(['systemctl', 'enable', '--quiet', this.#name])
    const verb = (await this.#isActive()) ? 'reload' : 'restart'
    await this.#machine.run(['systemctl', verb, this.#name])
  }

  async #isActive(): Promise<boolean> {
    const argv = ['systemctl', 'is-active', '--quiet', this.#name]
    return (await this.#machine.attempt(argv, { reads: true })).status === 0
  }
}

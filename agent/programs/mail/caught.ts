import type { Store, Waiting } from './store.ts'

/**
 * The limits of the kept mail of one staging site: the oldest messages are removed for new ones.
 */
const MAX_MESSAGES = 200
const MAX_BYTES = 50 << 20

/** The mail of a staging site, which is kept and never sent. */
export class Caught {
  readonly store: Store
  /** Oldest first. */
  readonly #messages: Waiting[]

  private constructor(store: Store, messages: readonly Waiting[]) {
    this.store = store
    this.#messages = [...messages]
  }

  static async open(store: Store): Promise<Caught> {
    return new Caught(store, (await store.load()).waiting)
  }

  get count(): number {
    return this.#messages.length
  }

  /** It is on the disk when this returns. */
  async add(message: Waiting): Promise<void> {
    await this.store.put(message)
    this.#messages.push(message)
    while (this.#isOver) {
      const oldest = this.#messages.shift()
      if (oldest) this.store.remove(oldest.id)
    }
  }

  get #isOver(): boolean {
    const bytes = this.#messages.reduce((sum, { size }) => sum + size, 0)
    return this.#messages.length > MAX_MESSAGES || bytes > MAX_BYTES
  }
}

import type { MessageStore, WaitingMessage } from './store.ts'

/** The limits of the kept mail of one staging site: new messages replace the oldest. */
const MAX_MESSAGES = 200
const MAX_BYTES = 50 << 20

/** The mail of a staging site, which is kept and never sent. */
export class KeptMessages {
  readonly store: MessageStore
  /** The messages, oldest first. */
  readonly #messages: WaitingMessage[]

  private constructor(store: MessageStore, messages: readonly WaitingMessage[]) {
    this.store = store
    this.#messages = [...messages]
  }

  static async open(store: MessageStore): Promise<KeptMessages> {
    return new KeptMessages(store, (await store.load()).waiting)
  }

  get count(): number {
    return this.#messages.length
  }

  /** Returns when the message is on the disk. */
  async add(message: WaitingMessage): Promise<void> {
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

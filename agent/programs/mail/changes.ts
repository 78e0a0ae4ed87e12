import { type FSWatcher, watch } from 'node:fs'
import { attempt } from '#agent/kernel/host/attempt.ts'

/** Changes of the names in a folder: a new site gets its socket at once. */
export class Changes {
  readonly #watcher: FSWatcher | undefined
  #changed = false
  #wake = () => {}

  /** A folder that cannot be watched changes unseen: `next` then takes its whole time. */
  constructor(folder: string) {
    this.#watcher = attempt(() => watch(folder))
    this.#watcher?.on('error', () => undefined)
    this.#watcher?.on('change', () => {
      this.#changed = true
      this.#wake()
    })
  }

  /** Resolves at a change since the last call, and after `ms` milliseconds at the latest. */
  async next(ms: number): Promise<void> {
    if (!this.#changed) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#changed = false
  }

  close(): void {
    this.#watcher?.close()
  }
}

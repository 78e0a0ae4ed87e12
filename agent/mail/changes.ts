import { type FSWatcher, watch } from 'node:fs'

/** Changes of the names in a folder: a new site gets its socket at once. */
export class Changes {
  readonly #watcher: FSWatcher
  #changed = false
  #wake = () => {}

  /** @throws what `fs.watch` throws, such as for a missing folder */
  constructor(folder: string) {
    this.#watcher = watch(folder, () => {
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
    this.#watcher.close()
  }
}

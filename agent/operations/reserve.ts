import type { Files } from '#agent/host/ports.ts'

const SIZE = 4 << 20
/** With less free space the reserve would only fill the disk. */
const SPARE = 16 * SIZE

/**
 * Reserved space on the agent's disk: when that is full, it is released, so that started steps can
 * be undone and the end be stored.
 */
export class Reserve {
  readonly #files: Files
  readonly #state_dir: string
  readonly #path: string

  constructor(files: Files, state_dir: string) {
    this.#files = files
    this.#state_dir = state_dir
    this.#path = `${state_dir}/reserve/room`
  }

  /** Creates it, if it is missing and there is space for it. */
  async keep(): Promise<void> {
    if (await this.#files.stat(this.#path)) return
    if ((await this.#files.space(this.#state_dir)).free < SPARE) return
    await this.#files.write(this.#path, 'reserve '.repeat(SIZE / 8), { mode: 0o600 })
  }

  /** False: there was none. */
  async give(): Promise<boolean> {
    if (!(await this.#files.stat(this.#path))) return false
    await this.#files.remove(this.#path)
    return true
  }
}

import type { Files } from '#agent/host/ports.ts'

const SIZE = 4 << 20
/** Where less than this is free besides, it would only fill the disk. */
const SPARE = 16 * SIZE

/**
 * Room that is kept back on the agent's disk: when that is full, it is given up, and what was begun can
 * be undone and its end be written.
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

  /** Makes it, when it is not there and there is room for it. */
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

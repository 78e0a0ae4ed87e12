export interface Beats {
  /** The longest that an answer took. */
  longest_ms: number
  answers: number
  failures: number
}

/**
 * Asks a program for `/health` again and again, in a thread of its own: what the tests do meanwhile
 * does not count.
 */
export class Pulse {
  readonly #worker = new Worker(new URL('./pulse-worker.ts', import.meta.url))

  constructor(url: string) {
    this.#worker.postMessage(url)
  }

  async stop(): Promise<Beats> {
    const beats = new Promise<Beats>((resolve, reject) => {
      this.#worker.onmessage = ({ data }: MessageEvent<Beats>) => resolve(data)
      this.#worker.onerror = ({ message }) => reject(new Error(message))
    })
    this.#worker.postMessage('stop')
    return beats.finally(() => this.#worker.terminate())
  }
}

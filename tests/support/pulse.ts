export interface Beats {
  /** The response time of each answer. */
  times_ms: number[]
  failures: number
}

/**
 * Requests `/health` of a program repeatedly over a keep-alive connection, in a separate thread:
 * work of the tests does not count.
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

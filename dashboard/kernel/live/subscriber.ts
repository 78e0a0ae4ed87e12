import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { FleetNews } from '#shared/operations/api/live.ts'

/** The pending events of one client: the latest of each object, however slowly it reads. */
export class Subscriber {
  readonly #waiting = new Map<string, FleetNews>()
  #wake = () => {}

  receive(news: readonly FleetNews[]): void {
    for (const one of news) this.#waiting.set(keyOf(one), one)
    this.#wake()
  }

  /** Numbered from 1; ends with the signal. */
  async *events(signal: AbortSignal): AsyncGenerator<StoredEvent> {
    const end = () => this.#wake()
    signal.addEventListener('abort', end, { once: true })
    for (let id = 1; !signal.aborted; ) {
      const [next] = this.#waiting
      if (next) {
        const [key, data] = next
        this.#waiting.delete(key)
        yield { id: id++, event: 'log', data }
      } else await this.#news()
    }
    signal.removeEventListener('abort', end)
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

function keyOf(news: FleetNews): string {
  if (news.kind === 'operation') return `operation ${news.operation.id}`
  if (news.kind === 'site') return `site ${news.id} of ${news.server_id}`
  return `${news.kind} ${news.id}`
}

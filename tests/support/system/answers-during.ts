import type { Host } from '#tests/support/lab/index.ts'
import { get } from './requests.ts'

/** Status and Retry-After of the page that visitors get while an operation replaces a site. */
export const PAUSED = '503 10'

/**
 * Requests the addresses again and again until the work ends, each with an argument of its own, so that
 * the page cache is not asked. Returns each different answer: its status, and its Retry-After.
 */
export async function answersDuring<T>(
  host: Host,
  urls: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: T; answers: string[] }> {
  const answers = new Set<string>()
  let number = 0
  let isOver = false
  const visit = async (url: string) => {
    while (!isOver) {
      const { status, headers } = await get(host, `${url}?visit=${number++}`)
      const after = /^retry-after: (\S+)/m.exec(headers)?.[1]
      answers.add(after === undefined ? `${status}` : `${status} ${after}`)
    }
  }
  const visits = Promise.all(urls.map(visit))
  const result = await work().finally(() => {
    isOver = true
  })
  await visits
  return { result, answers: [...answers].sort() }
}

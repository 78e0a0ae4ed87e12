import type { Host } from '#tests/support/lab/index.ts'
import { get } from './requests.ts'

/** The result of a load: the number of answered requests, and the other answers. */
export interface Answers {
  good: number
  bad: string[]
}

/** Answers by PHP, after an interruptible delay. */
export const PAGE =
  "<?php usleep(isset($_GET['long']) ? 25000000 : 100000); echo 'answered by ', getmypid();"

/** Visitors wait for their answers: on a slow machine, they leave the processors to what is tested. */
const VISITORS = 4

/** Sends at most so many requests a second, answered by PHP, until stopped; `roots` as in `get`. */
export function startLoad(host: Host, url: string, per_second: number, roots?: string) {
  const answers: Answers = { good: 0, bad: [] }
  const ended = Promise.withResolvers<void>()
  let isEnded = false
  let number = 0
  const visitor = async () => {
    while (!isEnded) {
      const pause = Bun.sleep((VISITORS * 1000) / per_second)
      await ask(host, `${url}?${number++}`, answers, roots)
      await Promise.race([pause, ended.promise])
    }
  }
  const visitors = Array.from({ length: VISITORS }, visitor)
  return {
    answers,
    async stop(): Promise<Answers> {
      isEnded = true
      ended.resolve()
      await Promise.all(visitors)
      return answers
    },
  }
}

async function ask(host: Host, url: string, answers: Answers, roots?: string): Promise<void> {
  try {
    const { status, body } = await get(host, url, roots === undefined ? {} : { roots })
    if (status === 200 && body.startsWith('answered by ')) answers.good++
    else answers.bad.push(`${status} ${body.slice(0, 100)}`)
  } catch (error) {
    answers.bad.push(String(error))
  }
}

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

/** Sends so many requests a second, answered by PHP, until stopped; `roots` as in `get`. */
export function startLoad(host: Host, url: string, per_second: number, roots?: string) {
  const answers: Answers = { good: 0, bad: [] }
  const asked: Promise<void>[] = []
  let number = 0
  const timer = setInterval(() => {
    asked.push(ask(host, `${url}?${number++}`, answers, roots))
  }, 1000 / per_second)
  return {
    answers,
    async stop(): Promise<Answers> {
      clearInterval(timer)
      await Promise.all(asked)
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

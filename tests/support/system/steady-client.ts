/**
 * Asks a site on this machine so many times a second until its input ends: for a process in the
 * network of a server. Prints how many answers were as expected, each other one, and the rate of the
 * requests. As a `visitor` it asks only between the lines `on` and `off` of its input, and never
 * again before it has the answer: a busy machine gets fewer visits.
 */
const [host = '', path = '', expected = '', per_second = '', kind = ''] = process.argv.slice(2)
const result: { good: number; bad: string[] } = { good: 0, bad: [] }
const asked: Promise<void>[] = []

async function ask(number: number): Promise<void> {
  try {
    // Each second request opens a connection of its own, as new visitors do.
    const connection = number % 2 === 0 ? 'keep-alive' : 'close'
    const url = `http://127.0.0.1${path}?${number}`
    const answer = await fetch(url, { headers: { host, connection }, redirect: 'manual' })
    const text = await answer.text()
    if (answer.status === 200 && text.startsWith(expected)) result.good++
    else result.bad.push(`${answer.status} ${text.slice(0, 100)}`)
  } catch (error) {
    result.bad.push(String(error))
  }
}

let number = 0
const started = performance.now()
const seconds = () => (performance.now() - started) / 1000

/** A timer is late at times: what was due by then follows. */
async function load(): Promise<void> {
  const askDue = () => {
    while (number < seconds() * Number(per_second)) asked.push(ask(number++))
  }
  const timer = setInterval(askDue, 500 / Number(per_second))
  for await (const _ of Bun.stdin.stream());
  clearInterval(timer)
}

async function visit(): Promise<void> {
  let isOn = false
  let visiting: Promise<void> | undefined
  const visits = async () => {
    while (isOn) {
      const next = performance.now() + 1000 / Number(per_second)
      await ask(number++)
      await Bun.sleep(Math.max(0, next - performance.now()))
    }
    visiting = undefined
  }
  for await (const line of console) {
    isOn = line === 'on'
    if (isOn) visiting ??= visits()
  }
  isOn = false
  await visiting
}

await (kind === 'visitor' ? visit() : load())
const reached = number / seconds()
await Promise.all(asked)
console.log(JSON.stringify({ ...result, reached }))

export {}

/**
 * Asks a site on this machine so many times a second until its input ends: for a process in the
 * network of a server. Prints how many answers were as expected, each other one, and the rate of the
 * requests.
 */
const [host = '', path = '', expected = '', per_second = ''] = process.argv.slice(2)
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
function askDue(): void {
  while (number < seconds() * Number(per_second)) asked.push(ask(number++))
}
const timer = setInterval(askDue, 500 / Number(per_second))
for await (const _ of Bun.stdin.stream());
clearInterval(timer)
const reached = number / seconds()
await Promise.all(asked)
console.log(JSON.stringify({ ...result, reached }))

export {}

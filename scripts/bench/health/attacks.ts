import { fail } from '#scripts/lib/fail.ts'
import { crowd } from '#tests/support/crowd.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { strangersAt } from '#tests/support/strangers.ts'

const STRANGERS = 2_000
const AGENT_MS = 10_000
const LONGEST_MS = 120_000

interface Guess {
  address: string
  email: string
}

/** The owner's password from 2,000 addresses. */
const fromEverywhere = (url: string) =>
  guess(url, (turn) => ({ address: addressOf(turn), email: ADMIN.email }))

/** The passwords of 2,000 accounts from one address. */
const fromOneAddress = (url: string) =>
  guess(url, (turn) => ({ address: '192.0.2.77', email: `someone${turn}@control.example` }))

/** Sends all logins at once and waits for their answers: each is 401 or 429. */
async function guess(url: string, of: (turn: number) => Guess): Promise<string> {
  const port = Number(new URL(url).port)
  const made = Array.from({ length: STRANGERS }, (_, turn) => crowd(port, 1, login(of(turn))))
  const all = await Promise.all(made)
  const counted = (status: number) => all.filter(({ answers }) => answers.get(status) === 1).length
  const answered = () => counted(401) + counted(429)
  for (const end = Date.now() + LONGEST_MS; answered() < STRANGERS && Date.now() < end; )
    await Bun.sleep(100)
  for (const each of all) each.end()
  if (answered() < STRANGERS) throw new Error(`${STRANGERS - answered()} logins have no answer`)
  return `${counted(401)} checked, ${counted(429)} refused`
}

/** Connections that are idle, or slow with their handshakes, headers and bodies. */
async function hold(url: string): Promise<string> {
  const strangers = strangersAt(url, STRANGERS)
  await Bun.sleep(AGENT_MS)
  const tried = strangers.tried()
  strangers.stop()
  if (tried <= STRANGERS) throw new Error('no stranger lost its connection')
  return `${tried} connections`
}

function login({ address, email }: Guess): string {
  const body = JSON.stringify({ email, password: 'guess' })
  const head = [
    'POST /api/auth/login HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `X-Forwarded-For: ${address}`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

const addressOf = (turn: number) => `198.51.${turn >> 8}.${turn & 255}`

/** Attacks of 2,000 clients on an address; each returns its result as text. */
const ATTACKS = { fromEverywhere, fromOneAddress, hold }
export type Attack = keyof typeof ATTACKS

/** The program of the attackers: `bun attacks.ts ATTACK URL` prints the result of the attack. */
async function main([attack = '', url = '']: string[]): Promise<void> {
  const isAttack = (name: string): name is Attack => name in ATTACKS
  if (!isAttack(attack)) throw new Error(`${attack} is not an attack`)
  console.log(await ATTACKS[attack](url))
}

if (import.meta.main) await main(process.argv.slice(2)).then(() => process.exit(0), fail)

import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request } from 'node:https'
import process from 'node:process'
import { createInterface } from 'node:readline'

/**
 * Passes requests on to the port of a server on the same address, and holds some of them on request.
 * Standard input: `hold <n> <pattern>`: from the n-th request whose method and path match; `release`:
 * passes the held ones on, and holds no more; `drop`: the held ones are never answered.
 */
const [address = '', own = '', other = '', key = '', certificate = ''] = process.argv.slice(2)
const cert = readFileSync(certificate, 'utf8')

let hold: { left: number; pattern: RegExp } | undefined
let held: (() => void)[] = []

function pass(asked: IncomingMessage, answer: ServerResponse): void {
  const { method, url, headers } = asked
  const to = { host: address, port: Number(other), method, path: url, headers, ca: cert }
  const sent = request(to, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(answer)
  })
  sent.on('error', () => answer.destroy())
  asked.pipe(sent)
}

function isHeld({ method, url }: IncomingMessage): boolean {
  if (!hold?.pattern.test(`${method} ${decodeURIComponent(url ?? '')}`)) return false
  hold.left -= 1
  if (hold.left > 0) return false
  if (hold.left === 0) console.log('held')
  return true
}

const server = createServer({ key: readFileSync(key, 'utf8'), cert }, (asked, answer) => {
  if (isHeld(asked)) held.push(() => pass(asked, answer))
  else pass(asked, answer)
})
server.listen(Number(own), address, () => console.log('ready'))

const lines = createInterface({ input: process.stdin })
lines.on('line', (line) => {
  const [word, count, ...pattern] = line.split(' ')
  const all = held
  held = []
  hold =
    word === 'hold' ? { left: Number(count), pattern: new RegExp(pattern.join(' ')) } : undefined
  if (word === 'release') for (const pass of all) pass()
  console.log('done')
})
lines.on('close', () => process.exit())

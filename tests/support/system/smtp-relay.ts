import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { Relay } from '#tests/support/mail/relay.ts'

/**
 * `bun smtp-relay.ts PORT FOLDER`: a relay in a host's network. `received` has a line per message.
 * Files: `tls-PORT` (key, certificate) enables STARTTLS, `later` defers, `hold` delays the answer.
 */
const [port = '2525', folder = '.'] = process.argv.slice(2)
const tls = `${folder}/tls-${port}`
const secured = () => ({ ...JSON.parse(readFileSync(tls, 'utf8')), disabledCommands: [] })
const relay = new Relay(existsSync(tls) ? secured() : {})
await relay.start(Number(port))
console.log('listening')

let printed = 0
setInterval(() => {
  relay.deferring = existsSync(`${folder}/later`)
  if (!existsSync(`${folder}/hold`)) relay.release()
  for (const message of relay.received.slice(printed)) {
    appendFileSync(`${folder}/received`, `${JSON.stringify(message)}\n`)
    printed += 1
  }
}, 20)

import process from 'node:process'
import { parseArgs } from 'node:util'
import type { Config } from '#agent/kernel/config.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { enrolmentOf } from '#agent/kernel/trust/index.ts'
import { Id } from '#shared/kernel/fields.ts'
import { EnrolmentCode, HubKey } from '#shared/servers/enrolment.ts'

const TIMEOUT_MS = 120_000
/** The maximum number of proofs: the dashboard invalidates a code after three invalid ones. */
const MAX_ANSWERS = 3

/**
 * `hosting-agent enrol --hub-key ed25519:… --server 7`, with the code on standard input, where no other
 * user of the machine and no shell history sees it. Waits until the dashboard has called.
 */
export async function enrol(config: Config, host: Host, args: string[]): Promise<string> {
  const { values } = parseArgs({
    args,
    options: { 'hub-key': { type: 'string' }, server: { type: 'string' } },
  })
  const hub = checked('--hub-key', HubKey.safeParse(values['hub-key']))
  const server = checked('--server', Id.safeParse(Number(values.server)))
  const code = checked('the code on standard input', EnrolmentCode.safeParse(await readLine()))
  const enrolment = await enrolmentOf(config, host)
  await enrolment.open(server, hub, code.reveal())
  const end = host.clock.elapsed() + TIMEOUT_MS
  while (host.clock.elapsed() < end) {
    const pending = await enrolment.pending()
    if (!pending) return 'enrolled: the dashboard and this agent trust each other'
    if (pending.answers >= MAX_ANSWERS) {
      await enrolment.end()
      throw new Error('the code is wrong or was used: create a new one in the dashboard')
    }
    await host.clock.sleep(200)
  }
  throw new Error(
    'the dashboard has not called within two minutes: check that it reaches this server on the ' +
      "agent's port, then run the same command again",
  )
}

function checked<T>(what: string, result: { success: true; data: T } | { success: false }): T {
  if (result.success) return result.data
  throw new Error(`${what} is missing or malformed: copy the whole command from the dashboard`)
}

async function readLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n') || text.length > 200) break
  }
  return text.trim()
}

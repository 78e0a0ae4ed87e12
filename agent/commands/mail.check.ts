import type { Host } from '#agent/host/ports.ts'
import { run } from '#agent/os/effects/effects.ts'
import { describeTry, readTryResult, type TryResult } from '#agent/os/mail/answers.ts'
import { readServerSetting, readSiteSetting } from '#agent/os/mail/files.ts'
import { MAIL_USER } from '#agent/os/mail/places.ts'
import { CAUGHT_REASON, effective, newSiteSetting } from '#agent/os/mail/setting.ts'
import { getSite } from '#agent/os/site/sites.ts'
import type { Command, Progress, Step } from '#agent/steps/command.ts'
import { conflict } from '#shared/errors.ts'

/** Somebody waits for it, and a sent message cannot be recalled. */
const TIMEOUT_MS = 240_000

interface Params {
  domain?: string | undefined
  to: string
}

/** It needs no lock: sites keep sending meanwhile. */
export const mailCheck: Command<'mail.check'> = {
  lock: () => undefined,
  plan: async (params, host) => [await step(params, host, () => undefined)],
  async *run(params, { host, perform }) {
    let answer = ''
    const answered = (line: string) => {
      answer = line
    }
    yield* perform([await step(params, host, answered)])
    return { answer: answer.slice(0, 500) }
  },
}

async function step(params: Params, host: Host, answered: (answer: string) => void): Promise<Step> {
  const { user, relay } = await relayOf(params, host)
  return {
    name: 'message',
    title: `Sending a test message to ${params.to} through ${relay.host}`,
    effects: [run('message', `${relay.host}:${relay.port}`)],
    apply: () => handOver(host, [params.to, ...user], answered),
  }
}

/** Throws conflict without a relay. */
async function relayOf({ domain }: Params, host: Host) {
  const server = await readServerSetting(host)
  const site = domain === undefined ? undefined : await getSite(host, domain)
  const setting = site ? await readSiteSetting(host, site) : newSiteSetting('')
  const found = effective(server, setting)
  if ('reason' in found) throw conflict(`Nothing was sent: ${found.reason}`)
  if ('caught' in found) throw conflict(`Nothing was sent: ${CAUGHT_REASON}`)
  return { user: site ? [site.user] : [], relay: found.relay }
}

/** As the user of the queue, outside the sandbox of the agent, which has no network. */
async function* handOver(
  host: Host,
  args: readonly string[],
  answered: (answer: string) => void,
): Progress<void> {
  const argv = [...host.settings.program, 'mail-try', ...args]
  const env = { AGENT_MAIL_DIR: host.settings.mail_dir }
  const options = { user: MAIL_USER, env, unconfined: true, timeout_ms: TIMEOUT_MS } as const
  let result: TryResult = { taken: false, answer: 'the test ended without a result' }
  for await (const line of host.shell.stream(argv, options)) {
    const last = readTryResult(line)
    result = last ?? result
    yield last ? describeTry(last) : line
  }
  if (!result.taken) throw conflict(describeTry(result))
  answered(result.answer)
}

import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { MAIL_USER } from '#agent/kernel/mail/paths.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { command, type Progress, stepResult } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { readServerSetting, readSiteSetting } from './files.ts'
import { CAUGHT_REASON, effectiveSetting, newSiteSetting } from './setting.ts'
import { describeTry, readTryResult, type TryResult } from './test-result.ts'

/** The time limit: somebody waits for it, and a sent message cannot be recalled. */
const TIMEOUT_MS = 240_000

const relayAnswer = stepResult<string>('The relay did not answer')

/** Needs no lock: sites keep sending meanwhile. */
export const mailCheck = command('mail.check', {
  lock: () => undefined,
  check: relayOf,
  steps: ({ params: { to }, host, user, relay, gives }) => [
    {
      name: 'message',
      title: `Sending a test message to ${to} through ${relay.host}`,
      effects: [run('message', `${relay.host}:${relay.port}`)],
      apply: gives(relayAnswer, () => sendTestMail(host, [to, ...user])),
    },
  ],
  result: ({ get }) => ({ answer: get(relayAnswer).slice(0, 500) }),
})

async function relayOf({ domain }: ParamsOf<'mail.check'>, host: Host) {
  const server = await readServerSetting(host)
  const site = domain === undefined ? undefined : await getSite(host, domain)
  const setting = site ? await readSiteSetting(host, site) : newSiteSetting('')
  const found = effectiveSetting(server, setting)
  if ('reason' in found) throw conflict(`Nothing was sent: ${found.reason}`)
  if ('caught' in found) throw conflict(`Nothing was sent: ${CAUGHT_REASON}`)
  return { user: site ? [site.user] : [], relay: found.relay }
}

/** Runs as the user of the queue, outside the sandbox of the agent, which has no network. */
async function* sendTestMail(host: Host, args: readonly string[]): Progress<string> {
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
  return result.answer
}

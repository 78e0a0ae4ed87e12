import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import process from 'node:process'
import {
  CAUGHT_REASON,
  effectiveSetting,
  newSiteSetting,
  type RelaySetting,
} from '#agent/features/mail/setting.ts'
import type { TryResult } from '#agent/features/mail/test-result.ts'
import type { Config } from '#agent/kernel/config.ts'
import { mailPathsIn } from '#agent/kernel/mail/paths.ts'
import { messageOf } from '#shared/kernel/errors.ts'
import { field, renderFields } from './headers.ts'
import { settingFiles } from './setting-files.ts'
import { connect, type OutgoingMessage, type SmtpOptions, send } from './smtp.ts'
import { WireForm } from './wire-form.ts'

/** The time limits, which are short because a person waits for the result. */
const TIMES = { connect_ms: 15_000, answer_ms: 60_000, accept_ms: 120_000 }

/**
 * `hosting-agent mail-try <recipient> [user]`: sends one message through the relay of a site, or of
 * the server, and prints the dialogue without its secrets, and the result as JSON.
 */
export async function mailTry(config: Config, [to = '', user]: readonly string[]): Promise<never> {
  const print = (line: string) => console.log(line)
  const end = (result: TryResult) => print(JSON.stringify(result))
  try {
    const rules = await rulesOf(config, user)
    end({ taken: true, answer: await sendTest(rules, to, print) })
  } catch (error) {
    end({ taken: false, answer: messageOf(error) })
  }
  process.exit(0)
}

async function rulesOf({ settings: { mail_dir } }: Config, user: string | undefined) {
  const files = settingFiles(mailPathsIn(mail_dir))
  const site = user === undefined ? newSiteSetting(hostname()) : await files.site(user)
  const rules = effectiveSetting(await files.server(), site)
  if ('reason' in rules) throw new Error(rules.reason)
  if ('caught' in rules) throw new Error(CAUGHT_REASON)
  return rules
}

/** Returns the answer of the relay; throws its refusal. */
export async function sendTest(
  rules: RelaySetting,
  to: string,
  log: (line: string) => void,
  smtp: SmtpOptions = {},
): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/mail-try-`)
  const connection = await connect(rules.relay, { log, times: TIMES, ...smtp })
  try {
    const text = `${folder}/message`
    await writeFile(text, render(rules, to))
    const message: OutgoingMessage = { sender: rules.from_address, recipients: [to], text }
    const { deferred, refused, answer = '' } = await send(connection, message)
    const [refusal] = [...refused, ...deferred]
    if (refusal) throw new Error(refusal.reply.text)
    return answer
  } finally {
    connection.close()
    await rm(folder, { recursive: true, force: true })
  }
}

function render({ from_address, domain }: RelaySetting, to: string): Buffer {
  const now = new Date()
  const form = new WireForm()
  const fields = [
    field('From', from_address),
    field('To', to),
    field('Subject', `Test message of ${domain}`),
    field('Date', now.toUTCString().replace('GMT', '+0000')),
    field('Message-ID', `<test.${now.getTime()}@${domain}>`),
  ]
  const words = 'This message was sent by a test of the mail settings in Hosting Control.\n'
  const parts = [form.push(renderFields(fields)), form.push(Buffer.from(words)), form.end()]
  return Buffer.concat(parts)
}

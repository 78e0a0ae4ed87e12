import type { z } from 'zod'
import { entryOf } from '#dashboard/kernel/activity/entry.ts'
import type { Bus } from '#dashboard/kernel/runtime/bus.ts'
import { timestamp } from '#dashboard/kernel/runtime/clock.ts'
import type { Log } from '#dashboard/kernel/runtime/log.ts'
import { randomText } from '#dashboard/kernel/runtime/random.ts'
import type { ResetPassword } from '#shared/kernel/api/auth.ts'
import { conflict, invalid } from '#shared/kernel/errors.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type LoginDeps, prefixOf } from './login.ts'
import { findReset, insertReset, takeReset } from './password-reset.queries.ts'
import { findUser, findUserByEmail, updatePassword } from './queries.ts'
import { SESSIONS_NEWS } from './session-revocation.ts'

const VALID_MS = 3600_000
/** The answer has been sent by then, so its time does not depend on the account. */
const SEND_AFTER_MS = 1_000
const TURNS = 5

type Records = Pick<LoginDeps, 'db' | 'marks' | 'clock' | 'random'>

/** The part of the mailer that is needed here: it never throws. */
interface ResetMailer {
  send(message: { to: readonly string[]; subject: string; text: string; id: string }): Promise<{
    accepted: boolean
    answer: string
  }>
}

export interface ResetDeps extends LoginDeps {
  mailer: ResetMailer | undefined
  public_url: string | undefined
  bus: Bus
  log: Log
}

const NO_MAIL =
  'This dashboard cannot send a link by e-mail. An administrator of its machine can make one: hosting-control reset-password <email>'

/**
 * Sends a link for a new password, if there is such an account, after the answer. The link has the
 * public address of the dashboard, whatever the request says. Throws 409 if no mail can be sent, and
 * 429 for too many requests from an address.
 */
export function requestReset(deps: ResetDeps, address: string, email: string): void {
  const { mailer, public_url, clock, log, random } = deps
  if (!mailer || public_url === undefined) throw conflict(NO_MAIL)
  const account = email.toLowerCase()
  if (!deps.throttle.reset(account, prefixOf(address))) return
  const entry = entryOf(clock, { type: 'auth.reset_request', detail: 'by e-mail' })
  const send = async () => {
    await clock.sleep(SEND_AFTER_MS)
    const made = await makeReset(deps, account, entry)
    if (!made) return
    const text = textOf(`${public_url}/reset#${made.token.reveal()}`)
    const id = `reset-${randomText(random, 9)}`
    const subject = 'Set a new password for Hosting Control'
    const { accepted, answer } = await mailer.send({ to: [made.email], subject, text, id })
    if (!accepted) log.error('a link for a new password was not sent', new Error(answer))
  }
  send().catch((error: unknown) => log.error('a link for a new password failed', error))
}

const textOf = (
  link: string,
) => `Somebody requested a new password for this account, with this address.

Set a new password within an hour:
${link}

The link works once. If you did not request it, ignore this message: your password stays the same.
`

/** Makes the token of a link, of which the records hold the hash; undefined for an unknown account. */
export async function makeReset(
  { db, marks, clock, random }: Records,
  account: string,
  entry: ReturnType<typeof entryOf>,
): Promise<{ token: Secret; email: string } | undefined> {
  const user = await findUserByEmail({ db, marks }, account)
  // The claim of a provider decides about such an account, at each login.
  if (user?.managed_by !== '') return undefined
  const token = new Secret(randomText(random, 32))
  const created_at = timestamp(clock)
  const expires_at = timestamp(clock, VALID_MS)
  const values = { user_id: user.id, hash: sha256(token), created_at, expires_at }
  await insertReset({ db, marks }, values, { ...entry, user_id: user.id })
  return { token, email: user.email }
}

const refused = () =>
  invalid({ token: ['The link was used, has expired or is incomplete: request a new one'] })

/** Sets the password and ends all sessions. Throws 422 for a link that is not valid any more. */
export async function confirmReset(
  deps: Pick<ResetDeps, keyof Records | 'passwords' | 'bus'>,
  { token, password }: z.output<typeof ResetPassword>,
): Promise<void> {
  const hash = sha256(token)
  const reset = await findReset(deps, hash)
  if (!reset || reset.expires_at <= timestamp(deps.clock)) throw refused()
  const password_hash = await deps.passwords.hash(password)
  if (!(await takeReset(deps.db, hash))) throw refused()
  const entry = entryOf(deps.clock, { type: 'auth.reset', user_id: reset.user_id })
  // Another request may change the account meanwhile.
  for (let turn = 0; turn < TURNS; turn++) {
    const user = await findUser(deps, reset.user_id)
    if (!user) throw refused()
    if (!(await updatePassword(deps, { user, password_hash, end_tokens: false }, entry))) continue
    deps.bus.notify(SESSIONS_NEWS)
    return
  }
  throw new Error('The account changes with each attempt to set its password')
}

const sha256 = (token: Secret) =>
  new Bun.CryptoHasher('sha256').update(token.reveal()).digest('hex')

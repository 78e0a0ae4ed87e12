import type { Relay } from '#agent/os/mail/setting.ts'
import type { Connection } from './connect.ts'
import { expect, Refused } from './replies.ts'

const encode = (text: string) => Buffer.from(text, 'utf8').toString('base64')

/** `offered`: the relay's mechanisms after AUTH; a relay without AUTH never gets the password. */
export async function logIn(
  connection: Connection,
  { user, password }: Relay,
  offered: string | undefined,
): Promise<void> {
  if (offered === undefined) {
    throw new Refused('the relay offers no login: check the port and the kind of TLS')
  }
  if (/\bPLAIN\b/i.test(offered)) {
    const secret = encode(`\0${user}\0${password}`)
    expect(await connection.command(`AUTH PLAIN ${secret}`, 'AUTH PLAIN (user and password)'), 235)
  } else if (/\bLOGIN\b/i.test(offered)) {
    expect(await connection.command('AUTH LOGIN'), 334)
    expect(await connection.command(encode(user), '(user)'), 334)
    expect(await connection.command(encode(password), '(password)'), 235)
  } else throw new Refused(`the relay offers neither AUTH PLAIN nor AUTH LOGIN, but: ${offered}`)
}

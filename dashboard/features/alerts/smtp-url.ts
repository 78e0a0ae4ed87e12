import { HIDDEN, Secret } from '#shared/kernel/secret.ts'

/** The SMTP server of the dashboard; `plain` is without TLS. */
export interface SmtpServer {
  host: string
  port: number
  tls: 'implicit' | 'starttls' | 'plain'
  login: { user: string; password: Secret } | null
}

const SUBMISSION_PORT = 587
const SUBMISSIONS_PORT = 465
/** The form of an SMTP_URL: without a path, and with the one option. */
const SMTP_URL = /^(smtps?):\/\/[^/?#]+\/?(\?tls=none)?$/
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

/**
 * Reads an SMTP_URL: `smtps://` is TLS from the first byte, `smtp://` requires STARTTLS, unless the
 * server is on this machine or `?tls=none` allows to send without encryption. Undefined: not valid.
 */
export function readSmtpUrl(text: string): SmtpServer | undefined {
  const [, scheme, options = ''] = SMTP_URL.exec(text) ?? []
  const url = URL.parse(text)
  const login = url ? loginOf(url) : undefined
  if (!url || login === undefined || url.hostname === '') return undefined
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const tls = tlsOf(scheme, options, host)
  const port = tls === 'implicit' ? SUBMISSIONS_PORT : SUBMISSION_PORT
  return tls && { host, port: url.port === '' ? port : Number(url.port), tls, login }
}

function tlsOf(scheme = '', options: string, host: string): SmtpServer['tls'] | undefined {
  if (scheme === 'smtps') return options === '' ? 'implicit' : undefined
  if (scheme !== 'smtp') return undefined
  return options !== '' || LOOPBACK.test(host) ? 'plain' : 'starttls'
}

/** Returns the login in a URL; null without one, undefined for an invalid one. */
function loginOf({ username, password }: URL): SmtpServer['login'] | undefined {
  try {
    if (username === '') return password === '' ? null : undefined
    return {
      user: decodeURIComponent(username),
      password: new Secret(decodeURIComponent(password)),
    }
  } catch {
    return undefined
  }
}

/** Returns the text of a server in one printable line, without the password in any form. */
export function withoutPassword(text: string, { login }: Pick<SmtpServer, 'login'>): string {
  const line = text.replace(/\p{C}+/gu, ' ').trim()
  const password = login?.password.reveal() ?? ''
  if (login === null || password === '') return line.slice(0, MAX_ANSWER)
  const forms = [`\0${login.user}\0${password}`, password].map((form) =>
    Buffer.from(form).toString('base64'),
  )
  const hidden = [...forms, password, encodeURIComponent(password)].reduce(
    (rest, form) => rest.replaceAll(form, HIDDEN),
    line,
  )
  return hidden.slice(0, MAX_ANSWER)
}

const MAX_ANSWER = 500

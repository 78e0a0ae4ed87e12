import { PassThrough } from 'node:stream'
import { createTransport } from 'nodemailer'
import { codeOf } from '#dashboard/kernel/runtime/error-code.ts'
import { type SmtpServer, withoutPassword } from './smtp-url.ts'

export interface Message {
  to: readonly string[]
  subject: string
  text: string
  /** The id without `<`, `>` and domain, which stays the same when the message is sent again. */
  id: string
  /** The ids of earlier messages of the same subject. */
  references?: readonly string[]
  /** The same as HTML. */
  html?: string
  /** The images that the HTML shows as `cid:<cid>`. */
  images?: readonly { cid: string; type: string; bytes: Buffer }[]
  /** The name of the sender; default: that of this program. */
  from_name?: string
  reply_to?: string
}

/** The outcome of sending a message, with the last answer of the server or the reason in its place. */
export interface SendResult {
  accepted: boolean
  answer: string
  /** Recipients that the server has refused, though it has accepted the message. */
  refused: readonly string[]
  /** True when the server may have accepted the message, and its answer was lost. */
  is_unclear?: true
}

/** Sends messages; it never throws, and its answers contain no password. */
export interface Mailer {
  server: Pick<SmtpServer, 'host' | 'port' | 'tls'>
  from: string
  send(message: Message): Promise<SendResult>
}

interface MailTimeouts {
  connect_ms: number
  answer_ms: number
  total_ms: number
}

const DEFAULT_TIMEOUTS: MailTimeouts = { connect_ms: 10_000, answer_ms: 15_000, total_ms: 25_000 }

export function makeMailer(server: SmtpServer, from: string, times = DEFAULT_TIMEOUTS): Mailer {
  const { host, port, tls, login } = server
  const transport = createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    // A mail server on this machine often offers a certificate that nobody trusts.
    ignoreTLS: tls === 'plain',
    ...(login && { auth: { user: login.user, pass: login.password.reveal() } }),
    connectionTimeout: times.connect_ms,
    dnsTimeout: times.connect_ms,
    greetingTimeout: times.answer_ms,
    socketTimeout: times.answer_ms,
    disableFileAccess: true,
    disableUrlAccess: true,
    logger: false,
  })
  /** The ids of messages whose text the server has asked for: it may have accepted them. */
  const begun = new Set<unknown>()
  transport.use('stream', ({ data, message }, next) => {
    const text = new PassThrough()
    text.once('resume', () => begun.add(data.messageId))
    message.transform(() => text)
    next()
  })
  const domain = from.slice(from.lastIndexOf('@') + 1)
  const named = (id: string) => `<${id}@${domain}>`
  return {
    server: { host, port, tls },
    from,
    async send({ to, subject, text, id, references = [], ...more }) {
      try {
        const { response, rejected } = await transport.sendMail({
          from: { name: more.from_name ?? 'Hosting Control', address: from },
          to: [...to],
          subject,
          text,
          ...(more.html !== undefined && { html: more.html }),
          ...(more.reply_to !== undefined && { replyTo: more.reply_to }),
          attachments: (more.images ?? []).map(({ cid, type, bytes }) => ({
            cid,
            content: bytes,
            contentType: type,
            contentDisposition: 'inline' as const,
            filename: `logo.${type.slice('image/'.length)}`,
          })),
          messageId: named(id),
          references: references.map(named),
          headers: { 'Auto-Submitted': 'auto-generated' },
          signal: AbortSignal.timeout(times.total_ms),
        })
        const refused = [...rejected]
        return { accepted: true, answer: withoutPassword(response, server), refused }
      } catch (error) {
        const answer = withoutPassword(reasonOf(error), server)
        const isUnclear = begun.has(named(id)) && typeof Object(error).responseCode !== 'number'
        return { accepted: false, answer, refused: [], ...(isUnclear && { is_unclear: true }) }
      } finally {
        begun.delete(named(id))
      }
    },
  }
}

/** Sentences for the codes of system errors (errno(3)) and of nodemailer. */
const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The server refused the connection',
  ECONNRESET: 'The server ended the connection',
  EHOSTUNREACH: 'The server cannot be reached from here',
  ENETUNREACH: 'The server cannot be reached from here',
  ENOTFOUND: 'The name of the server cannot be resolved',
  EDNS: 'The name of the server cannot be resolved',
  ETIMEDOUT: 'The server did not answer in time',
}

const systemCodeIn = (error: unknown): string =>
  error instanceof Error ? (/\bE[A-Z]{3,}\b/.exec(error.message)?.[0] ?? '') : ''

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The message could not be sent'
  const response = 'response' in error ? String(error.response ?? '') : ''
  const code = codeOf(error)
  if (response !== '') return code === 'ETLS' ? `STARTTLS is refused: ${response}` : response
  const known = REASONS[systemCodeIn(error)] ?? REASONS[code]
  return known ?? (error.message || 'The message could not be sent')
}

import type { Addressing } from '#agent/features/mail/setting.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { envelopeAddress, mailboxesOf } from './addresses.ts'
import { type Field, field, valuesOf } from './headers.ts'

/** The options of the site's program: `sender` is that of `-f`, `recipients` are its arguments. */
export interface Submission {
  sender: string | undefined
  recipients: readonly string[]
  /** `-t`: also the recipients of `To`, `Cc` and `Bcc`. */
  from_fields: boolean
}

export interface Envelope {
  sender: string
  recipients: string[]
  fields: Field[]
}

/** A refused message; the reason is shown to the site. */
export class Unacceptable extends Error {}

const MAX_RECIPIENTS = 200
const RECIPIENT_FIELDS = ['to', 'cc', 'bcc']
const LEFT_OUT = ['bcc', 'return-path', 'delivered-to', 'sender']

/** The sender, the recipients, and the fields of the outgoing message. Throws Unacceptable. */
export function envelopeOf(
  fields: readonly Field[],
  submission: Submission,
  rules: Addressing,
  { date, id }: { date: Date; id: string },
): Envelope {
  const recipients = recipientsOf(fields, submission)
  const from = fromOf(fields, submission, rules)
  const kept = fields.filter(({ name }) => !LEFT_OUT.includes(name))
  const has = (name: string) => kept.some((one) => one.name === name)
  const added = [
    ...(from.field ? [from.field] : []),
    ...(from.reply_to !== undefined && !has('reply-to') ? [field('Reply-To', from.reply_to)] : []),
    ...(has('date') ? [] : [field('Date', date.toUTCString().replace('GMT', '+0000'))]),
    ...(has('message-id') ? [] : [field('Message-ID', `<${id}@${rules.domain}>`)]),
  ]
  const others = from.field ? kept.filter(({ name }) => name !== 'from') : kept
  return { sender: from.sender, recipients, fields: [...added, ...others] }
}

function recipientsOf(fields: readonly Field[], submission: Submission): string[] {
  const named = submission.from_fields
    ? RECIPIENT_FIELDS.flatMap((name) => valuesOf(fields, name).flatMap(mailboxesOf))
    : []
  const texts = [...submission.recipients, ...named.map(({ address }) => address)]
  const addresses = texts.map((text) => {
    const address = envelopeAddress(text)
    if (address === undefined) throw new Unacceptable(`not an e-mail address: ${shown(text)}`)
    return address
  })
  const recipients = [...new Set(addresses)]
  if (recipients.length === 0) throw new Unacceptable('the message names no recipient')
  if (recipients.length > MAX_RECIPIENTS) {
    throw new Unacceptable(`the message has more than ${MAX_RECIPIENTS} recipients`)
  }
  return recipients
}

interface From {
  sender: string
  /** Undefined if that of the message is unchanged. */
  field?: Field
  reply_to?: string | undefined
}

function fromOf(fields: readonly Field[], submission: Submission, rules: Addressing): From {
  const given = valuesOf(fields, 'from').flatMap(mailboxesOf)
  const [first = { name: '', address: '' }] = given
  const address = envelopeAddress(first.address)
  const sender = envelopeAddress(submission.sender ?? '')
  const author = address ?? sender
  if (author === undefined || isReplaced(author, rules)) {
    return replaced(address === undefined ? '' : first.name, author, rules)
  }
  const kept = sender !== undefined && !isReplaced(sender, rules) ? sender : author
  if (address !== undefined && given.length === 1) return { sender: kept }
  // Several authors, or no readable one: the checked one is sufficient.
  return { sender: kept, field: field('From', author) }
}

/** With the name from the site, and its address for replies. */
function replaced(name: string, reply_to: string | undefined, { from_address }: Addressing): From {
  const text = name === '' ? from_address : `${name} <${from_address}>`
  return { sender: from_address, field: field('From', text), reply_to }
}

function isReplaced(address: string, { rewrite_from, from_address, domain }: Addressing): boolean {
  if (rewrite_from === 'never' || address === from_address) return false
  return rewrite_from === 'always' || !isOf(address, domain)
}

/** Whether it is the domain of the site, with or without `www.`, or a subdomain. */
function isOf(address: string, domain: string): boolean {
  const host = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  const apex = apexOf(domain)
  return host === apex || host.endsWith(`.${apex}`)
}

const shown = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)

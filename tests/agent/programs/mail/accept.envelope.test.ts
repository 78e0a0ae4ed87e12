import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RelaySetting } from '#agent/features/mail/setting.ts'
import {
  envelopeAddress,
  envelopeOf,
  mailboxesOf,
  type Submission,
  UnacceptableMessage,
} from '#agent/programs/mail/accept.ts'
import { parseFields, valuesOf } from '#agent/programs/mail/headers.ts'
import { WireForm } from '#agent/programs/mail/wire-form.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'

const RULES: RelaySetting = {
  domain: 'www.shop.example',
  relay: { host: 'smtp.example', port: 587, tls: 'starttls', user: '', password: '' },
  from_address: 'noreply@agency.example',
  rewrite_from: 'foreign',
  hourly_limit: 100,
}
const SEEN = { date: new Date(0), id: 'a'.repeat(24) }
const asked: Submission = { sender: undefined, recipients: [], from_fields: true }

function enveloped(
  header: string,
  more: Partial<Submission> = {},
  rules: Partial<RelaySetting> = {},
) {
  const fields = parseFields(header)
  const envelope = envelopeOf(fields, { ...asked, ...more }, { ...RULES, ...rules }, SEEN)
  const value = (name: string) => valuesOf(envelope.fields, name)
  return { ...envelope, value }
}

describe('an address list', () => {
  test.each([
    ['a@b.example', ['a@b.example']],
    ['Ann <a@b.example>, b@c.example', ['a@b.example', 'b@c.example']],
    ['"Doe, John" <a@b.example>', ['a@b.example']],
    ['"a \\" b, c" <a@b.example>', ['a@b.example']],
    ['Ann (of (nested, really) sales) <a@b.example>', ['a@b.example']],
    ['Friends: a@b.example, b@c.example;', ['a@b.example', 'b@c.example']],
    ['undisclosed-recipients:;', []],
    [' , ,a@b.example,', ['a@b.example']],
    ['Ann <a@b.example, b@c.example', ['a@b.example', 'b@c.example']],
  ])('%j names %j', (text, addresses) => {
    expect(mailboxesOf(text).map(({ address }) => address)).toEqual(addresses)
  })

  test('terminates for any text, and returns only addresses in it', () => {
    const parts = fc.constantFrom('"', '\\', '(', ')', '<', '>', ',', ';', ':', 'a@b.example', ' ')
    forAll(
      fc.array(parts).map((list) => list.join('')),
      (text) => {
        for (const { address } of mailboxesOf(text)) expect(text).toContain(address[0] ?? '')
      },
    )
  })
})

test.each([
  ['ann@example.org', 'ann@example.org'],
  ['Ann+Tag@Example.ORG', 'Ann+Tag@Example.ORG'],
  ['ann@münchen.example', 'ann@xn--mnchen-3ya.example'],
  ['änn@example.org', undefined],
  ['"a b"@example.org', undefined],
  ['ann@[127.0.0.1]', undefined],
  ['ann', undefined],
  ['@example.org', undefined],
  ['ann@example.org>\r\nRCPT TO:<x@y.example', undefined],
  ['ann@exa mple.org', undefined],
  [`${'a'.repeat(65)}@example.org`, undefined],
])('%j goes to a relay as %j', (text, address) => {
  expect(envelopeAddress(text)).toBe(address)
})

test('no address contains characters that end an SMTP command', () => {
  forAll(fc.string({ unit: anyCharacter }), (text) => {
    const address = envelopeAddress(text)
    if (address !== undefined) expect(address).toMatch(/^[!-;=?-~]+$/)
  })
})

describe('the sender', () => {
  const from = (header: string, rules: Partial<RelaySetting> = {}, sender?: string) => {
    const { value, ...envelope } = enveloped(`To: a@b.example\n${header}`, { sender }, rules)
    return [envelope.sender, value('from')[0], value('reply-to')[0]]
  }

  test.each([
    [
      'of the site stays',
      'From: Shop <info@shop.example>',
      {},
      ['info@shop.example', 'Shop <info@shop.example>', undefined],
    ],
    [
      'of a name below it stays',
      'From: a@mail.shop.example',
      {},
      ['a@mail.shop.example', 'a@mail.shop.example', undefined],
    ],
    [
      'of another domain is replaced, and gets the replies',
      'From: "Ann B." <ann@gmail.example>',
      {},
      ['noreply@agency.example', '"Ann B." <noreply@agency.example>', 'ann@gmail.example'],
    ],
    [
      'of a domain that only ends alike is another one',
      'From: a@evilshop.example',
      {},
      ['noreply@agency.example', 'noreply@agency.example', 'a@evilshop.example'],
    ],
    [
      'is replaced always where that is wanted',
      'From: info@shop.example',
      { rewrite_from: 'always' as const },
      ['noreply@agency.example', 'noreply@agency.example', 'info@shop.example'],
    ],
    [
      'stays where nothing is to be replaced',
      'From: a@gmail.example',
      { rewrite_from: 'never' as const },
      ['a@gmail.example', 'a@gmail.example', undefined],
    ],
    [
      'that is missing is that of the setting',
      'Subject: x',
      {},
      ['noreply@agency.example', 'noreply@agency.example', undefined],
    ],
    [
      'keeps the replies that the site wants',
      'From: a@gmail.example\nReply-To: b@c.example',
      {},
      ['noreply@agency.example', 'noreply@agency.example', 'b@c.example'],
    ],
    [
      'is one of several',
      'From: info@shop.example, a@gmail.example',
      {},
      ['info@shop.example', 'info@shop.example', undefined],
    ],
  ])('%s', (_, header, rules, expected) => {
    expect(from(header, rules)).toEqual(expected)
  })

  test('is the address of -f if it belongs to the site', () => {
    const header = 'From: info@shop.example'
    expect(from(header, {}, 'bounces@shop.example')[0]).toBe('bounces@shop.example')
    expect(from(header, {}, 'a@gmail.example')[0]).toBe('info@shop.example')
  })
})

test('recipients come from fields and arguments, each once, and Bcc is removed', () => {
  const header = 'To: a@b.example\nCc: "B, C" <b@b.example>\nBcc: c@b.example,\n a@b.example'
  const { recipients, value } = enveloped(header, { recipients: ['d@b.example'] })
  expect(recipients).toEqual(['d@b.example', 'a@b.example', 'b@b.example', 'c@b.example'])
  expect(value('bcc')).toEqual([])
})

test.each([
  ['Subject: x', 'the message names no recipient'],
  ['To: ann', 'not an e-mail address: ann'],
  [
    `To: ${Array.from({ length: 201 }, (_, at) => `a${at}@b.example`).join()}`,
    'the message has more than 200 recipients',
  ],
])('%j is refused', (header, reason) => {
  expect(() => enveloped(header)).toThrow(new UnacceptableMessage(reason))
})

test('reads the same header fields as a relay', () => {
  const { recipients, value } = enveloped('To: a@b.example\r\nSubject: x\rBcc: c@b.example')
  expect([recipients, value('bcc'), value('subject')]).toEqual([
    ['a@b.example', 'c@b.example'],
    [],
    ['x'],
  ])
})

describe('the form that goes to a relay', () => {
  const formed = (...chunks: string[]) => {
    const form = new WireForm()
    const parts = chunks.map((chunk) => form.push(Buffer.from(chunk, 'latin1')))
    return Buffer.concat([...parts, form.end()]).toString('latin1')
  }

  test.each([
    [['a\nb\n'], 'a\r\nb\r\n'],
    [['a\r\nb'], 'a\r\nb\r\n'],
    [['a\rb'], 'a\r\nb\r\n'],
    [['a\r', '\nb\n'], 'a\r\nb\r\n'],
    [['a\0b'], 'ab\r\n'],
    [[''], ''],
  ])('of %j is %j', (chunks, text) => {
    expect(formed(...chunks)).toBe(text)
  })

  test('never contains a lone CR or LF, for any input', () => {
    const text = fc.array(fc.constantFrom('\r', '\n', '.', 'a', '\0')).map((list) => list.join(''))
    forAll(fc.array(text), (chunks) => {
      const out = formed(...chunks)
      expect(out.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
      expect(out).toBe(formed(chunks.join('')))
    })
  })
})

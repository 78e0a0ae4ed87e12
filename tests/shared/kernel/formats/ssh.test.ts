import { expect, test } from 'bun:test'
import { renderKnownHost, renderSshHost } from '#shared/kernel/formats/ssh.ts'
import { brokenLines } from '#tests/support/hostile-values.ts'

const refusedOn = (field: string) =>
  expect.objectContaining({ status: 422, fields: { [field]: [expect.any(String)] } })
const thrownBy = (work: () => unknown) => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

const NOT_WORDS = [
  ...brokenLines,
  ...[
    '',
    ' ',
    'a b',
    '-F',
    '#a',
    'a#b',
    '"a"',
    "a'b",
    'a\\b',
    '%h',
    'a%%',
    '$HOME',
    '$' + '{HOME}',
    '~/x',
  ],
  ...['a;b', '`id`', '|id', '*', 'a?', '!a', '<a', '{a}'],
]

test.each(NOT_WORDS)('%j is no word of ssh_config', (value) => {
  expect(thrownBy(() => renderSshHost('target', { HostName: value }))).toEqual(
    refusedOn('HostName'),
  )
  expect(thrownBy(() => renderSshHost(value, {}))).toEqual(refusedOn('Host'))
  expect(thrownBy(() => renderKnownHost(value, 'ssh-ed25519 AAAA'))).toEqual(refusedOn('name'))
  expect(thrownBy(() => renderKnownHost('target', value))).toEqual(refusedOn('host_key'))
})

test('a host has its settings below its name', () => {
  expect(
    renderSshHost('target', { HostName: '2001:db8::1', Port: 22, IdentityFile: '/run/key' }),
  ).toBe('Host target\n  HostName 2001:db8::1\n  Port 22\n  IdentityFile /run/key\n')
})

test('a known host is a name and a key without its comment', () => {
  expect(renderKnownHost('target', 'ssh-ed25519 AAAAC3Nz')).toBe('target ssh-ed25519 AAAAC3Nz\n')
  expect(thrownBy(() => renderKnownHost('target', 'ssh-ed25519 AAAA me@home'))).toEqual(
    refusedOn('host_key'),
  )
})

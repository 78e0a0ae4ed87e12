import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { crontab, logrotate } from '#shared/kernel/formats/cron.ts'
import { renderUser } from '#shared/kernel/formats/htpasswd.ts'
import {
  nginx,
  nginxAddress,
  nginxPattern,
  nginxText,
  nginxVariable,
} from '#shared/kernel/formats/nginx.ts'
import { phpLiteral } from '#shared/kernel/formats/php.ts'
import { phpIni, phpIniText } from '#shared/kernel/formats/php-ini.ts'
import {
  calendarWords,
  environmentWord,
  execWord,
  renderVariable,
  unit,
} from '#shared/kernel/formats/systemd.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'
import { brokenLines, speakingLines } from '#tests/support/hostile-values.ts'

const outcomeOf = (write: () => string) => {
  try {
    return write()
  } catch (error) {
    return error
  }
}
const refusedOn = (field: string) =>
  expect.objectContaining({ status: 422, fields: { [field]: [expect.any(String)] } })

/** A value as a word of its format, and the name that a refusal has. */
const WORDS = {
  unit: [(value: string) => unit`User=${value}`, 'User'],
  'a list of unit': [(value: string) => unit`BindPaths=/x ${['a', value]}`, 'BindPaths'],
  nginx: [(value: string) => nginx`    server_name ${value};`, 'server_name'],
  'php.ini': [(value: string) => phpIni`memory_limit = ${value}`, 'memory_limit'],
  crontab: [(value: string) => crontab`0 * * * * root /bin/true ${value}`, '0'],
  logrotate: [(value: string) => logrotate`    su ${value} root`, 'su'],
  htpasswd: [(value: string) => renderUser(value, 'hash'), 'user'],
  'hash of htpasswd': [(value: string) => renderUser('user', value), 'password_hash'],
  'variable of nginx': [(value: string) => nginxVariable(value).text, 'variable'],
  'pattern of nginx': [(value: string) => nginxPattern(value).text, 'pattern'],
  'address of nginx': [nginxAddress, 'address'],
  'calendar of systemd': [(value: string) => calendarWords(value).text, 'OnCalendar'],
} as const satisfies Record<string, readonly [(value: string) => string, string]>

const ENDS = [
  '\n',
  '\r',
  '\0',
  '\u0085',
  '\u2028',
  '"',
  "'",
  '`',
  ';',
  '#',
  '$x',
  '\\',
  '{',
  '}',
  '<',
]

describe.each(Object.entries(WORDS))('a word of %s', (_, [write, field]) => {
  test('has no sign that begins or ends something', () => {
    for (const sign of ENDS.filter((sign) => field !== 'password_hash' || !'{}$x'.includes(sign))) {
      const value = `a${sign}b`
      expect([value, outcomeOf(() => write(value))]).toEqual([value, refusedOn(field)])
    }
    for (const value of brokenLines) expect(outcomeOf(() => write(value))).toEqual(refusedOn(field))
  })
})

/** A value between quotes of its format. */
const QUOTED = {
  ExecStart: [(value: string) => execWord(value).text, 'ExecStart'],
  Environment: [(value: string) => environmentWord('NAME', value).text, 'NAME'],
  EnvironmentFile: [(value: string) => renderVariable('NAME', value), 'NAME'],
  'php.ini': [(value: string) => phpIniText('sendmail_path', value).text, 'sendmail_path'],
  nginx: [(value: string) => nginxText(value).text, 'text'],
  php: [(value: string) => phpLiteral('DB_PASSWORD', value), 'DB_PASSWORD'],
} as const satisfies Record<string, readonly [(value: string) => string, string]>

describe.each(Object.entries(QUOTED))('a quoted value of %s', (name, [write, field]) => {
  test('carries no control character', () => {
    for (const sign of ['\r', '\0', '\x1b', '\u0085', ...(name === 'nginx' ? [] : ['\n'])]) {
      expect([sign, outcomeOf(() => write(`a${sign}b`))]).toEqual([sign, refusedOn(field)])
    }
  })

  test('ends where it ends', () => {
    const values = fc.oneof(fc.constantFrom(...speakingLines), fc.string({ unit: anyCharacter }))
    forAll(values, (value) => {
      const text = outcomeOf(() => write(value))
      if (typeof text !== 'string') return
      const [quote = ''] = /["']/.exec(text) ?? []
      if (quote === '') return
      const inner = text.slice(text.indexOf(quote) + 1, -1)
      expect(inner.replaceAll(/\\./gsu, '')).not.toContain(quote)
      expect(inner.replaceAll(/\\./gsu, '')).not.toEndWith('\\')
    })
  })
})

test('systemd takes every sign of a command literally', () => {
  expect(execWord('wp eval "echo 100%;" \\ $HOME').text).toBe(
    '"wp eval \\"echo 100%%;\\" \\\\ $$HOME"',
  )
})

test('a variable has no meaning of `$` in a unit, and quotes in a file only where it needs them', () => {
  expect(environmentWord('NAME', '50% of $5').text).toBe('"NAME=50%% of $5"')
  expect(renderVariable('PUBLIC_URL', 'https://control.example')).toBe(
    'PUBLIC_URL=https://control.example',
  )
  expect(renderVariable('NAME', 'a b#c"d')).toBe('NAME="a b#c\\"d"')
})

test('a line that a template has rendered is put in as it stands, and only at the beginning of a line', () => {
  const line = unit`Environment=A=${'b'}`
  expect(unit`[Service]\n${line}\nUser=${'shop'}\n`).toBe('[Service]\nEnvironment=A=b\nUser=shop\n')
  expect(outcomeOf(() => unit`User=${line}`)).toBe('User=Environment=A=b')
  expect(outcomeOf(() => unit`User=${'a\nExecStart=/bin/sh'}`)).toEqual(refusedOn('User'))
  expect(outcomeOf(() => unit`${'a b'} = c`)).toEqual(refusedOn('value'))
})

test('cron gets no line that is too long for it', () => {
  const line = (length: number) => crontab`@reboot root ${'x'.repeat(length)}\n# end\n`

  expect(line(986)).toBe(`@reboot root ${'x'.repeat(986)}\n# end\n`)
  expect(outcomeOf(() => line(987))).toEqual(refusedOn('command'))
})

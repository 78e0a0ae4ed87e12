import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { renderIni } from '#shared/kernel/formats/ini.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { forAll } from '#tests/support/for-all.ts'
import { brokenLines, speakingLines } from '#tests/support/hostile-values.ts'

const rendered = (value: string) => {
  try {
    return renderIni('default', { aws_access_key_id: 'KEY', aws_secret_access_key: value })
  } catch (error) {
    return error
  }
}
const refused = expect.objectContaining({
  status: 422,
  fields: { aws_secret_access_key: ['Must be one line of printable ASCII without %('] },
})

test('ordinary values stand as they are', () => {
  expect(rendered('abc/DEF+123=')).toBe(
    '[default]\naws_access_key_id=KEY\naws_secret_access_key=abc/DEF+123=\n',
  )
})

test.each(speakingLines)('a sign with a meaning is quoted, or means nothing: %j', (value) => {
  const text = String(rendered(value))
  const own = /^aws_secret_access_key=(.*)$/m.exec(text)?.[1] ?? ''

  expect([value, `\`${value}\``]).toContain(own)
  expect(text.split('\n')).toHaveLength(4)
})

test.each(brokenLines)('what no line carries is refused by name: %j', (value) =>
  expect(rendered(value)).toEqual(refused),
)

test('the reference to another value is refused', () => {
  expect(rendered('%(aws_access_key_id)s')).toEqual(refused)
})

test('keys and sections are names', () => {
  expect(() => renderIni('a]\n[b', {})).toThrow()
  expect(() => renderIni('default', { 'a\nb': 'c' })).toThrow()
})

test('no value adds a line', () => {
  forAll(fc.string({ unit: anyCharacter }), (value) => {
    const text = rendered(value)
    if (typeof text === 'string') expect(text.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(4)
  })
})

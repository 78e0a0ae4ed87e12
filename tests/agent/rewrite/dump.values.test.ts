import { describe, expect, test } from 'bun:test'
import type { RewriteRequest } from '#agent/rewrite/request.ts'
import { rewrittenDump } from '#tests/support/rewrite/rewritten.ts'

const valuesOf = (values: string, request: Partial<RewriteRequest> = {}) =>
  rewrittenDump(`INSERT INTO a VALUES (${values});\n`, request).dump.toString().slice(22, -3)

describe('values', () => {
  test.each([
    [
      'escapes',
      "'it\\'s\\n\\\\ //old.example\\Z\\0\\\"'",
      "'it\\'s\\n\\\\ //brand-new.example\\Z\\0\\\"'",
    ],
    ['doubled quotes', "'it''s //old.example'''", "'it''s //brand-new.example'''"],
    ['double quotes', '"it""s //old.example\\""', '"it""s //brand-new.example\\""'],
    [
      'escaped serialised text',
      '\'s:13:\\"//old.example\\";\'',
      '\'s:19:\\"//brand-new.example\\";\'',
    ],
    ['escaped JSON', "'http:\\\\/\\\\/old.example'", "'http:\\\\/\\\\/brand-new.example'"],
    ['a binary string', "_binary '//old.example',2", "_binary '//brand-new.example',2"],
    ['a binary format', "_binary '\\0//old.example'", "_binary '\\0//old.example'"],
    ['the same in text', "'\\0//old.example'", "'\\0//brand-new.example'"],
    ['a function', "ST_GeomFromText('//old.example')", "ST_GeomFromText('//brand-new.example')"],
    [
      'a comment',
      "1 /* '//old.example */,'\\%//old.example'",
      "1 /* '//old.example */,'\\%//brand-new.example'",
    ],
  ])('%s', (_, before, after) => {
    expect(valuesOf(before)).toBe(after)
  })

  const hex = (text: string) => Buffer.from(text).toString('hex')

  test.each([
    ['a hexadecimal text', '//old.example', '//brand-new.example'],
    ['a hexadecimal serialised text', '\0s:13:"//old.example";', '\0s:19:"//brand-new.example";'],
    ['a hexadecimal binary format', '\0//old.example', '\0//old.example'],
  ])('%s', (_, before, after) => {
    expect(valuesOf(`0x${hex(before).toUpperCase()}`)).toBe(`0x${hex(after).toUpperCase()}`)
    expect(valuesOf(`0x${hex(before)},1`)).toBe(`0x${hex(after)},1`)
  })

  test('without backslash escapes', () => {
    const request = { no_backslash_escapes: true }

    expect(valuesOf("'\\','http:\\/\\/old.example'", request)).toBe(
      "'\\','http:\\/\\/brand-new.example'",
    )
  })
})

import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { inspectImage } from '#dashboard/features/reports/image.ts'
import { JPEG, PNG, WEBP } from '#tests/support/dashboard/logos.ts'
import { forAll } from '#tests/support/for-all.ts'

describe('the type and the size of an image', () => {
  test.each([
    ['PNG', PNG, { type: 'image/png', width: 20, height: 18 }],
    ['JPEG', JPEG, { type: 'image/jpeg', width: 20, height: 18 }],
    ['lossless WebP', WEBP.lossless, { type: 'image/webp', width: 20, height: 18 }],
    ['lossy WebP', WEBP.lossy, { type: 'image/webp', width: 20, height: 18 }],
    ['extended WebP', WEBP.extended, { type: 'image/webp', width: 20, height: 18 }],
  ] as const)('%s are read from its bytes', (_, bytes, found) => {
    expect(inspectImage(bytes)).toEqual(found)
  })
})

test.each([
  ['an SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>')],
  ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
  ['a GIF', Buffer.from('GIF89a\x14\0\x12\0', 'latin1')],
  ['nothing', Buffer.alloc(0)],
  ['a PNG with a page at its end', Buffer.concat([PNG, Buffer.from('<script>')])],
  ['a PNG that is cut off', PNG.subarray(0, 40)],
  ['a JPEG with a page at its end', Buffer.concat([JPEG, Buffer.from('<script>')])],
  ['a WebP that is longer than it says', Buffer.concat([WEBP.lossless, Buffer.from('<p>')])],
])('%s is no image', (_, bytes) => {
  expect(inspectImage(bytes)).toBeUndefined()
})

test('no bytes make it fail', () => {
  const heads = fc.constantFrom(PNG, JPEG, WEBP.lossy, WEBP.lossless, WEBP.extended)
  forAll(heads, fc.nat(60), fc.uint8Array({ maxLength: 64 }), (head, length, rest) => {
    inspectImage(Buffer.concat([head.subarray(0, length), rest]))
  })
})

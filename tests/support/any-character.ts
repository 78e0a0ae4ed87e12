import fc from 'fast-check'

/** As the unit `binary` of fast-check, which takes half a second to make: any code point but half of a pair. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point))

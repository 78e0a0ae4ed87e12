import fc from 'fast-check'

/** fast-check's unit `binary` without its slow start: any code point except a lone surrogate. */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point))

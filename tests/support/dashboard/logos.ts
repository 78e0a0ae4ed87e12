/** A blue PNG of 20 by 18 pixels, which browsers show. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAABQAAAASCAIAAADUsmlHAAAAGUlEQVR42mOQ9btBNmIY1TyqeVTzqGYQAgBMbcZIg6J9TQAAAABJRU5ErkJggg==',
  'base64',
)

/** The segments of a JPEG of 20 by 18 pixels, without its content. */
export const JPEG = Buffer.from(
  ['ffd8', 'ffe000104a46494600010100000100010000', 'ffc0000b080012001401011100', 'ffd9'].join(''),
  'hex',
)

/** Puts a chunk into the container of a WebP. */
function webp(name: string, content: string): Buffer {
  const data = Buffer.from(content, 'hex')
  const head = Buffer.alloc(20)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(12 + data.length, 4)
  head.write(`WEBP${name}`, 8, 'latin1')
  head.writeUInt32LE(data.length, 16)
  return Buffer.concat([head, data])
}

/** The heads of WebP images of 20 by 18 pixels, without their content. */
export const WEBP = {
  lossy: webp('VP8 ', '0000009d012a14001200'),
  lossless: webp('VP8L', '2f13400400000000000000'),
  extended: webp('VP8X', '00000000130000110000'),
}

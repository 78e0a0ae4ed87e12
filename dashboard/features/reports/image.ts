import type { LogoType } from '#shared/reports/api/branding.ts'

interface FoundImage {
  type: LogoType
  width: number
  height: number
}

/**
 * Reads the type and the size of an image from its bytes; undefined for anything else, as for a
 * file that only begins like one. The content is not decoded: browsers do that.
 */
export function inspectImage(bytes: Buffer): FoundImage | undefined {
  return inspectPng(bytes) ?? inspectJpeg(bytes) ?? inspectWebp(bytes)
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1')
const PNG_END = Buffer.from('\0\0\0\0IEND\xaeB\x60\x82', 'latin1')

/** Reads a PNG: its first chunk has the size, and nothing follows its last one. */
function inspectPng(bytes: Buffer): FoundImage | undefined {
  if (!bytes.subarray(0, PNG.length).equals(PNG)) return undefined
  if (bytes.length < 45 || !bytes.subarray(-PNG_END.length).equals(PNG_END)) return undefined
  return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

/** The frame headers SOF0 to SOF15, without the tables DHT, JPG and DAC between them. */
const isFrame = (marker: number) =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Reads the segments of a JPEG up to that of its frame, which has the size. */
function inspectJpeg(bytes: Buffer): FoundImage | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined
  if (bytes.readUInt16BE(bytes.length - 2) !== 0xffd9) return undefined
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (isFrame(marker))
      return {
        type: 'image/jpeg',
        width: bytes.readUInt16BE(at + 7),
        height: bytes.readUInt16BE(at + 5),
      }
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

const text = (bytes: Buffer, from: number, length: number) =>
  bytes.toString('latin1', from, from + length)

/** Reads the first chunk of a WebP: VP8 (lossy), VP8L (lossless) or VP8X (with extensions). */
function inspectWebp(bytes: Buffer): FoundImage | undefined {
  if (bytes.length < 30 || text(bytes, 0, 4) !== 'RIFF' || text(bytes, 8, 4) !== 'WEBP')
    return undefined
  if (bytes.readUInt32LE(4) !== bytes.length - 8) return undefined
  const size = WEBP_SIZES[text(bytes, 12, 4)]?.(bytes)
  return size && { type: 'image/webp', ...size }
}

type Size = Pick<FoundImage, 'width' | 'height'>

const WEBP_SIZES: Record<string, (bytes: Buffer) => Size | undefined> = {
  'VP8 ': (bytes) =>
    bytes.readUIntBE(23, 3) === 0x9d012a
      ? { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
      : undefined,
  VP8L: (bytes) => {
    const bits = bytes.readUInt32LE(21)
    if (bytes[20] !== 0x2f) return undefined
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
  },
  VP8X: (bytes) => ({ width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }),
}

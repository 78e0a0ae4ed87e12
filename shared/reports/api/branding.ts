import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { Email } from '#shared/kernel/fields.ts'

/** The media types of a logo. SVG is none of them: it can contain programs. */
export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const
export type LogoType = (typeof LOGO_TYPES)[number]

export const MAX_LOGO_KIB = 256
export const MIN_LOGO_PIXELS = 16
export const MAX_LOGO_PIXELS = 2000

const MAX_NAME = 100
const MAX_CLOSING = 2000
const COLOR = 'Must be a colour such as #1d4ed8'

/** A text without control characters, which could end a header of a mail. */
const plainText = (max: number, { lines = false } = {}) =>
  z
    .string('Must be a text')
    .trim()
    .max(max, `Must have at most ${max} characters`)
    .refine(
      (text) => !/\p{Cc}/u.test(lines ? text.replaceAll('\n', '') : text),
      lines ? 'Must not have control characters' : 'Must be one line',
    )

const Color = z
  .string(COLOR)
  .regex(/^#[0-9a-fA-F]{6}$/, COLOR)
  .transform((color) => color.toLowerCase())

export const ChangeBranding = body({
  name: plainText(MAX_NAME).describe('The name of the agency; empty: none.'),
  color: Color.describe('The colour behind the heading; the text on it is white or black.'),
  reply_to: z
    .union([z.literal(''), Email], 'Must be an e-mail address')
    .describe('Where answers to a mailed report go; empty: to the sender.'),
  closing: plainText(MAX_CLOSING, { lines: true }).describe('A text at the end of each report.'),
}).meta({ id: 'ChangeBranding' })

const BASE64 = 'Must be an image in base64'

export const ChangeLogo = body({
  image: z
    .string(BASE64)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, BASE64)
    .max(Math.ceil((MAX_LOGO_KIB * 1024) / 3) * 4, `Must have at most ${MAX_LOGO_KIB} KiB`)
    .describe('The PNG, JPEG or WebP file in base64.'),
}).meta({ id: 'ChangeLogo' })

/** The query of a logo, which makes another address of another image. */
export const LogoQuery = z.object({
  v: z.string().optional().describe('Is ignored: the logo in `branding` has it.'),
})

export const Branding = strictObject({
  name: z.string(),
  color: z.string(),
  text_color: z.enum(['#ffffff', '#000000']).describe('The readable colour on `color`.'),
  reply_to: z.string(),
  closing: z.string(),
  logo: z
    .string()
    .nullable()
    .describe('The path of the logo, another one after each change; null: there is none.'),
}).meta({ id: 'Branding', description: 'The look of the reports for clients.' })
export type Branding = z.infer<typeof Branding>

export const DEFAULT_COLOR = '#1f2937'

/**
 * Returns the colour of text on a colour: of white and black the one with the higher contrast
 * (WCAG 2.2), which is at least 4.5 on every colour.
 */
export function textColorOn(color: string): '#ffffff' | '#000000' {
  const light = luminanceOf(color)
  return 1.05 / (light + 0.05) >= (light + 0.05) / 0.05 ? '#ffffff' : '#000000'
}

/** Returns the relative luminance of `#rrggbb`, from 0 to 1. */
function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
